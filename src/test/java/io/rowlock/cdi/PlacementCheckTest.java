package io.rowlock.cdi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowable;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.Dependent;
import jakarta.enterprise.inject.se.SeContainer;
import jakarta.enterprise.inject.se.SeContainerInitializer;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A6 (C53): what could never be a unit of work is refused when the application is deployed. */
class PlacementCheckTest {

  @Test
  void a_private_method_is_refused() {
    assertThat(refusalOf(PrivateMethod.class))
        .contains("PrivateMethod.unit", "a private method is never intercepted", "public method");
  }

  @Test
  void a_private_method_of_a_parent_class_is_refused() {
    assertThat(refusalOf(OfPrivateMethod.class)).contains("PrivateMethod.unit", "private");
  }

  @Test
  void a_static_method_is_refused() {
    assertThat(refusalOf(StaticMethod.class))
        .contains("StaticMethod.unit", "a static method is never intercepted");
  }

  /** Weld refuses it too, and its words come first. */
  @Test
  void a_final_method_is_refused() {
    assertThat(refusalOf(FinalMethod.class)).contains("FinalMethod.unit", "final");
  }

  @ParameterizedTest
  @ValueSource(
      classes = {AnswersStage.class, AnswersFuture.class, AnswersPublisher.class, OnTheClass.class})
  void a_method_that_answers_before_its_work_is_done_is_refused(Class<?> bean) {
    assertThat(refusalOf(bean))
        .contains(bean.getSimpleName() + ".unit", "does its work before it returns");
  }

  @ParameterizedTest
  @ValueSource(classes = {NeverInTransaction.class, OutsideOfTransaction.class})
  void a_method_that_never_has_a_transaction_is_refused(Class<?> bean) {
    assertThat(refusalOf(bean))
        .contains(bean.getSimpleName() + ".unit", "never has a transaction", "REQUIRES_NEW");
  }

  @Test
  void everything_wrong_is_told_at_once() {
    assertThat(refusalOf(PrivateMethod.class, StaticMethod.class))
        .contains("PrivateMethod.unit", "StaticMethod.unit");
  }

  @Test
  void methods_beside_a_unit_may_be_of_any_kind() {
    assertThatCode(() -> deploy(Fine.class, FineOnTheClass.class)).doesNotThrowAnyException();
  }

  private static void deploy(Class<?>... beans) {
    try (SeContainer container =
        SeContainerInitializer.newInstance()
            .disableDiscovery()
            .addBeanClasses(Rowlocks.class, RetryInterceptor.class, AttemptInterceptor.class)
            .addBeanClasses(beans)
            .initialize()) {
      assertThat(container.isRunning()).isTrue();
    }
  }

  private static String refusalOf(Class<?>... beans) {
    Throwable refusal = catchThrowable(() -> deploy(beans));
    assertThat(refusal).as("the refusal of the deployment").isNotNull();
    StringBuilder all = new StringBuilder();
    for (Throwable link = refusal; link != null; link = link.getCause()) {
      all.append(link).append('\n');
      for (Throwable further : link.getSuppressed()) {
        all.append(further).append('\n');
      }
    }
    return all.toString();
  }

  @ApplicationScoped
  static class PrivateMethod {
    @RetryTransaction
    @Transactional
    private void unit() {}

    public void callsIt() {
      unit();
    }
  }

  @ApplicationScoped
  static class OfPrivateMethod extends PrivateMethod {}

  @ApplicationScoped
  static class StaticMethod {
    @RetryTransaction
    @Transactional
    public static void unit() {}
  }

  @Dependent
  static class FinalMethod {
    @RetryTransaction
    @Transactional
    public final void unit() {}
  }

  @ApplicationScoped
  static class AnswersStage {
    @RetryTransaction
    @Transactional
    public CompletionStage<String> unit() {
      return CompletableFuture.completedStage("");
    }
  }

  @ApplicationScoped
  static class AnswersFuture {
    @RetryTransaction
    @Transactional
    public Future<String> unit() {
      return CompletableFuture.completedFuture("");
    }
  }

  interface Numbers extends Flow.Publisher<Integer> {}

  @ApplicationScoped
  static class AnswersPublisher {
    @RetryTransaction
    @Transactional
    public Numbers unit() {
      return subscriber -> {};
    }
  }

  @ApplicationScoped
  @RetryTransaction
  @Transactional
  static class OnTheClass {
    public CompletableFuture<String> unit() {
      return CompletableFuture.completedFuture("");
    }
  }

  @ApplicationScoped
  static class NeverInTransaction {
    @RetryTransaction
    @Transactional(TxType.NEVER)
    public void unit() {}
  }

  @ApplicationScoped
  @Transactional(TxType.NOT_SUPPORTED)
  static class OutsideOfTransaction {
    @RetryTransaction
    public void unit() {}
  }

  @ApplicationScoped
  static class Fine {
    @RetryTransaction
    @Transactional
    public String unit() {
      return helper() + other();
    }

    @RetryTransaction
    @Transactional(TxType.MANDATORY)
    void mandatory() {}

    private String helper() {
      return "";
    }

    static String other() {
      return "";
    }

    public CompletionStage<String> later() {
      return CompletableFuture.completedStage(unit());
    }
  }

  @ApplicationScoped
  @RetryTransaction
  @Transactional
  static class FineOnTheClass {
    public String unit() {
      return helper().join() + other().join();
    }

    @Transactional(TxType.REQUIRES_NEW)
    protected void another() {}

    private CompletableFuture<String> helper() {
      return CompletableFuture.completedFuture("");
    }

    static CompletableFuture<String> other() {
      return CompletableFuture.completedFuture("");
    }
  }
}
