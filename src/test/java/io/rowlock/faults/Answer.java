package io.rowlock.faults;

import io.rowlock.CommitOutcomeUnknownException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a caller was told.
 *
 * @param call what was asked for
 * @param announced how often its work after the commit was done
 * @param created the labels that it was told to have created, if committed
 * @param failure what was thrown, if anything
 */
record Answer(Call call, int announced, Set<String> created, @Nullable Throwable failure) {

  boolean committed() {
    return failure == null;
  }

  boolean unknown() {
    return failure instanceof CommitOutcomeUnknownException;
  }
}
