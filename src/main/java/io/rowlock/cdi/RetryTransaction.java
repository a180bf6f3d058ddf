package io.rowlock.cdi;

import io.rowlock.IsolationLevel;
import io.rowlock.Rowlock;
import io.rowlock.RowlockListener;
import io.rowlock.UnitRunner;
import io.rowlock.retry.FailureKind;
import io.rowlock.retry.RetryPolicy;
import jakarta.enterprise.util.Nonbinding;
import jakarta.interceptor.InterceptorBinding;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Makes each call of the method, or of every method of the class, a unit of work. Stands beside
 * {@link jakarta.transaction.Transactional}, in any order, on the method or on the class:
 *
 * <pre>{@code
 * @ApplicationScoped
 * public class Articles {
 *
 *   @Inject EntityManager entityManager;
 *   @Inject Rowlock rowlock;
 *
 *   @RetryTransaction
 *   @Transactional
 *   public Article publish(String slug, String title) {
 *     return rowlock.on(entityManager).getOrCreate(new Article(slug, title)).entity();
 *   }
 * }
 * }</pre>
 *
 * <p>The rerun is outside of the transaction: {@code @Transactional} begins and ends one for each
 * attempt. When PostgreSQL aborts it with 40001 or 40P01, in a statement or as late as in its
 * COMMIT, it is rolled back and the method is called again with the same arguments. What {@link
 * UnitRunner#call} says of results, failures and exceptions holds here too. In particular, a method
 * that returns normally although its transaction can no longer commit ends with {@link
 * io.rowlock.SwallowedFailureException}, where {@code @Transactional} alone would be silent.
 *
 * <p>A call inside a running transaction joins it and is never run again on its own, unless it is
 * {@link jakarta.transaction.Transactional.TxType#REQUIRES_NEW}, which makes it a unit of its own.
 * Only the outermost unit is run again. A transaction that something else began is never run again.
 * The isolation level of a running transaction is never changed: asking for another one is an
 * {@link IllegalStateException}.
 *
 * <p>Without an active transaction the method is not called: an {@link IllegalStateException} asks
 * for {@code @Transactional}. Where its value leaves no doubt ({@code NEVER}, {@code
 * NOT_SUPPORTED}), the deployment fails. Its {@code rollbackOn} and {@code dontRollbackOn} decide
 * as ever whether an exception commits; after a commit nothing is run again.
 *
 * <p>The persistence context of a transaction ends with it, so that each attempt has a fresh one.
 * One that lives longer (of a request, or application-managed) is cleared by Hibernate when the
 * transaction that it had joined is rolled back. One that never joined, because it is
 * unsynchronized, is out of sight and must be cleared by the method.
 *
 * <p>The units run by the application's bean of type {@link Rowlock} or, without one, by {@link
 * Rowlock#of} the only bean of type {@link jakarta.persistence.EntityManagerFactory}. The factory's
 * transactions must be those of JTA.
 *
 * <p>As with every interceptor, calls that do not come through the container are not intercepted: a
 * call by {@code this} (Weld does not see it, Quarkus does; there it joins), or of an object made
 * by {@code new}. A call by {@code this} inside a unit is a part of that unit. Private, static and
 * final methods are never intercepted, and the deployment fails if one has the annotation. A bean
 * that calls another of its own methods through an injected reference to itself should have public
 * methods with public types: Weld does not intercept others then.
 *
 * <p>The method must do its work before it returns: the deployment fails if one answers a future or
 * a publisher. Where the container does not look or the signature does not tell, the first call
 * fails with an {@link IllegalStateException} or a {@link io.rowlock.UnitMisuseException}. What
 * other threads do is not part of the unit.
 *
 * <p>A transaction that its manager gives up, because its timeout has passed, ends the unit with a
 * {@link io.rowlock.TransactionTimeoutException}; it is not run again.
 */
@Documented
@Inherited
@InterceptorBinding
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD})
public @interface RetryTransaction {

  /**
   * Names the unit for messages and for {@link RowlockListener}. Default: the names of the class
   * and the method, {@code Articles.publish}.
   */
  @Nonbinding
  String name() default "";

  /**
   * The largest number of attempts, the first one included; {@code 0}, the default, stands for that
   * of the {@link Rowlock}.
   */
  @Nonbinding
  int attempts() default 0;

  /**
   * The time that all attempts and pauses together may take, written as in the setting {@code
   * rowlock.deadline}: {@code 250ms}, {@code 10s}, {@code 5min}, {@code PT10S}, or {@code none}.
   * Empty, the default, stands for the deadline of the {@link Rowlock}. It also bounds the lock and
   * statement timeouts of each attempt; the transaction manager's own timeout stays as it is.
   */
  @Nonbinding
  String deadline() default "";

  /**
   * The isolation level, at most one; none, the default, stands for that of the {@link Rowlock}.
   */
  @Nonbinding
  IsolationLevel[] isolation() default {};

  /**
   * Failures after which the unit is run again besides the usual ones; see {@link
   * RetryPolicy#alsoAfter}.
   */
  @Nonbinding
  FailureKind[] alsoAfter() default {};

  /**
   * Unique constraints whose violation is followed by a rerun; see {@link
   * RetryPolicy#alsoAfterViolationOf}.
   */
  @Nonbinding
  String[] alsoAfterViolationOf() default {};
}
