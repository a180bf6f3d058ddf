package io.rowlock.faults;

/** A thread that makes calls, and may be interrupted while it is in one. */
final class Worker {

  private final Thread thread = Thread.currentThread();
  private boolean inCall;
  private boolean interrupted;
  private boolean done;

  synchronized void enters() {
    inCall = true;
    interrupted = false;
  }

  /** Interrupts the call that it is in; false if it is in none, or interrupted already. */
  synchronized boolean interrupt() {
    if (!inCall || interrupted) {
      return false;
    }
    interrupted = true;
    thread.interrupt();
    return true;
  }

  /** It will make no further call. */
  synchronized void ends() {
    done = true;
  }

  synchronized boolean isDone() {
    return done;
  }

  /** Whether the call was interrupted. */
  synchronized boolean leaves() {
    inCall = false;
    return interrupted;
  }
}
