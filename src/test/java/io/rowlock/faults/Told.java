package io.rowlock.faults;

import java.util.Arrays;
import java.util.stream.Collectors;

/** A failure in one line: the chain, what was suppressed, and where it comes from. */
final class Told {

  private static final int FRAMES = 12;

  private Told() {}

  static String of(Throwable failure) {
    String chain =
        Symptom.chain(failure).stream()
            .map(Throwable::toString)
            .collect(Collectors.joining(" <- "));
    String suppressed =
        Arrays.stream(failure.getSuppressed())
            .map(Throwable::toString)
            .collect(Collectors.joining("; "));
    String frames =
        Arrays.stream(failure.getStackTrace())
            .limit(FRAMES)
            .map(StackTraceElement::toString)
            .collect(Collectors.joining(" < "));
    return chain
        + (suppressed.isEmpty() ? "" : " (suppressed: " + suppressed + ")")
        + " at "
        + frames;
  }
}
