package io.rowlock.example.demo;

import java.util.ArrayList;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Shows Rowlock at work on a real PostgreSQL, in less than a minute. Ends with 0 if everything was
 * as promised, and with 1 otherwise.
 */
public final class Demo {

  /**
   * Kept in a field: a logger that nobody holds loses its level. Hibernate logs each failed
   * statement here.
   */
  private static final Logger SQL_ERRORS = Logger.getLogger("org.hibernate.orm.jdbc.error");

  private Demo() {}

  /** Takes no arguments; the system property {@code rowlock.url} names a server to run on. */
  public static void main(String[] arguments) {
    SQL_ERRORS.setLevel(Level.OFF);
    System.exit(new Demo().run() ? 0 : 1);
  }

  private boolean run() {
    long start = System.nanoTime();
    List<List<Object>> summary = new ArrayList<>();
    try (Server server = Server.find();
        DemoSchema schema = DemoSchema.create(server)) {
      Console.line(
          "PostgreSQL %s, %s",
          server.version(), server.given() ? server.url() : "embedded, started for this demo");
      Console.line(
          "The tables belong to %s; the application is %s", schema.owner(), schema.application());
      for (Part part : parts(schema, !server.given())) {
        Console.heading(part.title());
        summary.add(List.of(part.title(), part.run()));
      }
    } catch (DemoFailure e) {
      return failed("Not as promised: " + e.getMessage());
    } catch (Exception e) {
      return failed("The demo broke off: " + described(e));
    }
    Console.heading("Summary: everything as promised");
    summary.forEach(row -> Console.line("  %s%n    %s", row.get(0), row.get(1)));
    Console.line("%n%.0f seconds in all", (System.nanoTime() - start) / 1e9);
    return true;
  }

  private static List<Part> parts(DemoSchema schema, boolean alone) {
    return List.of(
        new EightCalls(schema),
        new TwoBatches(schema),
        new BulkLoad(schema),
        new OverlappingBatches(schema, alone),
        new SurvivedDeadlock(schema));
  }

  private static boolean failed(String why) {
    Console.line("%n%s", why);
    return false;
  }

  private static String described(Throwable problem) {
    StringBuilder text = new StringBuilder(problem.toString());
    for (Throwable cause = problem.getCause(); cause != null; cause = cause.getCause()) {
      text.append(System.lineSeparator()).append("  caused by ").append(cause);
    }
    return text.toString();
  }
}
