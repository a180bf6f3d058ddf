package io.rowlock.internal;

import io.rowlock.IsolationLevel;
import io.rowlock.UnitInfo;
import io.rowlock.internal.hibernate.JtaTransactions;
import org.jspecify.annotations.Nullable;

/**
 * The attempts of a call for which the container begins and ends a transaction each time.
 *
 * @param <T> the result's type
 */
record OwnCall<T extends @Nullable Object>(
    UnitEngine engine,
    JtaTransactions jta,
    UnitPlan plan,
    IsolationLevel isolation,
    ContainerCall<T> call)
    implements Attempt<T> {

  @Override
  public AttemptOutcome<T> run(UnitInfo info, Deadline deadline) {
    OwnAttempt attempt = new OwnAttempt(engine, jta, plan, isolation, info, deadline);
    try {
      return attempt.returned(call.proceed(attempt));
    } catch (Throwable e) {
      return attempt.threw(e);
    } finally {
      attempt.close();
    }
  }
}
