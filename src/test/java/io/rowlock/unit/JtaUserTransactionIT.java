package io.rowlock.unit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.arjuna.ats.jta.common.jtaPropertyManager;
import io.rowlock.IsolationLevel;
import io.rowlock.Rowlock;
import io.rowlock.TransactionTimeoutException;
import io.rowlock.UnitMisuseException;
import io.rowlock.internal.postgres.FailureClassifier;
import io.rowlock.retry.FailureKind;
import io.rowlock.testing.Await;
import io.rowlock.testing.Postgres;
import io.rowlock.testing.Rival;
import io.rowlock.testing.TestUnit;
import jakarta.persistence.EntityManager;
import jakarta.transaction.Status;
import jakarta.transaction.Synchronization;
import jakarta.transaction.SystemException;
import jakarta.transaction.Transaction;
import jakarta.transaction.TransactionManager;
import jakarta.transaction.TransactionSynchronizationRegistry;
import jakarta.transaction.UserTransaction;
import java.lang.reflect.Proxy;
import java.sql.SQLException;
import java.util.Hashtable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import javax.naming.Context;
import javax.naming.NameNotFoundException;
import javax.naming.spi.InitialContextFactory;
import org.hibernate.engine.transaction.jta.platform.spi.JtaPlatform;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Promises A1 to A6 where a container gives what it must, and no more: {@code UserTransaction} and
 * the synchronization registry under its name.
 */
class JtaUserTransactionIT {

  private static final String INITIAL_CONTEXT = "java.naming.factory.initial";

  @RegisterExtension
  static final Postgres db =
      new Postgres(
          Tag.TABLE,
          "create table late (id bigint, constraint late_key unique (id) deferrable initially deferred)");

  static final UserTransaction user = com.arjuna.ats.jta.UserTransaction.userTransaction();

  /** The test's alone. */
  static final TransactionManager manager =
      com.arjuna.ats.jta.TransactionManager.transactionManager();

  static TestUnit unit;
  static Rowlock rowlock;

  final AtomicInteger attempts = new AtomicInteger();

  @BeforeAll
  static void open() {
    System.setProperty(INITIAL_CONTEXT, Names.class.getName());
    unit =
        db.unit(Tag.class)
            .jta()
            .poolSize(5)
            .property("hibernate.transaction.jta.platform", new Platform())
            // Hibernate would suspend transactions by the manager to ask the database for these
            .property("hibernate.boot.allow_jdbc_metadata_access", "false")
            .property("jakarta.persistence.database-product-name", "PostgreSQL")
            .property("jakarta.persistence.database-major-version", "14")
            .open();
    rowlock = Rowlock.of(unit.factory());
  }

  @AfterAll
  static void noNames() {
    System.clearProperty(INITIAL_CONTEXT);
  }

  @BeforeEach
  void rows() throws Exception {
    db.execute("truncate tag, late", "insert into tag values (1, 'a', 10), (2, 'b', 20)");
  }

  @AfterEach
  void no_transaction_is_left_on_the_thread() throws Exception {
    assertThat(user.getStatus()).isEqualTo(Status.STATUS_NO_TRANSACTION);
    assertThat(unit.pool().getMetrics().activeCount()).isZero();
  }

  @Test
  void a_deadlock_runs_the_unit_again() throws Exception {
    rowlock.run(
        work -> {
          if (attempts.incrementAndGet() == 1) {
            Conflicts.deadlock(db, work.entityManager());
          }
          work.entityManager().find(Tag.class, 1L).n++;
        });

    assertThat(attempts).hasValue(2);
    assertThat(db.column("select n from tag order by id")).containsExactly(111, 120);
  }

  @Test
  void write_skew_that_only_the_commit_reports_runs_again() throws Exception {
    rowlock
        .isolation(IsolationLevel.SERIALIZABLE)
        .run(
            work -> {
              EntityManager em = work.entityManager();
              em.createNativeQuery("select sum(n) from tag").getSingleResult();
              em.find(Tag.class, 1L).n++;
              em.flush();
              if (attempts.incrementAndGet() == 1) {
                Rival rival = db.rival();
                rival.execute("set transaction isolation level serializable");
                rival.one("select sum(n) from tag");
                rival.execute("update tag set n = n + 100 where id = 2");
                rival.commit();
              }
            });

    assertThat(attempts).hasValue(2);
    assertThat(db.column("select n from tag order by id")).containsExactly(11, 120);
  }

  @Test
  void a_deferred_constraint_violated_at_commit_keeps_its_state_and_name() {
    Throwable thrown =
        catchThrowable(
            () ->
                rowlock.run(
                    work -> {
                      attempts.incrementAndGet();
                      work.entityManager()
                          .createNativeQuery("insert into late values (1), (1)")
                          .executeUpdate();
                    }));

    assertThat(thrown)
        .hasMessageContaining("late_key")
        .cause()
        .isInstanceOf(SQLException.class)
        .extracting(cause -> ((SQLException) cause).getSQLState())
        .isEqualTo("23505");
    assertThat(FailureClassifier.classify(thrown).kind()).isEqualTo(FailureKind.UNIQUE_VIOLATION);
    assertThat(attempts).hasValue(1);
  }

  @Test
  void a_unit_in_a_transaction_that_the_user_began_joins_it_and_is_not_run_again()
      throws Exception {
    user.begin();
    try {
      Throwable thrown =
          catchThrowable(
              () ->
                  rowlock.run(
                      work -> {
                        attempts.incrementAndGet();
                        Conflicts.raise(work.entityManager(), "40001");
                      }));
      assertThat(FailureClassifier.classify(thrown).kind())
          .isEqualTo(FailureKind.SERIALIZATION_FAILURE);
      assertThat(user.getStatus()).isEqualTo(Status.STATUS_MARKED_ROLLBACK);
    } finally {
      user.rollback();
    }
    assertThat(attempts).hasValue(1);
  }

  @Test
  void nested_units_join_the_outermost_one_which_runs_again() throws Exception {
    rowlock.run(
        work ->
            rowlock.run(
                joined -> {
                  assertThat(joined.entityManager()).isSameAs(work.entityManager());
                  joined.entityManager().find(Tag.class, 1L).n++;
                  joined.entityManager().flush();
                  if (attempts.incrementAndGet() == 1) {
                    Conflicts.raise(joined.entityManager(), "40P01");
                  }
                }));

    assertThat(attempts).hasValue(2);
    assertThat(db.number("select n from tag where id = 1")).isEqualTo(11);
  }

  /** Only the registry tells one transaction from another. */
  @Test
  void a_unit_started_while_the_outer_transaction_is_suspended_is_a_unit_of_its_own()
      throws Exception {
    assertThatThrownBy(
            () ->
                rowlock.run(
                    work -> {
                      work.entityManager().find(Tag.class, 1L).n++;
                      Transaction outer = manager.suspend();
                      user.begin();
                      rowlock.run(own -> own.entityManager().find(Tag.class, 2L).n++);
                      user.commit();
                      manager.resume(outer);
                      throw new Exception("the outer one only");
                    }))
        .hasMessage("the outer one only");

    assertThat(db.column("select n from tag order by id")).containsExactly(10, 21);
  }

  @Test
  void a_transaction_that_the_function_begins_is_refused_and_one_that_it_commits_prevented()
      throws Exception {
    assertThatThrownBy(() -> rowlock.run(work -> user.begin()))
        .isInstanceOf(jakarta.transaction.NotSupportedException.class);
    assertThatThrownBy(
            () ->
                rowlock.run(
                    work -> {
                      work.entityManager().find(Tag.class, 1L).n++;
                      user.commit();
                    }))
        .isInstanceOf(UnitMisuseException.class)
        .hasMessageContaining("was about to commit its transaction itself, which was prevented");
    assertThatThrownBy(() -> rowlock.run(work -> user.rollback()))
        .isInstanceOf(UnitMisuseException.class)
        .hasMessageContaining("rolled its transaction back itself");
    assertThat(db.number("select n from tag where id = 1")).isEqualTo(10);
  }

  /** The one that is suspended cannot be reached without a manager. */
  @Test
  void a_transaction_that_the_function_leaves_on_its_thread_is_told_and_rolled_back()
      throws Exception {
    AtomicReference<Transaction> suspended = new AtomicReference<>();

    assertThatThrownBy(
            () ->
                rowlock.run(
                    work -> {
                      work.entityManager().find(Tag.class, 1L).n++;
                      work.entityManager().flush();
                      suspended.set(manager.suspend());
                      user.begin();
                    }))
        .isInstanceOf(UnitMisuseException.class)
        .hasMessageContaining("left another one on its thread");
    manager.resume(suspended.get());
    manager.rollback();
    assertThat(db.number("select n from tag where id = 1")).isEqualTo(10);
  }

  @Test
  void a_transaction_that_timed_out_is_told_as_that() throws Exception {
    user.setTransactionTimeout(1);
    try {
      assertThatThrownBy(
              () ->
                  rowlock.run(
                      work -> {
                        work.entityManager().find(Tag.class, 1L).n++;
                        work.entityManager().flush();
                        Await.until(
                            "the transaction manager has rolled back",
                            () -> user.getStatus() == Status.STATUS_ROLLEDBACK);
                      }))
          .isInstanceOf(TransactionTimeoutException.class);
    } finally {
      user.setTransactionTimeout(0);
    }
    assertThat(db.number("select n from tag where id = 1")).isEqualTo(10);
  }

  /** What Hibernate sees of a container without a transaction manager. */
  static final class Platform implements JtaPlatform {

    private static final long serialVersionUID = 1L;

    private final transient TransactionSynchronizationRegistry registry = registry();

    @Override
    public TransactionManager retrieveTransactionManager() {
      return null;
    }

    @Override
    public UserTransaction retrieveUserTransaction() {
      return user;
    }

    @Override
    public Object getTransactionIdentifier(Transaction transaction) {
      return transaction;
    }

    @Override
    public boolean canRegisterSynchronization() {
      return registry.getTransactionStatus() == Status.STATUS_ACTIVE;
    }

    @Override
    public void registerSynchronization(Synchronization synchronization) {
      registry.registerInterposedSynchronization(synchronization);
    }

    @Override
    public int getCurrentStatus() throws SystemException {
      return user.getStatus();
    }
  }

  private static TransactionSynchronizationRegistry registry() {
    return jtaPropertyManager.getJTAEnvironmentBean().getTransactionSynchronizationRegistry();
  }

  /** The names of a container, as far as they are needed. */
  public static final class Names implements InitialContextFactory {

    @Override
    public Context getInitialContext(Hashtable<?, ?> environment) {
      return (Context)
          Proxy.newProxyInstance(
              Context.class.getClassLoader(),
              new Class<?>[] {Context.class},
              (proxy, method, arguments) -> {
                if (!method.getName().equals("lookup")) {
                  return null;
                }
                if (arguments[0].equals("java:comp/TransactionSynchronizationRegistry")) {
                  return registry();
                }
                throw new NameNotFoundException(String.valueOf(arguments[0]));
              });
    }
  }
}
