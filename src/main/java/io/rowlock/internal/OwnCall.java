package io.rowlock.internal;

import io.rowlock.UnitInfo;
import org.jspecify.annotations.Nullable;

/**
 * One attempt of a call for which the container begins and ends a transaction.
 *
 * @param <T> the result's type
 */
record OwnCall<T extends @Nullable Object>(UnitEngine engine, UnitSpec spec, ContainerCall<T> call)
    implements Attempt<T> {

  @Override
  public AttemptOutcome<T> run(UnitInfo info, Deadline deadline) {
    OwnAttempt attempt = new OwnAttempt(engine, engine.isolationOf(spec), info, deadline);
    try {
      return attempt.returned(call.proceed(attempt));
    } catch (Throwable e) {
      return attempt.threw(e);
    } finally {
      attempt.close();
    }
  }
}
