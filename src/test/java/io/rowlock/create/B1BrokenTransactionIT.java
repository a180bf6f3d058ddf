package io.rowlock.create;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.rowlock.CreateContentionException;
import io.rowlock.MissingRowsException;
import io.rowlock.Rowlock;
import io.rowlock.UnitOfWork;
import io.rowlock.internal.postgres.FailureClassifier;
import io.rowlock.retry.FailureKind;
import io.rowlock.testing.Postgres;
import jakarta.persistence.EntityManager;
import jakarta.persistence.PersistenceException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** B1, C3: where the database answers nothing any more, a row is neither absent nor missing. */
class B1BrokenTransactionIT {

  @RegisterExtension static final Postgres db = new Postgres(Page.TABLE);

  private static final String CLASH =
      "insert into page (slug, title, version) values ('there', 'again', 0)";

  static Rowlock rowlock;

  private final Map<String, Operations.Operation> calls = new LinkedHashMap<>(Operations.all());

  @BeforeAll
  static void open() {
    rowlock = Rowlock.of(db.unit(Page.class).open().factory());
    rowlock.run(work -> work.getOrCreate(new Page("first", "x")));
  }

  @BeforeEach
  void one_row() throws Exception {
    db.execute(
        "truncate page", "insert into page (slug, title, version) values ('there', 'there', 0)");
    long id = db.number("select id from page");
    calls.put("lock", (work, pages) -> List.copyOf(work.lock(Page.class, List.of(id)).values()));
    calls.put(
        "incrementVersions",
        (work, pages) -> List.copyOf(work.incrementVersions(Page.class, List.of(id)).values()));
  }

  @Test
  void every_operation_tells_the_failure_that_was_swallowed_before_it() {
    calls.forEach(
        (name, call) -> {
          Throwable failure =
              failure(
                  call,
                  work ->
                      assertThatThrownBy(
                              () -> work.entityManager().createNativeQuery(CLASH).executeUpdate())
                          .isInstanceOf(PersistenceException.class));
          assertThat(failure)
              .as(name)
              .isNotInstanceOfAny(CreateContentionException.class, MissingRowsException.class)
              .hasStackTraceContaining("page_slug_key");
        });
  }

  @Test
  void every_operation_tells_that_the_connection_is_gone() {
    calls.forEach(
        (name, call) -> {
          Throwable failure = failure(call, work -> kill(work.entityManager()));
          assertThat(FailureClassifier.classify(failure).kind())
              .as(name)
              .isEqualTo(FailureKind.CONNECTION_LOST);
        });
  }

  private interface Break {
    void of(UnitOfWork work) throws Exception;
  }

  private static Throwable failure(Operations.Operation call, Break first) {
    return catchThrowable(
        () ->
            rowlock.run(
                work -> {
                  first.of(work);
                  call.on(work, List.of(new Page("there", "x"), new Page("new", "x")));
                }));
  }

  private static void kill(EntityManager em) throws Exception {
    Object pid = em.createNativeQuery("select pg_backend_pid()").getSingleResult();
    db.one("select pg_terminate_backend(?, 10000)", pid);
  }
}
