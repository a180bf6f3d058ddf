package io.rowlock.example;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowlock.testing.Postgres;
import io.rowlock.testing.Rival;
import io.rowlock.testing.TestServer;
import io.rowlock.testing.Together;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.ds.PGSimpleDataSource;

/** The change sets that give a table in use the natural key that creating rows once needs. */
class NaturalKeyChangeSetIT {

  private static final Path FOLDER = Path.of("liquibase");
  private static final String ADD = "rowlock/add-natural-key.xml";
  private static final String MERGE = "rowlock/merge-duplicates.xml";
  private static final Map<String, String> SLUG =
      Map.of(
          "rowlock.key.table", "draft",
          "rowlock.key.columns", "slug",
          "rowlock.key.constraint", "draft_slug_key");

  @RegisterExtension static final Postgres db = new Postgres();

  @BeforeEach
  void createTable() throws SQLException {
    db.execute(
        "drop table if exists note, draft, databasechangelog, databasechangeloglock, rowlock_merged_rows",
        "create table draft (id bigint primary key, slug text, lang text, title text)");
  }

  @Test
  void the_constraint_is_added_where_there_are_no_duplicates() throws Exception {
    db.execute("insert into draft values (1, 'a', 'en', 'A'), (2, 'b', 'en', 'B')");

    apply(ADD, SLUG);

    assertThat(constraints()).contains("draft_slug_key: UNIQUE (slug)");
    assertThat(
            db.one(
                "select attnotnull from pg_attribute where attrelid = 'draft'::regclass and attname = 'slug'"))
        .isEqualTo(true);
    assertThat(marks()).containsExactly("add-natural-key-draft_slug_key");
  }

  @Test
  void duplicates_are_listed_with_their_number_and_ids() throws Exception {
    db.execute(
        "insert into draft values"
            + " (5, 'b', 'en', 'x'), (1, 'a', 'en', 'A'), (4, 'b', 'en', 'y'), (2, 'a', 'de', 'A'), (3, 'a', 'en', 'A'), (9, 'c', 'en', 'C')");

    assertThatThrownBy(() -> apply(ADD, SLUG))
        .hasMessageContaining(
            "draft_slug_key is not added: 2 keys of draft are there more than once")
        .hasMessageContaining("slug='a': 3 rows, id 1, 2, 3")
        .hasMessageContaining("slug='b': 2 rows, id 4, 5")
        .hasMessageNotContaining("slug='c'")
        .satisfies(e -> assertThat(sqlState(e)).isEqualTo("23505"));
  }

  @Test
  void duplicates_leave_every_row_and_the_change_log_as_they_were() throws Exception {
    db.execute(
        "insert into draft values (1, 'a', 'en', 'A'), (2, 'a', 'de', 'B'), (3, null, null, null)");
    List<Object> before = rows();

    assertThatThrownBy(() -> apply(ADD, SLUG)).isInstanceOf(IllegalStateException.class);

    assertThat(rows()).isEqualTo(before);
    assertThat(marks()).isEmpty();
    assertThat(constraints()).noneMatch(constraint -> constraint.toString().contains("slug"));
  }

  @Test
  void the_change_log_goes_on_once_the_duplicates_are_gone() throws Exception {
    db.execute("insert into draft values (1, 'a', 'en', 'A'), (2, 'a', 'de', 'B')");
    assertThatThrownBy(() -> apply(ADD, SLUG)).isInstanceOf(IllegalStateException.class);
    db.execute("update draft set slug = 'b' where id = 2");

    apply(ADD, SLUG);

    assertThat(marks()).containsExactly("add-natural-key-draft_slug_key");
  }

  @Test
  void a_long_list_is_cut_off_and_says_so() throws Exception {
    db.execute(
        "insert into draft select i, 'k' || lpad((i % 60)::text, 2, '0'), 'en', 't' from generate_series(1, 3000) i");

    assertThatThrownBy(() -> apply(ADD, SLUG))
        .hasMessageContaining("60 keys of draft")
        .hasMessageContaining("slug='k49': 50 rows, id 49, 109,")
        .hasMessageContaining(", ...")
        .hasMessageContaining("and 10 keys more")
        .hasMessageNotContaining("slug='k50'");
  }

  @Test
  void rows_without_a_complete_key_are_listed() throws Exception {
    db.execute(
        "insert into draft values (1, 'a', 'en', 'A'), (2, null, 'en', 'B'), (3, null, 'en', 'B')");
    List<Object> before = rows();

    assertThatThrownBy(() -> apply(ADD, SLUG))
        .hasMessageContaining("2 rows of draft have no complete key")
        .hasMessageContaining("id 2, 3");

    assertThat(rows()).isEqualTo(before);
    assertThat(marks()).isEmpty();
  }

  @Test
  void a_duplicate_committed_after_the_check_is_not_overlooked() throws Exception {
    db.execute("insert into draft values (1, 'a', 'en', 'A')");
    Rival writer = db.rival();
    writer.execute("insert into draft values (2, 'a', 'de', 'B')");

    Future<?> migration = Together.start(() -> applied(ADD, SLUG));
    db.awaitBlockedBy(writer.pid());
    writer.commit();

    assertThatThrownBy(() -> Together.get(migration))
        .hasMessageContaining("(slug)=(a)")
        .satisfies(e -> assertThat(sqlState(e)).isEqualTo("23505"));
    assertThat(marks()).isEmpty();
    assertThat(db.number("select count(*) from draft")).isEqualTo(2);
  }

  @Test
  void the_table_is_not_waited_for_longer_than_allowed() throws Exception {
    Rival writer = db.rival();
    writer.execute("insert into draft values (1, 'a', 'de', 'B')");

    assertThatThrownBy(() -> apply(ADD, with(SLUG, "rowlock.key.lock-timeout", "50ms")))
        .satisfies(e -> assertThat(sqlState(e)).isEqualTo("55P03"));

    assertThat(marks()).isEmpty();
  }

  @Test
  void a_key_of_several_columns_and_names_that_need_quotes() throws Exception {
    db.execute(
        "drop table if exists \"Odd Table\"",
        "create table \"Odd Table\" (\"No.\" int primary key, \"Key 1\" text, key2 int)",
        "insert into \"Odd Table\" values (1, 'it''s', 7), (2, 'it''s', 8), (3, 'it''s', 7)");
    Map<String, String> odd =
        Map.of(
            "rowlock.key.table", "\"Odd Table\"",
            "rowlock.key.columns", "Key 1, key2",
            "rowlock.key.constraint", "Odd key",
            "rowlock.key.id", "No.");

    assertThatThrownBy(() -> apply(ADD, odd))
        .hasMessageContaining("Key 1='it''s', key2='7': 2 rows, No. 1, 3");
    db.execute("delete from \"Odd Table\" where \"No.\" = 3");
    apply(ADD, odd);

    assertThat(constraints()).contains("Odd key: UNIQUE (\"Key 1\", key2)");
  }

  @Test
  void a_constraint_that_is_there_is_accepted() throws Exception {
    db.execute(
        "alter table draft alter slug set not null, add constraint draft_slug_key unique (slug)");

    apply(ADD, SLUG);

    assertThat(marks()).containsExactly("add-natural-key-draft_slug_key");
  }

  @Test
  void a_constraint_of_that_name_on_other_columns_is_not_accepted() throws Exception {
    db.execute("alter table draft add constraint draft_slug_key unique (title)");

    assertThatThrownBy(() -> apply(ADD, SLUG)).hasMessageContaining("draft_slug_key");

    assertThat(marks()).isEmpty();
  }

  @Test
  void parameters_that_are_not_given_are_named() {
    assertThatThrownBy(() -> apply(ADD, Map.of()))
        .hasMessageContaining("rowlock.key.table, rowlock.key.columns and rowlock.key.constraint");
    assertThatThrownBy(() -> apply(MERGE, Map.of()))
        .hasMessageContaining("rowlock.key.table, rowlock.key.columns and rowlock.key.constraint");
  }

  @Test
  void one_change_log_adds_keys_to_several_tables(@TempDir Path folder) throws Exception {
    db.execute("create table note (id bigint primary key, code text)");
    Files.createDirectory(folder.resolve("rowlock"));
    try (Stream<Path> files = Files.list(FOLDER.resolve("rowlock"))) {
      for (Path file : files.toList()) {
        Files.copy(file, folder.resolve("rowlock").resolve(file.getFileName()));
      }
    }
    Files.writeString(folder.resolve("draft.xml"), including("draft", "slug"));
    Files.writeString(folder.resolve("note.xml"), including("note", "code"));
    Files.writeString(
        folder.resolve("all.xml"),
        changeLog("<include file=\"draft.xml\"/><include file=\"note.xml\"/>"));

    new ChangeLog(folder, "all.xml").apply(owner(), Map.of());

    assertThat(marks())
        .containsExactly("add-natural-key-draft_slug_key", "add-natural-key-note_code_key");
    assertThat(constraints())
        .contains("draft_slug_key: UNIQUE (slug)", "note_code_key: UNIQUE (code)");
  }

  @Test
  void duplicates_are_merged_into_the_oldest_row() throws Exception {
    db.execute(
        "insert into draft values (3, 'a', 'en', 'third'), (1, 'a', 'en', 'first'), (2, 'b', 'en', 'second'), (4, null, 'en', 'x'), (5, null, 'en', 'y')");

    apply(MERGE, SLUG);

    assertThat(db.column("select id || ' ' || title from draft order by id"))
        .containsExactly("1 first", "2 second", "4 x", "5 y");
    assertThat(
            db.column(
                "select source || ' ' || removed_id || ' ' || kept_id || ' ' || (content ->> 'title') from rowlock_merged_rows"))
        .containsExactly("draft 3 1 third");
  }

  @Test
  void rows_that_refer_to_a_merged_row_refer_to_the_one_that_stays() throws Exception {
    db.execute(
        "create table note (id int primary key, draft bigint references draft on delete cascade, reply_to int references note)",
        "insert into draft values (1, 'a', 'en', 'first'), (2, 'b', 'en', 'second'), (3, 'a', 'en', 'third')",
        "insert into note values (10, 1, null), (11, 2, 10), (12, 3, 10), (13, null, null)");

    apply(MERGE, SLUG);

    assertThat(db.column("select id || ' ' || coalesce(draft::text, '-') from note order by id"))
        .containsExactly("10 1", "11 2", "12 1", "13 -");
  }

  @Test
  void merging_again_changes_nothing() throws Exception {
    db.execute("insert into draft values (1, 'a', 'en', 'first'), (2, 'a', 'en', 'second')");
    apply(MERGE, SLUG);
    List<Object> merged = rows();

    apply(MERGE, SLUG);
    apply(ADD, SLUG);
    apply(MERGE, SLUG);

    assertThat(rows()).isEqualTo(merged);
    assertThat(db.number("select count(*) from rowlock_merged_rows")).isEqualTo(1);
    assertThat(constraints()).contains("draft_slug_key: UNIQUE (slug)");
  }

  @Test
  void duplicates_that_are_referred_to_by_other_columns_are_not_merged() throws Exception {
    db.execute(
        "alter table draft add unique (title)",
        "create table note (id int primary key, draft text references draft (title))",
        "insert into draft values (1, 'a', 'en', 'first'), (2, 'a', 'en', 'second')");
    List<Object> before = rows();

    assertThatThrownBy(() -> apply(MERGE, SLUG))
        .hasMessageContaining("note_draft_fkey of note does not refer to its column id");

    assertThat(rows()).isEqualTo(before);
    assertThat(marks()).isEmpty();
  }

  @Test
  void a_reference_that_comes_while_duplicates_are_merged_is_not_lost() throws Exception {
    db.execute(
        "create table note (id int primary key, draft bigint references draft on delete cascade)",
        "insert into draft values (1, 'a', 'en', 'first'), (2, 'a', 'en', 'second')");
    Rival writer = db.rival();
    writer.execute("insert into note values (20, 2)");

    Future<?> migration = Together.start(() -> applied(MERGE, SLUG));
    db.awaitBlockedBy(writer.pid());
    writer.commit();
    Together.get(migration);

    assertThat(db.number("select draft from note where id = 20")).isEqualTo(1);
  }

  private static void apply(String file, Map<String, String> parameters) {
    new ChangeLog(FOLDER, file).apply(owner(), parameters);
  }

  private static boolean applied(String file, Map<String, String> parameters) {
    apply(file, parameters);
    return true;
  }

  private static PGSimpleDataSource owner() {
    PGSimpleDataSource source = new PGSimpleDataSource();
    source.setURL(db.url());
    source.setUser(TestServer.get().user());
    source.setPassword(TestServer.get().password());
    return source;
  }

  private static Map<String, String> with(Map<String, String> map, String key, String value) {
    Map<String, String> copy = new HashMap<>(map);
    copy.put(key, value);
    return copy;
  }

  private static String including(String table, String column) throws IOException {
    return changeLog(
        """
        <property global="false" name="rowlock.key.table" value="%1$s"/>
        <property global="false" name="rowlock.key.columns" value="%2$s"/>
        <property global="false" name="rowlock.key.constraint" value="%1$s_%2$s_key"/>
        <include file="rowlock/add-natural-key.xml"/>
        """
            .formatted(table, column));
  }

  private static String changeLog(String content) {
    return """
        <databaseChangeLog xmlns="http://www.liquibase.org/xml/ns/dbchangelog"
            xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
            xsi:schemaLocation="http://www.liquibase.org/xml/ns/dbchangelog
                http://www.liquibase.org/xml/ns/dbchangelog/dbchangelog-latest.xsd">
        """
        + content
        + "</databaseChangeLog>";
  }

  /** Every row with where and by which transaction it was written. */
  private static List<Object> rows() throws SQLException {
    return db.column("select ctid || ' ' || xmin || ' ' || draft::text from draft order by id");
  }

  private static List<Object> constraints() throws SQLException {
    return db.column(
        "select conname || ': ' || pg_get_constraintdef(oid) from pg_constraint"
            + " where conrelid in (select oid from pg_class where relnamespace = current_schema()::regnamespace)");
  }

  private static List<Object> marks() throws SQLException {
    return db.column("select id from databasechangelog order by orderexecuted");
  }

  private static String sqlState(Throwable problem) {
    Throwable cause = problem;
    while (cause != null && !(cause instanceof SQLException)) {
      cause = cause.getCause();
    }
    return cause == null ? null : ((SQLException) cause).getSQLState();
  }
}
