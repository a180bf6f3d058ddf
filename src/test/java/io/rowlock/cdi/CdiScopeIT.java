package io.rowlock.cdi;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.Dependent;
import jakarta.enterprise.context.RequestScoped;
import jakarta.enterprise.context.control.ActivateRequestContext;
import jakarta.enterprise.context.control.RequestContextController;
import jakarta.enterprise.inject.Disposes;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Inject;
import jakarta.inject.Qualifier;
import jakarta.interceptor.AroundInvoke;
import jakarta.interceptor.Interceptor;
import jakarta.interceptor.InterceptorBinding;
import jakarta.interceptor.InvocationContext;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.transaction.Status;
import jakarta.transaction.Synchronization;
import jakarta.transaction.Transactional;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A1, A10 (C33, C34): what belongs to an attempt ends with it, in whatever scope it was. */
class CdiScopeIT extends CdiTest {

  @Override
  Class<?>[] moreBeans() {
    return new Class<?>[] {LongLived.class, Requests.class, Note.class, Doubling.class};
  }

  @Test
  void A1_an_entity_manager_of_the_request_is_cleared_between_attempts() throws Exception {
    RequestContextController request = container.bean(RequestContextController.class);
    request.activate();
    try {
      List<Account> seen = new ArrayList<>();

      container
          .bean(Requests.class)
          .unit(
              em -> {
                Account account = em.find(Account.class, 1L);
                seen.add(account);
                account.balance++;
                em.flush();
                if (seen.size() == 1) {
                  Sql.raise(em, "40001");
                }
                return null;
              });

      assertThat(seen.get(0)).isNotSameAs(seen.get(1));
      assertThat(balance(1)).isEqualTo(11);
    } finally {
      request.deactivate();
    }
  }

  @Test
  void A1_a_request_context_that_is_activated_for_the_call_is_that_of_one_attempt()
      throws Exception {
    List<Integer> counts = new ArrayList<>();

    container.bean(Requests.class).inRequest(counts);

    assertThat(counts).containsExactly(1, 1);
  }

  @Test
  void A1_each_attempt_gets_the_arguments_of_the_call() throws Exception {
    List<Long> given = new ArrayList<>();

    container.bean(Requests.class).doubled(1L, given);

    assertThat(given).containsExactly(2L, 2L);
  }

  @Test
  void A10_a_synchronization_hears_of_the_commit_of_its_own_attempt_only() throws Exception {
    List<String> heard = new ArrayList<>();

    accounts()
        .unit(
            em -> {
              int attempt = heard.size() + 1;
              JtaUnit.transactionManager()
                  .getTransaction()
                  .registerSynchronization(
                      new Synchronization() {
                        @Override
                        public void beforeCompletion() {}

                        @Override
                        public void afterCompletion(int status) {
                          heard.add(
                              attempt
                                  + (status == Status.STATUS_COMMITTED
                                      ? " committed"
                                      : " rolled back"));
                        }
                      });
              if (attempt == 1) {
                Sql.raise(em, "40001");
              }
              return null;
            });

    assertThat(heard).containsExactly("1 rolled back", "2 committed");
  }

  @Qualifier
  @Retention(RetentionPolicy.RUNTIME)
  @interface OfRequest {}

  @Dependent
  public static class LongLived {
    @Produces
    @RequestScoped
    @OfRequest
    EntityManager entityManager(EntityManagerFactory factory) {
      return factory.createEntityManager();
    }

    void close(@Disposes @OfRequest EntityManager entityManager) {
      entityManager.close();
    }
  }

  @RequestScoped
  public static class Note {
    private int count;

    int next() {
      return ++count;
    }
  }

  @InterceptorBinding
  @Retention(RetentionPolicy.RUNTIME)
  @interface Doubled {}

  @Interceptor
  @Doubled
  @Priority(Interceptor.Priority.APPLICATION)
  public static class Doubling {
    @AroundInvoke
    Object doubled(InvocationContext call) throws Exception {
      Object[] parameters = call.getParameters();
      parameters[0] = (Long) parameters[0] * 2;
      call.setParameters(parameters);
      return call.proceed();
    }
  }

  @ApplicationScoped
  public static class Requests {

    @Inject EntityManager entityManager;
    @Inject @OfRequest EntityManager ofRequest;
    @Inject Note note;

    @RetryTransaction
    @Transactional
    public <T> T unit(Work<T> work) throws Exception {
      return work.in(ofRequest);
    }

    @ActivateRequestContext
    @RetryTransaction
    @Transactional
    public void inRequest(List<Integer> counts) {
      counts.add(note.next());
      if (counts.size() == 1) {
        Sql.raise(entityManager, "40001");
      }
    }

    @RetryTransaction
    @Transactional
    @Doubled
    public void doubled(Long number, List<Long> given) {
      given.add(number);
      if (given.size() == 1) {
        Sql.raise(entityManager, "40001");
      }
    }
  }
}
