package io.rowlock.example;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.arjuna.ats.jta.TransactionManager;
import io.agroal.api.AgroalDataSource;
import io.rowlock.IsolationLevel;
import io.rowlock.Rowlock;
import io.rowlock.RowlockListener;
import io.rowlock.UnitInfo;
import io.rowlock.UnitOfWork;
import io.rowlock.UnitRunner;
import io.rowlock.retry.Backoff;
import io.rowlock.retry.RetryPolicy;
import io.rowlock.testing.Await;
import io.rowlock.testing.Postgres;
import io.rowlock.testing.TestServer;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.Persistence;
import jakarta.transaction.Status;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.hibernate.engine.jdbc.connections.spi.ConnectionProvider;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * The persistence units of the example start, and bring their pool's and Rowlock's settings along.
 */
class PersistenceXmlIT {

  @RegisterExtension static final Postgres db = new Postgres();

  private final List<EntityManagerFactory> opened = new ArrayList<>();

  @BeforeAll
  static void createTables() {
    PGSimpleDataSource owner = new PGSimpleDataSource();
    owner.setURL(db.url());
    owner.setUser(TestServer.get().user());
    owner.setPassword(TestServer.get().password());
    new ChangeLog(Path.of("liquibase"), "articles/changelog.xml").apply(owner, Map.of());
  }

  @AfterEach
  void close() throws SQLException {
    opened.forEach(EntityManagerFactory::close);
    db.execute("truncate articles");
  }

  @ParameterizedTest
  @ValueSource(strings = {"articles", "articles-jta"})
  void the_store_works_on_both_units(String unit) throws SQLException {
    ArticleStore store = new ArticleStore(Rowlock.of(open(unit, Map.of())));

    long id = store.getOrCreate("a", "A").entity().getId();
    store.incrementRevisions(List.of(id));
    store.changeArticles(List.of(id), article -> article.setTitle("B"));

    assertThat(db.column("select title || ' ' || revision from articles")).containsExactly("B 2");
  }

  @Test
  void the_jta_unit_rolls_back_and_leaves_no_transaction_behind() throws Exception {
    Rowlock rowlock = Rowlock.of(open("articles-jta", Map.of()));
    ArticleStore store = new ArticleStore(rowlock);

    assertThatThrownBy(
            () ->
                rowlock.run(
                    unit -> {
                      store.getOrCreate("a", "A");
                      throw new IllegalStateException("no");
                    }))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("no");

    assertThat(TransactionManager.transactionManager().getStatus())
        .isEqualTo(Status.STATUS_NO_TRANSACTION);
    assertThat(db.number("select count(*) from articles")).isZero();
  }

  @Test
  void settings_are_those_of_the_unit() {
    assertThat(settings(Rowlock.of(open("articles", Map.of()))))
        .isEqualTo(new Seen(50, "read committed", 30));
    assertThat(settings(Rowlock.of(open("articles-jta", Map.of()))))
        .isEqualTo(new Seen(10, "read committed", 10));
  }

  @Test
  void properties_given_to_the_factory_win_over_the_file() {
    Rowlock rowlock =
        Rowlock.of(
            open(
                "articles",
                Map.of(
                    "rowlock.attempts", "7",
                    "rowlock.deadline", "PT5S",
                    "rowlock.isolation", "SERIALIZABLE")));

    assertThat(settings(rowlock)).isEqualTo(new Seen(7, "serializable", 5));
  }

  @Test
  void settings_in_code_win_over_the_unit() {
    EntityManagerFactory factory = open("articles", Map.of());
    Rowlock rowlock =
        Rowlock.builder(factory)
            .retry(RetryPolicy.defaults().withMaxAttempts(3).withDeadline(Duration.ofSeconds(20)))
            .isolation(IsolationLevel.REPEATABLE_READ)
            .build();

    assertThat(settings(rowlock)).isEqualTo(new Seen(3, "repeatable read", 20));
  }

  @Test
  void options_of_one_unit_of_work_win_over_both() {
    Rowlock rowlock = Rowlock.of(open("articles", Map.of()));

    assertThat(
            settings(
                rowlock
                    .maxAttempts(2)
                    .deadline(Duration.ofSeconds(3))
                    .isolation(IsolationLevel.SERIALIZABLE)))
        .isEqualTo(new Seen(2, "serializable", 3));
  }

  @Test
  void the_backoff_is_that_of_the_unit_unless_the_code_says_otherwise() {
    EntityManagerFactory factory =
        open("articles", Map.of("rowlock.backoff.initial", "0ms", "rowlock.backoff.max", "0ms"));

    assertThat(pauses(Rowlock.builder(factory), 4)).containsOnly(Duration.ZERO);
    assertThat(
            pauses(
                Rowlock.builder(factory)
                    .retry(
                        RetryPolicy.defaults()
                            .withBackoff(new Backoff(Duration.ofMillis(9), Duration.ofMillis(9)))),
                6))
        .anyMatch(pause -> !pause.isZero())
        .allMatch(pause -> pause.compareTo(Duration.ofMillis(9)) <= 0);
  }

  @Test
  void a_setting_that_does_not_exist_is_refused() {
    EntityManagerFactory factory = open("articles", Map.of("rowlock.atempts", "3"));

    assertThatIllegalArgumentException()
        .isThrownBy(() -> Rowlock.of(factory))
        .withMessageContaining("rowlock.atempts");
  }

  @ParameterizedTest
  @ValueSource(strings = {"articles", "articles-jta"})
  void the_pool_hands_out_no_dead_connection(String unit) throws SQLException {
    EntityManagerFactory factory = open(unit, Map.of());
    Rowlock rowlock = Rowlock.of(factory);
    int pid = backend(rowlock);
    db.execute("select pg_terminate_backend(" + pid + ")");
    Await.until(
        "backend " + pid + " is gone",
        () -> db.number("select count(*) from pg_stat_activity where pid = ?", pid) == 0);

    assertThat(backend(rowlock)).isNotEqualTo(pid);
  }

  @Test
  void the_pool_ends_with_the_factory() throws SQLException {
    EntityManagerFactory factory = open("articles", Map.of());
    int pid = backend(Rowlock.of(factory));
    AgroalDataSource pool =
        factory
            .unwrap(SessionFactoryImplementor.class)
            .getServiceRegistry()
            .requireService(ConnectionProvider.class)
            .unwrap(AgroalDataSource.class);
    assertThat(pool.getConfiguration().connectionPoolConfiguration().maxSize()).isEqualTo(20);

    factory.close();

    Await.until(
        "backend " + pid + " is gone",
        () -> db.number("select count(*) from pg_stat_activity where pid = ?", pid) == 0);
  }

  /** What a unit of work can see of its settings. */
  private record Seen(int attempts, String isolation, int deadlineSeconds) {}

  private static Seen settings(UnitRunner runner) {
    return runner.call(
        unit ->
            new Seen(
                unit.info().maxAttempts(),
                text(unit, "show transaction_isolation"),
                (int)
                    Math.ceil(
                        Double.parseDouble(
                            text(
                                unit,
                                "select extract(epoch from current_setting('lock_timeout')::interval)::text")))));
  }

  private static String text(UnitOfWork unit, String sql) {
    return (String) unit.entityManager().createNativeQuery(sql, String.class).getSingleResult();
  }

  private static int backend(Rowlock rowlock) {
    return rowlock.call(unit -> Integer.parseInt(text(unit, "select pg_backend_pid()::text")));
  }

  /** The pauses before the reruns of a unit that is aborted until the given attempt. */
  private static List<Duration> pauses(Rowlock.Builder builder, int attempts) {
    List<Duration> pauses = new ArrayList<>();
    builder
        .listener(
            new RowlockListener() {
              @Override
              public void beforeRerun(UnitInfo unit, Duration pause) {
                pauses.add(pause);
              }
            })
        .build()
        .run(
            unit -> {
              if (unit.info().attempt() < attempts) {
                unit.entityManager()
                    .createNativeQuery("do $$ begin raise sqlstate '40001'; end $$")
                    .executeUpdate();
              }
            });
    assertThat(pauses).hasSize(attempts - 1);
    return pauses;
  }

  private EntityManagerFactory open(String unit, Map<String, String> properties) {
    Map<String, Object> all = new HashMap<>(properties);
    all.put("jakarta.persistence.jdbc.url", db.url());
    all.put("jakarta.persistence.jdbc.user", TestServer.get().user());
    all.put("jakarta.persistence.jdbc.password", TestServer.get().password());
    EntityManagerFactory factory = Persistence.createEntityManagerFactory(unit, all);
    opened.add(factory);
    return factory;
  }
}
