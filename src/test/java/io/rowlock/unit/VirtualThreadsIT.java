package io.rowlock.unit;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.Rowlock;
import io.rowlock.UnitOfWork;
import io.rowlock.create.GetOrCreate;
import io.rowlock.testing.Await;
import io.rowlock.testing.Postgres;
import io.rowlock.testing.Rival;
import io.rowlock.testing.Together;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * A virtual thread that waits for the database leaves its carrier: more units wait for one row than
 * there are carriers, all at once, and none pins one meanwhile. Before JDK 21 there are no such
 * threads, and the same units run on threads of the platform; that nothing of Rowlock's waits in a
 * monitor is shown by {@link io.rowlock.MonitorsTest}.
 */
class VirtualThreadsIT {

  /** More than the carriers, of which there is one for each processor. */
  private static final int UNITS = 4 * Runtime.getRuntime().availableProcessors();

  /** Longer than a pause of the collector, shorter than any of the waits. */
  private static final Duration PINNED = Duration.ofMillis(20);

  @RegisterExtension static final Postgres db = new Postgres(Tag.TABLE);

  static Rowlock rowlock;
  static Rowlock onJta;

  @TempDir Path folder;

  @BeforeAll
  static void open() {
    rowlock = Rowlock.of(db.unit(Tag.class).poolSize(UNITS).open().factory());
    onJta = Rowlock.of(db.unit(Tag.class).poolSize(UNITS).jta().open().factory());
  }

  @BeforeEach
  void one_row() throws Exception {
    db.execute("truncate tag", "insert into tag values (1, 'a')");
  }

  @Test
  void units_that_wait_for_a_row_all_wait_at_once_and_pin_nothing() throws Exception {
    assertAllWaitAtOnce(rowlock, VirtualThreadsIT::raiseUnderLock);
    assertThat(db.number("select n from tag where id = 1")).isEqualTo(2L * UNITS);
  }

  @Test
  void units_of_JTA_that_wait_for_a_row_all_wait_at_once_and_pin_nothing() throws Exception {
    assertAllWaitAtOnce(onJta, VirtualThreadsIT::raiseUnderLock);
    assertThat(db.number("select n from tag where id = 1")).isEqualTo(2L * UNITS);
  }

  @Test
  void units_that_wait_for_a_new_row_all_wait_at_once_and_pin_nothing() throws Exception {
    assertAllWaitAtOnce(
        rowlock,
        work -> {
          // held by the rival, and so by nobody else yet
          work.lock(Tag.class, List.of(1L));
          work.getOrCreate(
              new Tag(2L + Thread.currentThread().getId(), "new"), GetOrCreate.by("slug"));
          return null;
        });
    assertThat(db.number("select count(*) from tag where slug = 'new'")).isOne();
  }

  private static Void raiseUnderLock(UnitOfWork work) {
    work.<Long, Tag>lock(Tag.class, List.of(1L)).get(1L).n++;
    return null;
  }

  private interface Body {
    Void in(UnitOfWork work);
  }

  private void assertAllWaitAtOnce(Rowlock on, Body body) throws Exception {
    // classes are loaded and initialized in the first round
    waitAtOnce(on, body);
    try (Recording recording = new Recording()) {
      recording.enable("jdk.VirtualThreadPinned").withThreshold(PINNED).withStackTrace();
      recording.start();
      waitAtOnce(on, body);
      recording.stop();
      assertThat(pinned(recording)).as("pinned for longer than %s", PINNED).isEmpty();
    }
  }

  private static void waitAtOnce(Rowlock on, Body body) throws Exception {
    Rival rival = db.rival();
    rival.execute("select from tag where id = 1 for update");
    List<FutureTask<Void>> units = new ArrayList<>();
    for (int i = 0; i < UNITS; i++) {
      units.add(start(() -> on.call(body::in)));
    }
    Await.until(
        "all units wait in the database",
        () ->
            db.number(
                    "select count(*) from pg_stat_activity where wait_event_type = 'Lock' and datname ="
                        + " current_database()")
                == UNITS);
    rival.commit();
    units.forEach(Together::get);
  }

  private List<String> pinned(Recording recording) throws Exception {
    Path file = folder.resolve("pinned.jfr");
    recording.dump(file);
    List<String> events = new ArrayList<>();
    for (RecordedEvent event : RecordingFile.readAllEvents(file)) {
      if (event.getEventType().getName().equals("jdk.VirtualThreadPinned")) {
        events.add(event.toString());
      }
    }
    Files.delete(file);
    return events;
  }

  /** On a virtual thread, where there are any. */
  private static <T> FutureTask<T> start(Callable<T> work) throws ReflectiveOperationException {
    FutureTask<T> task = new FutureTask<>(work);
    if (Runtime.version().feature() < 21) {
      new Thread(task).start();
    } else {
      Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
      Class.forName("java.lang.Thread$Builder")
          .getMethod("start", Runnable.class)
          .invoke(builder, task);
    }
    return task;
  }
}
