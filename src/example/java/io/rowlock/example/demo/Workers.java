package io.rowlock.example.demo;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Threads that are let go at the same moment. */
final class Workers {

  private Workers() {}

  /** What each worker does. */
  @FunctionalInterface
  interface Task<T> {
    /** Does the work of the worker with this number, counted from zero. */
    T run(int worker) throws Exception;
  }

  /** Runs the task on so many threads; answers their results in the order of their numbers. */
  static <T> List<T> run(int count, Task<T> task) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(count);
    CyclicBarrier start = new CyclicBarrier(count);
    try {
      List<Future<T>> running = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        int worker = i;
        running.add(
            threads.submit(
                () -> {
                  start.await();
                  return task.run(worker);
                }));
      }
      List<T> results = new ArrayList<>();
      for (Future<T> future : running) {
        results.add(future.get());
      }
      return results;
    } catch (ExecutionException e) {
      throw e.getCause() instanceof Exception cause ? cause : e;
    } finally {
      threads.shutdownNow();
    }
  }
}
