package io.rowlock.internal.postgres;

import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/**
 * What only the driver's own classes tell. In an application server they may be out of sight; then
 * the details are read by the names of their methods.
 */
final class DriverDetails {

  private DriverDetails() {}

  /** The constraint that the server named; never read from the (localized) text. */
  static @Nullable String constraint(SQLException failure) {
    try {
      if (Visible.isDrivers(failure)) {
        return Visible.constraint(failure);
      }
    } catch (LinkageError e) {
      return constraintByName(failure);
    }
    return constraintByName(failure);
  }

  private static @Nullable String constraintByName(SQLException failure) {
    try {
      Object message = failure.getClass().getMethod("getServerErrorMessage").invoke(failure);
      return message == null
          ? null
          : (String) message.getClass().getMethod("getConstraint").invoke(message);
    } catch (ReflectiveOperationException e) {
      return null;
    }
  }

  /** Apart, so that it is linked only where it is used. */
  private static final class Visible {

    static boolean isDrivers(SQLException failure) {
      return failure instanceof PSQLException;
    }

    static @Nullable String constraint(SQLException failure) {
      ServerErrorMessage message = ((PSQLException) failure).getServerErrorMessage();
      return message == null ? null : message.getConstraint();
    }
  }
}
