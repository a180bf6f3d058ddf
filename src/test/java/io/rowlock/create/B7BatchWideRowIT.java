package io.rowlock.create;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.Rowlock;
import io.rowlock.create.UpsertResult.Outcome;
import io.rowlock.create.Wide.KeyedTarget;
import io.rowlock.create.Wide.PairKey;
import io.rowlock.create.Wide.Target;
import io.rowlock.testing.Postgres;
import io.rowlock.testing.TestUnit;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
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

  /** What an update writes of no column of its own, or may find null before and after. */
  private static final Set<String> NOT_REPLACED =
      Set.of(
          "id",
          "slug",
          "version",
          "readOnly",
          "defaulted",
          "slugLength",
          "twice",
          "created",
          "changed",
          "clock",
          "prepared",
          "forgotten");

  static TestUnit unit;
  static Rowlock rowlock;
  static Target target;
  static KeyedTarget keyed;

  @BeforeAll
  static void open() throws Exception {
    unit =
        db.unit(Wide.class, Target.class, KeyedTarget.class)
            .property("hibernate.hbm2ddl.auto", "create-only")
            .property(
                "hibernate.physical_naming_strategy",
                "org.hibernate.boot.model.naming.PhysicalNamingStrategySnakeCaseImpl")
            .property("hibernate.type.json_format_mapper", new PlainJson())
            .open();
    // the one-to-one makes a column unique that all rows here share
    db.execute(
        "do $$ begin execute (select 'alter table wide drop constraint ' || quote_ident(conname)"
            + " from pg_constraint where conrelid = 'wide'::regclass and contype = 'u'"
            + " and pg_get_constraintdef(oid) like '%(single_id)%'); end $$");
    rowlock = Rowlock.of(unit.factory());
    target = new Target();
    target.id = 1L;
    keyed = new KeyedTarget();
    keyed.id = new PairKey();
    keyed.id.area = "a";
    keyed.id.number = 7;
    unit.factory()
        .runInTransaction(
            em -> {
              em.persist(target);
              em.persist(keyed);
            });
  }

  @BeforeEach
  void empty() throws Exception {
    db.execute("truncate wide");
  }

  @Test
  void every_attribute_with_a_value_and_without_in_one_batch() throws Exception {
    Wide full = filled("full");
    unit.factory()
        .runInTransaction(
            em -> {
              em.persist(full);
              em.persist(new Wide("bare"));
            });

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
    for (Field field : Wide.class.getDeclaredFields()) {
      if (Modifier.isStatic(field.getModifiers()) || NOT_REPLACED.contains(field.getName())) {
        continue;
      }
      Upsert one = Upsert.by("slug").replacing(field.getName());
      List<Wide> candidates = List.of(filled("a"), filled("b"));
      for (Outcome outcome : List.of(Outcome.UPDATED, Outcome.UNCHANGED)) {
        List<UpsertResult<Wide>> answers = rowlock.call(work -> work.upsertAll(candidates, one));
        assertThat(answers)
            .extracting(UpsertResult::outcome)
            .as(field.getName())
            .containsExactly(outcome, outcome);
      }
    }
    unit.factory()
        .runInTransaction(
            em -> {
              Wide persisted = new Wide("persist");
              em.persist(persisted);
              em.flush();
              fill(persisted);
            });
    assertThat(withoutVersion("a")).isEqualTo(withoutVersion("persist"));
    assertThat(withoutVersion("b")).isEqualTo(withoutVersion("persist"));
  }

  @Test
  void what_is_answered_is_what_is_found() throws Exception {
    List<Wide> answered = entities(rowlock.call(work -> work.getOrCreateAll(mixed("x"))));
    List<Wide> again = entities(rowlock.call(work -> work.getOrCreateAll(mixed("x"))));
    for (int i = 0; i < 2; i++) {
      Wide answer = answered.get(i);
      Wide found = unit.factory().callInTransaction(em -> em.find(Wide.class, answer.id));
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
    return List.of(filled(prefix + " full"), new Wide(prefix + " bare"));
  }

  private static Wide filled(String slug) {
    return fill(new Wide(slug));
  }

  private static Wide fill(Wide row) {
    try {
      return row.fill(target, keyed);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }
}
