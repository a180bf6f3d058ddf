package io.rowlock.internal;

/**
 * Lets a function's own exception leave as it was thrown, through code that does not know its type.
 */
final class Sneaky {

  private Sneaky() {}

  /** Throws; to be written as {@code throw Sneaky.sneak(problem)}. */
  static RuntimeException sneak(Throwable problem) {
    return Sneaky.<RuntimeException>as(problem);
  }

  @SuppressWarnings("unchecked") // erased: the cast is never made
  private static <X extends Throwable> RuntimeException as(Throwable problem) throws X {
    throw (X) problem;
  }
}
