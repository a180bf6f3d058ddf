package io.rowlock.internal;

import io.rowlock.IsolationLevel;
import io.rowlock.UnitInfo;
import io.rowlock.internal.AttemptOutcome.Failed;
import io.rowlock.internal.hibernate.JtaTransactions;
import io.rowlock.internal.hibernate.ReuseGuard;
import org.jspecify.annotations.Nullable;

/**
 * The attempts of a call for which the container begins and ends a transaction each time. For the
 * thread that calls.
 *
 * @param <T> the result's type
 */
final class OwnCall<T extends @Nullable Object> implements Attempt<T> {

  private final UnitEngine engine;
  private final JtaTransactions jta;
  private final UnitPlan plan;
  private final IsolationLevel isolation;
  private final ContainerCall<T> call;
  private final ReuseGuard guard;
  private final AfterCommit afterCommit = new AfterCommit();

  OwnCall(
      UnitEngine engine,
      JtaTransactions jta,
      UnitPlan plan,
      IsolationLevel isolation,
      ContainerCall<T> call) {
    this.engine = engine;
    this.jta = jta;
    this.plan = plan;
    this.isolation = isolation;
    this.call = call;
    this.guard = engine.factory().reuseGuard();
  }

  @Override
  public AttemptOutcome<T> run(UnitInfo info, Deadline deadline) {
    afterCommit.clear();
    OwnAttempt attempt =
        new OwnAttempt(engine, jta, plan, isolation, info, deadline, guard, afterCommit);
    AttemptOutcome<T> outcome = run(attempt);
    if (outcome instanceof Failed<T> failed) {
      outcome = attempt.settle(failed);
      guard.attemptFailed(
          info, outcome instanceof Failed<T> settled && plan.mayRunAgain(info, settled));
    }
    return outcome;
  }

  @Override
  public @Nullable Throwable afterCommit() {
    return afterCommit.run();
  }

  private AttemptOutcome<T> run(OwnAttempt attempt) {
    try {
      return attempt.returned(call.proceed(attempt));
    } catch (Throwable e) {
      return attempt.threw(e);
    } finally {
      attempt.close();
    }
  }
}
