package io.rowlock.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.rowlock.CommitTracking;
import io.rowlock.Rowlock;
import io.rowlock.RowlockException;
import io.rowlock.RowlockListener;
import io.rowlock.UnitAction;
import io.rowlock.UnitInfo;
import io.rowlock.UnitOfWork;
import io.rowlock.UnitRunner;
import io.rowlock.docs.ReadmeTable.Row;
import io.rowlock.example.Article;
import io.rowlock.testing.Postgres;
import io.rowlock.testing.Rival;
import io.rowlock.testing.TestUnit;
import io.rowlock.testing.Together;
import jakarta.persistence.EntityManager;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The README's table of operations says what is sent, what a rival sees and how calls fail. */
class ReadmeTableIT {

  @RegisterExtension static final Postgres db = new Postgres();

  private static TestUnit unit;
  private static Rowlock rowlock;

  /**
   * What a statement does, as far as it matters to others; each in the way the README writes it.
   */
  private static final Map<String, Pattern> ESSENTIALS =
      Map.of(
          "FOR KEY SHARE", Pattern.compile("\\bfor key share\\b"),
          "FOR NO KEY UPDATE", Pattern.compile("\\bfor no key update\\b"),
          "ORDER BY", Pattern.compile("\\border by .+? for (no key |key |update|share)"),
          "INSERT", Pattern.compile("\\binsert into\\b"),
          "UPDATE", Pattern.compile("\\bupdate (?!set\\b)\\w+ \\w+ set\\b"),
          "ON CONFLICT DO NOTHING", Pattern.compile("\\bon conflict .*?\\bdo nothing\\b"),
          "SET TRANSACTION", Pattern.compile("^set transaction\\b"));

  /** An operation on rows with these slugs. */
  private interface Call {
    Object on(UnitOfWork work, String title, List<String> slugs) throws SQLException;
  }

  private static final Map<String, Call> CALLS = new LinkedHashMap<>();

  static {
    CALLS.put("getOrCreate", (work, title, s) -> work.getOrCreate(new Article(s.get(0), title)));
    CALLS.put(
        "insertIfAbsent", (work, title, s) -> work.insertIfAbsent(new Article(s.get(0), title)));
    CALLS.put("upsert", (work, title, s) -> work.upsert(new Article(s.get(0), title)));
    CALLS.put("getOrCreateAll", (work, title, s) -> work.getOrCreateAll(articles(s, title)));
    CALLS.put("insertIfAbsentAll", (work, title, s) -> work.insertIfAbsentAll(articles(s, title)));
    CALLS.put("upsertAll", (work, title, s) -> work.upsertAll(articles(s, title)));
    CALLS.put("lock", (work, title, s) -> work.lock(Article.class, ids(s)));
    CALLS.put(
        "change",
        (work, title, s) ->
            work.change(
                Article.class, ids(s), article -> article.setTitle(article.getTitle() + title)));
    CALLS.put(
        "incrementVersions", (work, title, s) -> work.incrementVersions(Article.class, ids(s)));
  }

  private static final String GONE = "gone";
  private static final Set<String> SENDS_NOTHING = Set.of("entityManager", "info", "afterCommit");
  private static final String UNIT = "run, call";
  private static final String ALONE = "getOrCreate outside a unit";

  @BeforeAll
  static void open() throws Exception {
    db.execute(
        Files.readString(Path.of("liquibase/articles/articles.sql")),
        "create table remarks (article bigint references articles)",
        "create function drop_row() returns trigger language plpgsql as 'begin return null; end'");
    unit = db.unit(Article.class).recording().open();
    rowlock = Rowlock.of(unit.factory());
    // the catalog is asked at the first use
    rowlock.run(
        work -> {
          Article first = work.getOrCreate(new Article("first", "x")).entity();
          work.change(Article.class, List.of(first.getId()), article -> article.setTitle("y"));
        });
  }

  @BeforeEach
  void someRows() throws Exception {
    db.execute(
        "truncate articles, remarks",
        "insert into articles (slug, title) values ('a', 'A'), ('m', 'M'), ('z', 'Z')");
  }

  @AfterEach
  void dropTrigger() throws Exception {
    db.execute("drop trigger if exists drops on articles");
  }

  @Test
  void every_operation_has_a_row_and_every_row_a_proof() throws Exception {
    Set<String> operations =
        Arrays.stream(UnitOfWork.class.getMethods())
            .map(Method::getName)
            .filter(name -> !SENDS_NOTHING.contains(name))
            .collect(Collectors.toCollection(TreeSet::new));
    assertThat(CALLS.keySet()).containsExactlyInAnyOrderElementsOf(operations);
    operations.addAll(List.of(UNIT, ALONE));
    assertThat(ReadmeTable.rows())
        .extracting(Row::operation)
        .containsExactlyInAnyOrderElementsOf(operations);
  }

  // SQL sent

  @Test
  void so_many_statements_are_sent() throws Exception {
    for (Row row : ReadmeTable.rows()) {
      if (startsOver(row)) {
        assertThat(row.sql())
            .contains("for each thousand rows one more")
            .contains("one more where rows are new");
        db.execute("delete from articles where slug not in ('a', 'm', 'z')");
        assertThat(recorded(row)).extracting(List::size).containsExactly(3 + 1, 3 + 2, 3 + 2);
        assertThat(sent(CALLS.get(row.operation()), slugs(2000))).hasSize(3 + 2 * 2);
        continue;
      }
      int said = row.sql().startsWith("two statements") ? 2 : 1;
      assertThat(row.sql()).startsWith(said == 2 ? "two statements" : "one statement");
      boolean batch = row.sql().contains("for each thousand rows");
      assertThat(batch).isEqualTo(row.operation().endsWith("All"));
      for (List<String> sent : recorded(row)) {
        assertThat(sent).as(row.operation()).hasSize(said);
      }
      if (batch) {
        assertThat(row.sql()).contains("one more to sort more than a thousand");
        assertThat(sent(CALLS.get(row.operation()), slugs(2000))).hasSize(2 * said + 1);
      }
    }
  }

  @Test
  void a_lost_race_costs_as_many_more_as_said() throws Exception {
    for (Row row : ReadmeTable.rows()) {
      if (!CALLS.containsKey(row.operation()) || locks(row)) {
        continue;
      }
      String slug = "race-" + row.operation();
      Rival rival = db.rival();
      rival.execute("insert into articles (slug, title) values (?, 'rival')", slug);
      unit.log().clear();
      Future<?> waiting =
          Together.start(
              () -> {
                rowlock.run(work -> CALLS.get(row.operation()).on(work, "mine", List.of(slug)));
                return null;
              });
      db.awaitBlockedBy(rival.pid());
      rival.commit();
      Together.get(waiting);
      int said = row.sql().contains("one more for each lost race") ? 1 : 0;
      int usual = row.sql().startsWith("two") ? 2 : 1;
      // savepoint, lock, insert, back to the savepoint, and again without the insert
      int sent = startsOver(row) ? 3 + 1 + 3 : usual + said;
      assertThat(unit.log().work()).as(row.operation()).hasSize(sent);
    }
  }

  /** A trigger that drops the row makes it vanish each time, until the bound of ten. */
  @Test
  void a_row_that_vanishes_costs_a_batch_as_many_more_as_said() throws Exception {
    db.execute(
        "create trigger drops before insert on articles for each row execute function drop_row()");
    for (Row row : ReadmeTable.rows()) {
      if (row.operation().endsWith("All")) {
        unit.log().clear();
        Throwable failure =
            catchThrowable(
                () -> rowlock.run(work -> call(row).on(work, "dropped", List.of("new"))));
        boolean said = row.sql().contains("two more whenever a row vanishes in between");
        assertThat(failure != null).as(row.operation()).isEqualTo(said || startsOver(row));
        assertThat(unit.log().work())
            .as(row.operation())
            .hasSize(startsOver(row) ? 1 + 10 * 3 : said ? 20 : 1);
      }
    }
  }

  @Test
  void the_statements_are_of_the_kind_that_is_said() throws Exception {
    for (Row row : ReadmeTable.rows()) {
      String sent =
          recorded(row).stream()
              .flatMap(List::stream)
              .collect(Collectors.joining("\n"))
              .toLowerCase(Locale.ROOT);
      List<String> code = ReadmeTable.code(row.sql());
      for (String said : code) {
        assertThat(
                Pattern.compile(said.toLowerCase(Locale.ROOT).replaceAll("[ .]+", "\\\\b.*?\\\\b"))
                    .matcher(sent)
                    .find())
            .as("%s sends `%s`: %s", row.operation(), said, sent)
            .isTrue();
      }
      ESSENTIALS.forEach(
          (essential, pattern) ->
              assertThat(says(code, essential))
                  .as("%s: whether %s is said, and sent: %s", row.operation(), essential, sent)
                  .isEqualTo(pattern.matcher(sent).find()));
    }
  }

  private static boolean says(List<String> code, String essential) {
    return code.stream()
        .map(said -> essential.equals("UPDATE") ? said.replace("NO KEY UPDATE", "") : said)
        .map(said -> said.replace("... ", ""))
        .anyMatch(said -> said.contains(essential));
  }

  /** Whether it goes back to a savepoint of its own. */
  private static boolean startsOver(Row row) {
    boolean said = row.sql().startsWith("three statements: `SAVEPOINT`");
    assertThat(row.sql().contains("all again when an insert meets a row unseen")).isEqualTo(said);
    return said;
  }

  private List<List<String>> recorded(Row row) throws Exception {
    if (row.operation().equals(UNIT)) {
      unit.log().clear();
      rowlock.run(work -> {});
      return List.of(unit.log().statements());
    }
    if (row.operation().equals(ALONE)) {
      unit.log().clear();
      rowlock.getOrCreate(new Article("a", "x"));
      assertThat(unit.log().begun()).isZero();
      return List.of(unit.log().statements());
    }
    Call call = CALLS.get(row.operation());
    List<List<String>> recorded = new ArrayList<>();
    recorded.add(sent(call, List.of("a")));
    if (!locks(row)) {
      recorded.add(sent(call, List.of("new")));
    }
    if (row.operation().endsWith("All")) {
      recorded.add(sent(call, slugs(1000)));
    }
    db.execute("delete from articles where slug not in ('a', 'm', 'z')");
    return recorded;
  }

  private static List<String> sent(Call call, List<String> slugs) throws SQLException {
    List<String> sent = new ArrayList<>();
    rowlock.run(
        work -> {
          unit.log().clear();
          call.on(work, "other", slugs);
          sent.addAll(unit.log().work());
        });
    return sent;
  }

  // What a competitor sees

  @Test
  void a_competitor_sees_what_is_said() throws Exception {
    int claims = 0;
    for (Row row : ReadmeTable.rows()) {
      for (String claim : row.competitorClaims()) {
        someRows();
        claims++;
        Call call = call(row);
        switch (claim) {
          case "waits while the row is new and undecided" -> waits(call, "new");
          case "waits until the unit ends" -> waits(call, "a");
          case "can change a row that was there, not delete it" -> {
            assertThat(blocked(call, "update articles set title = 'rival' where slug = 'a'"))
                .isFalse();
            assertThat(blocked(call, "delete from articles where slug = 'a'")).isTrue();
          }
          case "can change or delete a row that was there" -> {
            assertThat(blocked(call, "update articles set title = 'rival' where slug = 'a'"))
                .isFalse();
            assertThat(blocked(call, "delete from articles where slug = 'a'")).isFalse();
          }
          case "can insert child rows" ->
              assertThat(
                      blocked(call, "insert into remarks select id from articles where slug = 'a'"))
                  .isFalse();
          case "overlapping batches wait for each other" -> waitsInOrder(call);
          case "–" -> claims--;
          default ->
              throw new AssertionError("Nothing proves of " + row.operation() + ": " + claim);
        }
      }
    }
    assertThat(claims).isGreaterThan(10);
  }

  /** While a unit has made the call, the same call of another one waits. */
  private static void waits(Call call, String slug) throws Exception {
    try (EntityManager holder = unit.factory().createEntityManager()) {
      holder.getTransaction().begin();
      int pid = pid(holder);
      call.on(rowlock.on(holder), "holder", List.of(slug));
      Future<?> competitor = competitor(call, slug);
      assertThat(db.awaitBlockedBy(pid)).isNotEqualTo(pid);
      holder.getTransaction().commit();
      Together.get(competitor);
    }
  }

  /** Held up at its second key, a batch has the first one and not the last one. */
  private static void waitsInOrder(Call call) throws Exception {
    try (EntityManager holder = unit.factory().createEntityManager()) {
      holder.getTransaction().begin();
      int pid = pid(holder);
      call.on(rowlock.on(holder), "holder", List.of("new2"));
      Future<?> competitor = competitor(call, "new3", "new1", "new2");
      db.awaitBlockedBy(pid);
      assertThat(insertable("new3")).isTrue();
      assertThat(insertable("new1")).isFalse();
      holder.getTransaction().commit();
      Together.get(competitor);
    }
  }

  private static Future<?> competitor(Call call, String... slugs) {
    return Together.start(
        () -> {
          rowlock.run(work -> call.on(work, "competitor", List.of(slugs)));
          return null;
        });
  }

  private static boolean insertable(String slug) throws SQLException {
    return !refused("insert into articles (slug, title) values ('" + slug + "', 'x')");
  }

  /** Whether the statement would have to wait while a unit has made the call for the row 'a'. */
  private static boolean blocked(Call call, String sql) throws SQLException {
    try (EntityManager holder = unit.factory().createEntityManager()) {
      holder.getTransaction().begin();
      call.on(rowlock.on(holder), "A", List.of("a"));
      boolean refused = refused(sql);
      holder.getTransaction().rollback();
      return refused;
    }
  }

  private static boolean refused(String sql) throws SQLException {
    Rival rival = db.rival();
    rival.execute("set local lock_timeout = '100ms'");
    try {
      rival.execute(sql);
      return false;
    } catch (SQLException e) {
      assertThat(e.getSQLState()).isEqualTo("55P03");
      return true;
    } finally {
      rival.rollback();
    }
  }

  // What you get when it fails

  @Test
  void a_call_fails_as_is_said() throws Exception {
    for (Row row : ReadmeTable.rows()) {
      someRows();
      Map<String, Throwable> provoked =
          row.operation().equals(UNIT) ? failedUnits() : failedCalls(row);
      assertThat(ReadmeTable.code(row.failure()))
          .as("failures of %s", row.operation())
          .containsExactlyInAnyOrderElementsOf(provoked.keySet());
    }
  }

  private static Call call(Row row) {
    return row.operation().equals(ALONE)
        ? (work, title, slugs) -> rowlock.getOrCreate(new Article(slugs.get(0), title))
        : CALLS.get(row.operation());
  }

  private static boolean locks(Row row) {
    return Set.of("lock", "change", "incrementVersions").contains(row.operation());
  }

  /** What the operation's calls fail with, by the name that the README gives it. */
  private static Map<String, Throwable> failedCalls(Row row) throws SQLException {
    Map<String, Throwable> failures = new LinkedHashMap<>();
    if (locks(row)) {
      Call lock = CALLS.get(row.operation());
      note(failures, work -> lock.on(work, "x", List.of("a", GONE)));
      Rival rival = db.rival();
      rival.execute("update articles set title = 'held' where slug = 'a'");
      note(
          failures,
          work -> {
            work.entityManager()
                .createNativeQuery("set local lock_timeout = '50ms'")
                .executeUpdate();
            lock.on(work, "x", List.of("a"));
          });
      rival.rollback();
      return failures;
    }
    Call create = call(row);
    db.execute(
        "create unique index one_taken on articles (title) where title = 'taken'",
        "update articles set title = 'taken' where slug = 'z'");
    note(failures, work -> create.on(work, "taken", List.of("new")));
    db.execute("drop index one_taken");
    db.execute(
        "create trigger drops before insert on articles for each row execute function drop_row()");
    note(failures, work -> create.on(work, "x", List.of("new")));
    db.execute("drop trigger drops on articles");
    return failures;
  }

  private static Map<String, Throwable> failedUnits() {
    Map<String, Throwable> failures = new LinkedHashMap<>();
    note(failures, rowlock.maxAttempts(2), work -> raise(work, "40001"));
    note(failures, work -> assertThatThrownBy(() -> raise(work, "22012")).isNotNull());
    AtomicInteger pid = new AtomicInteger();
    RowlockListener killer =
        new RowlockListener() {
          @Override
          public void beforeCommit(UnitInfo info) {
            assertThatCode(() -> db.one("select pg_terminate_backend(?, 10000)", pid.get()))
                .doesNotThrowAnyException();
          }
        };
    note(
        failures,
        Rowlock.builder(unit.factory())
            .commitTracking(CommitTracking.NONE)
            .listener(killer)
            .build(),
        work -> {
          pid.set(pid(work.entityManager()));
          work.upsert(new Article("a", "changed"));
        });
    return failures;
  }

  private static void note(
      Map<String, Throwable> failures, UnitAction<? extends Exception> action) {
    note(failures, rowlock, action);
  }

  private static void note(
      Map<String, Throwable> failures, UnitRunner runner, UnitAction<? extends Exception> action) {
    Throwable failure = catchThrowable(() -> runner.run(action));
    if (failure instanceof RowlockException) {
      failures.put(failure.getClass().getSimpleName(), failure);
    } else if (failure != null) {
      assertThat(failure).hasStackTraceContaining("one_taken");
      failures.put("23505", failure);
    }
  }

  private static void raise(UnitOfWork work, String state) {
    work.entityManager()
        .createNativeQuery(
            "do $$ begin raise exception 'made to fail' using errcode = '" + state + "'; end $$")
        .executeUpdate();
  }

  private static int pid(EntityManager em) {
    return ((Number) em.createNativeQuery("select pg_backend_pid()").getSingleResult()).intValue();
  }

  private static List<Article> articles(List<String> slugs, String title) {
    return slugs.stream().map(slug -> new Article(slug, title)).toList();
  }

  private static List<String> slugs(int count) {
    return IntStream.range(0, count).mapToObj(i -> "s" + i).toList();
  }

  private static List<Long> ids(List<String> slugs) throws SQLException {
    List<Long> ids = new ArrayList<>();
    for (String slug : slugs) {
      ids.add(slug.equals(GONE) ? -1L : db.number("select id from articles where slug = ?", slug));
    }
    return ids;
  }
}
