package io.rowlock.unit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowlock.LockNotAvailableException;
import io.rowlock.MissingRowsException;
import io.rowlock.Rowlock;
import io.rowlock.UnitOfWork;
import io.rowlock.lock.Locking;
import io.rowlock.testing.Postgres;
import io.rowlock.testing.Rival;
import io.rowlock.testing.TestUnit;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Produces;
import jakarta.persistence.EntityManager;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;
import org.hibernate.engine.spi.SessionImplementor;
import org.jboss.weld.environment.se.Weld;
import org.jboss.weld.environment.se.WeldContainer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Promise A6: the operations work on a transaction that Rowlock did not begin, all but the rerun.
 */
class ForeignTransactionIT {

  @RegisterExtension static final Postgres db = new Postgres(Tag.TABLE);

  static TestUnit unit;
  static Rowlock rowlock;

  EntityManager em;

  @BeforeAll
  static void open() {
    unit = db.unit(Tag.class).open();
    rowlock = Rowlock.of(unit.factory());
  }

  @BeforeEach
  void begin() throws Exception {
    db.execute("truncate tag", "insert into tag values (1, 'a', 10), (2, 'b', 20)");
    em = unit.factory().createEntityManager();
    em.getTransaction().begin();
  }

  @AfterEach
  void end() {
    if (em.isOpen()) {
      if (em.getTransaction().isActive()) {
        em.getTransaction().rollback();
      }
      em.close();
    }
  }

  @Test
  void the_operation_is_part_of_the_transaction_and_its_end_is_left_to_its_owner()
      throws Exception {
    rowlock.on(em).<Long, Tag>lock(Tag.class, List.of(1L)).get(1L).n++;

    assertThat(em.getTransaction().isActive()).isTrue();
    assertThat(db.number("select n from tag where id = 1")).isEqualTo(10);
    em.getTransaction().commit();
    assertThat(db.number("select n from tag where id = 1")).isEqualTo(11);
  }

  @Test
  void the_isolation_level_and_the_timeouts_stay_as_they_are() {
    em.createNativeQuery("set transaction isolation level repeatable read").executeUpdate();

    rowlock.on(em).lock(Tag.class, List.of(1L));

    assertThat(
            em.createNativeQuery(
                    "select current_setting('transaction_isolation') || ' '"
                        + " || current_setting('lock_timeout')")
                .getSingleResult())
        .isEqualTo("repeatable read 0");
  }

  @Test
  void the_unit_shows_the_entity_manager_that_was_given() {
    assertThat(rowlock.on(em).entityManager()).isSameAs(em);
    assertThat(rowlock.on(em).info().maxAttempts()).isOne();
  }

  @Test
  void a_failure_that_the_server_raised_leaves_the_transaction_marked_for_rollback()
      throws Exception {
    Rival rival = db.rival();
    rival.execute("select from tag where id = 1 for update");
    UnitOfWork work = rowlock.on(em);

    assertThatThrownBy(() -> work.lock(Tag.class, List.of(1L), Locking.defaults().noWait()))
        .isInstanceOf(LockNotAvailableException.class);

    assertThat(em.getTransaction().getRollbackOnly()).isTrue();
  }

  @Test
  void a_refusal_before_anything_was_done_leaves_the_transaction_usable() {
    assertThatThrownBy(() -> rowlock.on(em).lock(Tag.class, List.of(1L, 99L)))
        .isInstanceOf(MissingRowsException.class);
    assertThatThrownBy(() -> rowlock.on(em).lock(String.class, List.of(1L)))
        .isInstanceOf(IllegalArgumentException.class);

    assertThat(em.getTransaction().getRollbackOnly()).isFalse();
  }

  @Test
  void a_transaction_begun_elsewhere_is_never_run_again() {
    assertThatThrownBy(
            () -> {
              em.createNativeQuery("set transaction isolation level repeatable read")
                  .executeUpdate();
              em.find(Tag.class, 2L);
              db.execute("update tag set n = n + 1 where id = 1");
              rowlock.on(em).lock(Tag.class, List.of(1L));
            })
        .rootCause()
        .hasMessageContaining("could not serialize");
    assertThat(em.getTransaction().getRollbackOnly()).isTrue();
  }

  @Test
  void inside_a_unit_its_own_entity_manager_is_that_unit() {
    rowlock.run(work -> assertThat(rowlock.on(work.entityManager())).isSameAs(work));
  }

  @Test
  void a_closed_entity_manager_is_refused() {
    em.getTransaction().rollback();
    em.close();

    assertThatThrownBy(() -> rowlock.on(em))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("closed");
  }

  @Test
  void an_entity_manager_without_a_transaction_is_refused() {
    em.getTransaction().rollback();

    assertThatThrownBy(() -> rowlock.on(em))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("no active transaction");
  }

  @Test
  void an_entity_manager_of_another_factory_is_refused() {
    Rowlock other = Rowlock.of(db.unit(Tag.class).open().factory());

    assertThatThrownBy(() -> other.on(em))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("another factory");
  }

  @Test
  void an_entity_manager_that_is_not_hibernates_is_refused() {
    EntityManager foreign =
        proxy(
            (proxy, method, arguments) -> {
              throw new jakarta.persistence.PersistenceException("no such class here");
            });

    assertThatThrownBy(() -> rowlock.on(foreign))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("Hibernate");
    assertThatThrownBy(() -> rowlock.on(null)).isInstanceOf(NullPointerException.class);
  }

  @Test
  void a_proxy_that_hands_every_call_on_will_do() {
    EntityManager proxy =
        proxy(
            (self, method, arguments) -> {
              try {
                return method.invoke(em, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });

    assertThat(rowlock.on(proxy).lock(Tag.class, List.of(1L))).hasSize(1);
  }

  /** The proxy answers itself where the session answers itself, so that it cannot be unwrapped. */
  @Test
  void a_client_proxy_of_cdi_will_do() {
    Producer.produced = em;
    try (WeldContainer container =
        new Weld().disableDiscovery().addBeanClass(Producer.class).initialize()) {
      EntityManager proxy = container.select(EntityManager.class).get();
      assertThat(proxy).isNotSameAs(em);
      assertThatThrownBy(() -> proxy.unwrap(SessionImplementor.class).getFactory())
          .isInstanceOf(ClassCastException.class);

      assertThat(rowlock.on(proxy).lock(Tag.class, List.of(1L))).hasSize(1);
    }
  }

  /** Gives the container an entity manager of a normal scope. */
  static class Producer {
    static EntityManager produced;

    @Produces
    @ApplicationScoped
    EntityManager entityManager() {
      return produced;
    }
  }

  private static EntityManager proxy(java.lang.reflect.InvocationHandler handler) {
    return (EntityManager)
        Proxy.newProxyInstance(
            EntityManager.class.getClassLoader(), new Class<?>[] {EntityManager.class}, handler);
  }
}
