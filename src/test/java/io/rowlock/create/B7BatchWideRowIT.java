package io.rowlock.create;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.Rowlock;
import io.rowlock.create.UpsertResult.Outcome;
import io.rowlock.testing.Postgres;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** B7: what a batch stores, whose values travel as texts, is what persist would have stored. */
class B7BatchWideRowIT {

  @RegisterExtension static final Postgres db = new Postgres();

  /** Everything but what must differ between two rows. */
  private static final String ROW =
      "select jsonb_pretty(to_jsonb(w) - array['id', 'slug', 'slug_length', 'created', 'changed',"
          + " 'clock']) from wide w where slug = ?";

  static WideTable wide;
  static Rowlock rowlock;

  @BeforeAll
  static void open() throws Exception {
    wide = WideTable.in(db);
    rowlock = Rowlock.of(wide.unit().factory());
  }

  @BeforeEach
  void empty() throws Exception {
    db.execute("truncate wide");
  }

  @Test
  void every_attribute_with_a_value_and_without_in_one_batch() throws Exception {
    wide.persist(wide.filled("full"));
    wide.persist(new Wide("bare"));

    rowlock.run(work -> work.getOrCreateAll(mixed("get")));
    rowlock.run(work -> work.insertIfAbsentAll(mixed("insert")));
    rowlock.run(work -> work.upsertAll(mixed("upsert")));

    for (String by : List.of("get", "insert", "upsert")) {
      assertThat(db.one(ROW, by + " full")).as(by).isEqualTo(db.one(ROW, "full"));
      assertThat(db.one(ROW, by + " bare")).as(by).isEqualTo(db.one(ROW, "bare"));
    }
  }

  @Test
  void each_attribute_replaced_alone_is_an_update_and_again_is_none() throws Exception {
    rowlock.run(work -> work.getOrCreateAll(List.of(new Wide("a"), new Wide("b"))));
    for (String attribute : WideTable.replaced()) {
      Upsert one = Upsert.by("slug").replacing(attribute);
      List<Wide> candidates = List.of(wide.filled("a"), wide.filled("b"));
      for (Outcome outcome : List.of(Outcome.UPDATED, Outcome.UNCHANGED)) {
        List<UpsertResult<Wide>> answers = rowlock.call(work -> work.upsertAll(candidates, one));
        assertThat(answers)
            .extracting(UpsertResult::outcome)
            .as(attribute)
            .containsExactly(outcome, outcome);
      }
    }
    wide.persistThenFill("persist");
    assertThat(withoutVersion("a")).isEqualTo(withoutVersion("persist"));
    assertThat(withoutVersion("b")).isEqualTo(withoutVersion("persist"));
  }

  @Test
  void what_is_answered_is_what_is_found() throws Exception {
    List<Wide> answered = entities(rowlock.call(work -> work.getOrCreateAll(mixed("x"))));
    List<Wide> again = entities(rowlock.call(work -> work.getOrCreateAll(mixed("x"))));
    for (int i = 0; i < 2; i++) {
      Wide answer = answered.get(i);
      Wide found = wide.unit().factory().callInTransaction(em -> em.find(Wide.class, answer.id));
      for (Wide other : List.of(again.get(i), found)) {
        assertThat(answer)
            .usingRecursiveComparison()
            .ignoringFields("target", "single", "keyed", "outer.target")
            .isEqualTo(other);
      }
    }
  }

  private static List<Wide> entities(List<GetOrCreateResult<Wide>> answers) {
    return answers.stream().map(GetOrCreateResult::entity).toList();
  }

  private static String withoutVersion(String slug) throws Exception {
    String row = (String) db.one(ROW, slug);
    List<String> lines = new ArrayList<>(row.lines().toList());
    // an update for each attribute; the callback saw other values; no update writes the default
    lines.removeIf(line -> line.matches(" *\"(version|prepared|defaulted)\".*"));
    return String.join("\n", lines);
  }

  private static List<Wide> mixed(String prefix) {
    return List.of(wide.filled(prefix + " full"), new Wide(prefix + " bare"));
  }
}
