package io.rowlock.testing;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Runs tasks at once, each on a thread of its own, all let go at the same moment. */
public final class Together {

  private static final long LIMIT_SECONDS = 120;

  private Together() {}

  /** One of the tasks. */
  @FunctionalInterface
  public interface Task<T> {
    /** Does the work of the thread with this number, counted from zero. */
    T run(int number) throws Exception;
  }

  /** The results in the order of the threads' numbers; the first failure is thrown. */
  public static <T> List<T> run(int threads, Task<T> task) {
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    CountDownLatch go = new CountDownLatch(threads);
    try {
      List<Future<T>> running = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        int number = i;
        running.add(
            pool.submit(
                () -> {
                  go.countDown();
                  go.await();
                  return task.run(number);
                }));
      }
      List<T> results = new ArrayList<>();
      for (Future<T> future : running) {
        results.add(get(future));
      }
      return results;
    } finally {
      pool.shutdownNow();
    }
  }

  /** Starts one task on a thread of its own. */
  public static <T> Future<T> start(java.util.concurrent.Callable<T> task) {
    ExecutorService one = Executors.newSingleThreadExecutor();
    Future<T> future = one.submit(task);
    one.shutdown();
    return future;
  }

  /** The future's result, waited for at most two minutes; what it threw is thrown as it is. */
  public static <T> T get(Future<T> future) {
    try {
      return future.get(LIMIT_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      throw Together.<RuntimeException>sneaky(e.getCause());
    } catch (TimeoutException e) {
      throw new AssertionError("A task did not end within " + LIMIT_SECONDS + " s", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("Interrupted while waiting for a task", e);
    }
  }

  @SuppressWarnings("unchecked")
  private static <X extends Throwable> RuntimeException sneaky(Throwable t) throws X {
    throw (X) t;
  }
}
