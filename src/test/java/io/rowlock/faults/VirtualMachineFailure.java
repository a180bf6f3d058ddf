package io.rowlock.faults;

import io.rowlock.UnitOfWork;
import java.util.Random;

/** A real error of the virtual machine in the unit's function. */
enum VirtualMachineFailure implements Fault {
  /** More memory is asked for than there is. */
  OUT_OF_MEMORY("OutOfMemoryError in the unit", OutOfMemoryError.class, 16) {
    @Override
    long fail(int depth) {
      return new long[Integer.MAX_VALUE - 8][0].length;
    }
  },
  /** A recursion without an end. */
  STACK_OVERFLOW("StackOverflowError in the unit", StackOverflowError.class, 8) {
    @Override
    @SuppressWarnings("InfiniteRecursion") // on purpose
    long fail(int depth) {
      return fail(depth + 1) + depth;
    }
  };

  private final String told;
  private final Class<? extends VirtualMachineError> type;
  private final int oneIn;

  VirtualMachineFailure(String told, Class<? extends VirtualMachineError> type, int oneIn) {
    this.told = told;
    this.type = type;
    this.oneIn = oneIn;
  }

  abstract long fail(int depth);

  @Override
  public String told() {
    return told;
  }

  @Override
  public void strikeIn(Site site, Call call, UnitOfWork unit, int place, Random random) {
    if (random.nextInt(oneIn) == 0 && random.nextInt(Work.PLACES) == place) {
      site.injected();
      long length = fail(0);
      throw new IllegalStateException("There was no error: " + length);
    }
  }

  /** As it was thrown. */
  @Override
  public boolean isFelt(Throwable failure) {
    return type.isInstance(failure);
  }
}
