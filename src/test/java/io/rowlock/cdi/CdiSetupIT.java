package io.rowlock.cdi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowlock.IsolationLevel;
import io.rowlock.Rowlock;
import io.rowlock.retry.RetryPolicy;
import io.rowlock.testing.Postgres;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.Dependent;
import jakarta.enterprise.context.RequestScoped;
import jakarta.enterprise.context.SessionScoped;
import jakarta.enterprise.context.control.RequestContextController;
import jakarta.enterprise.inject.Produces;
import jakarta.enterprise.inject.se.SeContainer;
import jakarta.enterprise.inject.se.SeContainerInitializer;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.transaction.Transactional;
import java.io.Serializable;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Where the interceptors find their Rowlock, and what they say if they do not. */
class CdiSetupIT {

  @RegisterExtension static final Postgres db = new Postgres(Account.TABLE);

  private JtaUnit unit;

  @BeforeEach
  void open() {
    unit = JtaUnit.open(db.url(), Map.of("rowlock.attempts", 1), Account.class);
    Persistence.factory = unit.factory();
  }

  @AfterEach
  void close() {
    unit.close();
  }

  @Test
  void without_a_Rowlock_the_only_factory_is_taken_with_its_settings() {
    try (SeContainer container = start()) {
      assertThatThrownBy(() -> container.select(Service.class).get().fail())
          .hasMessageContaining("its policy allows 1 attempt");
    }
  }

  @Test
  void a_Rowlock_of_any_scope_is_used() {
    for (Class<?> producer :
        List.of(InSingleton.class, InDependent.class, InApplication.class, InRequest.class)) {
      try (SeContainer container = start(producer)) {
        RequestContextController request = container.select(RequestContextController.class).get();
        request.activate();
        assertThatThrownBy(() -> container.select(Service.class).get().fail())
            .as(producer.getSimpleName())
            .hasMessageContaining("its policy allows 2 attempts");
        request.deactivate();
      }
    }
  }

  @Test
  void several_Rowlocks_are_refused_and_the_remedy_is_named() {
    try (SeContainer container = start(InSingleton.class, InApplication.class)) {
      assertThatThrownBy(() -> container.select(Service.class).get().fail())
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("io.rowlock.Rowlock")
          .hasMessageContaining("qualifier");
    }
  }

  @Test
  void neither_Rowlock_nor_factory_is_refused_and_the_remedy_is_named() {
    try (SeContainer container =
        SeContainerInitializer.newInstance().addBeanClasses(Idle.class).initialize()) {
      assertThatThrownBy(() -> container.select(Idle.class).get().idle())
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("neither")
          .hasMessageContaining("@Produces");
    }
  }

  @Test
  void several_factories_without_a_Rowlock_are_refused_and_the_remedy_is_named() {
    try (SeContainer container =
        SeContainerInitializer.newInstance()
            .addBeanClasses(Idle.class, TwoFactories.class)
            .initialize()) {
      assertThatThrownBy(() -> container.select(Idle.class).get().idle())
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("several factories")
          .hasMessageContaining("@Produces");
    }
  }

  @Test
  void a_factory_whose_transactions_are_its_own_is_refused_and_the_remedy_is_named() {
    Persistence.factory = db.unit(Account.class).open().factory();
    try (SeContainer container = start()) {
      assertThatThrownBy(() -> container.select(Service.class).get().fail())
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("RESOURCE_LOCAL")
          .hasMessageContaining("Rowlock.call");
    }
  }

  @Test
  void a_bean_that_can_be_passivated_can_have_units() {
    try (SeContainer container = start(Passivated.class)) {
      assertThat(container.select(Passivated.class).isResolvable()).isTrue();
    }
  }

  @Test
  void more_than_one_isolation_level_is_refused() {
    try (SeContainer container = start()) {
      assertThatThrownBy(() -> container.select(Service.class).get().undecided())
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("undecided")
          .hasMessageContaining("SERIALIZABLE");
    }
  }

  private static SeContainer start(Class<?>... more) {
    return SeContainerInitializer.newInstance()
        .addBeanClasses(Persistence.class, Service.class)
        .addBeanClasses(more)
        .initialize();
  }

  @ApplicationScoped
  public static class Service {

    @Inject EntityManager entityManager;

    @RetryTransaction
    @Transactional
    public void fail() {
      Sql.raise(entityManager, "40001");
    }

    @RetryTransaction(isolation = {IsolationLevel.READ_COMMITTED, IsolationLevel.SERIALIZABLE})
    @Transactional
    public void undecided() {}
  }

  @SessionScoped
  public static class Passivated implements Serializable {
    private static final long serialVersionUID = 1L;

    @RetryTransaction
    @Transactional
    public void unit() {}
  }

  private static Rowlock twoAttempts(EntityManagerFactory factory) {
    return Rowlock.builder(factory).retry(RetryPolicy.defaults().withMaxAttempts(2)).build();
  }

  @Dependent
  public static class InSingleton {
    @Produces
    @Singleton
    Rowlock rowlock(EntityManagerFactory factory) {
      return twoAttempts(factory);
    }
  }

  @Dependent
  public static class InDependent {
    @Produces
    Rowlock rowlock(EntityManagerFactory factory) {
      return twoAttempts(factory);
    }
  }

  @Dependent
  public static class InApplication {
    @Produces
    @ApplicationScoped
    Rowlock rowlock(EntityManagerFactory factory) {
      return twoAttempts(factory);
    }
  }

  @Dependent
  public static class InRequest {
    @Produces
    @RequestScoped
    Rowlock rowlock(EntityManagerFactory factory) {
      return twoAttempts(factory);
    }
  }

  @ApplicationScoped
  public static class Idle {
    @RetryTransaction
    @Transactional
    public void idle() {}
  }

  @Dependent
  public static class TwoFactories {
    @Produces
    @ApplicationScoped
    EntityManagerFactory first() {
      return Persistence.factory;
    }

    @Produces
    @ApplicationScoped
    EntityManagerFactory second() {
      return Persistence.factory;
    }
  }
}
