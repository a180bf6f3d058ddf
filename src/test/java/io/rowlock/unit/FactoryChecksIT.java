package io.rowlock.unit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowlock.Rowlock;
import io.rowlock.UnitRunner;
import io.rowlock.retry.RetryPolicy;
import io.rowlock.testing.Postgres;
import io.rowlock.testing.TestUnit;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.PersistenceException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import javax.sql.DataSource;
import org.hibernate.dialect.CockroachDialect;
import org.hibernate.dialect.H2Dialect;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A factory that Rowlock cannot work with is refused, in words that say what was found and what is
 * needed.
 */
class FactoryChecksIT {

  private static final String WITHOUT_METADATA = "hibernate.boot.allow_jdbc_metadata_access";

  @RegisterExtension static final Postgres db = new Postgres(Tag.TABLE);

  @Test
  void no_factory_is_refused() {
    assertThatThrownBy(() -> Rowlock.of(null))
        .isInstanceOf(NullPointerException.class)
        .hasMessageContaining("EntityManagerFactory");
  }

  @Test
  void a_closed_factory_is_refused() {
    TestUnit unit = db.unit(Tag.class).open();
    unit.factory().close();

    assertThatThrownBy(() -> Rowlock.of(unit.factory()))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("closed");
  }

  @Test
  void a_factory_that_is_closed_later_makes_every_call_fail() {
    TestUnit unit = db.unit(Tag.class).open();
    Rowlock rowlock = Rowlock.of(unit.factory());
    unit.factory().close();

    assertThatThrownBy(() -> rowlock.run(work -> {}))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("closed");
  }

  @Test
  void a_factory_that_is_not_hibernates_is_refused() {
    EntityManagerFactory foreign =
        proxy(
            EntityManagerFactory.class,
            (proxy, method, arguments) -> {
              if (method.getName().equals("isOpen")) {
                return true;
              }
              throw new PersistenceException("no such class here");
            });

    assertThatThrownBy(() -> Rowlock.of(foreign))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("Hibernate ORM is needed")
        .hasMessageContaining(foreign.getClass().getName());
  }

  @Test
  void a_factory_behind_a_proxy_will_do() {
    EntityManagerFactory factory = db.unit(Tag.class).open().factory();
    EntityManagerFactory proxy =
        proxy(
            EntityManagerFactory.class,
            (self, method, arguments) -> call(factory, method, arguments));

    assertThat(firstAttempt(Rowlock.of(proxy))).isEqualTo("'unit' on attempt 1 of 50");
  }

  @ParameterizedTest
  @ValueSource(classes = {H2Dialect.class, CockroachDialect.class})
  void a_database_that_is_not_postgresql_is_refused(Class<?> dialect) {
    TestUnit unit =
        db.unit(Tag.class)
            .property("hibernate.dialect", dialect.getName())
            .property(WITHOUT_METADATA, "false")
            .open();

    assertThatThrownBy(() -> Rowlock.of(unit.factory()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("PostgreSQL 14 or newer is needed")
        .hasMessageContaining(dialect.getSimpleName());
  }

  @Test
  void a_server_that_is_too_old_is_refused_when_rowlock_is_built() {
    TestUnit unit = db.unit(Tag.class).wrapping(pool -> claiming(pool, 13)).open();

    assertThatThrownBy(() -> Rowlock.of(unit.factory()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("PostgreSQL 14 or newer is needed; the server is PostgreSQL 13.99");
  }

  @Test
  void a_server_that_turns_out_to_be_too_old_is_refused_at_the_first_connection() {
    TestUnit unit =
        db.unit(Tag.class)
            .property(WITHOUT_METADATA, "false")
            .property("hibernate.dialect", "org.hibernate.dialect.PostgreSQLDialect")
            .property("jakarta.persistence.database-major-version", "14")
            .wrapping(pool -> claiming(pool, 13))
            .open();
    Rowlock rowlock = Rowlock.of(unit.factory());

    assertThatThrownBy(() -> rowlock.run(work -> {}))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("PostgreSQL 14 or newer is needed; the server is PostgreSQL 13.99");
    assertThat(unit.pool().getMetrics().activeCount()).isZero();
  }

  @Test
  void a_dialect_that_is_only_configured_for_an_old_server_is_not_held_against_a_new_one() {
    TestUnit unit =
        db.unit(Tag.class)
            .property(WITHOUT_METADATA, "false")
            .property("hibernate.dialect", "org.hibernate.dialect.PostgreSQLDialect")
            .property("jakarta.persistence.database-major-version", "13")
            .open();

    assertThat(firstAttempt(Rowlock.of(unit.factory()))).isNotEmpty();
  }

  @Test
  void an_unknown_setting_of_the_persistence_unit_is_refused() {
    TestUnit unit = db.unit(Tag.class).property("rowlock.retries", "3").open();

    assertThatThrownBy(() -> Rowlock.of(unit.factory()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("rowlock.retries");
  }

  @Test
  void settings_of_the_persistence_unit_hold_and_those_in_code_win() {
    TestUnit unit = db.unit(Tag.class).property("rowlock.attempts", "7").open();

    Rowlock inCode =
        Rowlock.builder(unit.factory()).retry(RetryPolicy.defaults().withMaxAttempts(4)).build();

    assertThat(firstAttempt(Rowlock.of(unit.factory()))).isEqualTo("'unit' on attempt 1 of 7");
    assertThat(firstAttempt(inCode)).isEqualTo("'unit' on attempt 1 of 4");
    assertThat(firstAttempt(inCode.maxAttempts(3).named("other")))
        .isEqualTo("'other' on attempt 1 of 3");
  }

  private static String firstAttempt(UnitRunner runner) {
    return runner.<String, RuntimeException>call(work -> work.info().toString());
  }

  /** The real server, but for its version. */
  private static DataSource claiming(DataSource pool, int major) {
    return proxy(
        DataSource.class,
        (self, method, arguments) -> {
          Object answer = call(pool, method, arguments);
          return answer instanceof Connection connection ? claiming(connection, major) : answer;
        });
  }

  private static Connection claiming(Connection connection, int major) {
    return proxy(
        Connection.class,
        (self, method, arguments) ->
            method.getName().equals("getMetaData")
                ? claiming(connection.getMetaData(), major)
                : call(connection, method, arguments));
  }

  private static DatabaseMetaData claiming(DatabaseMetaData metaData, int major) {
    return proxy(
        DatabaseMetaData.class,
        (self, method, arguments) ->
            switch (method.getName()) {
              case "getDatabaseMajorVersion" -> major;
              case "getDatabaseProductVersion" -> major + ".99";
              default -> call(metaData, method, arguments);
            });
  }

  private static Object call(Object target, Method method, Object[] arguments) throws Throwable {
    try {
      return method.invoke(target, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  private static <T> T proxy(Class<T> type, InvocationHandler handler) {
    return type.cast(
        Proxy.newProxyInstance(
            FactoryChecksIT.class.getClassLoader(), new Class<?>[] {type}, handler));
  }
}
