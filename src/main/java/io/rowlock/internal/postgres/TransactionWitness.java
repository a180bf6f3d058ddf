package io.rowlock.internal.postgres;

import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;

/**
 * Tells the transaction that a unit of work began from one that followed it on the same connection,
 * where plain JDBC or a statement has ended the first one and the driver has begun the next.
 *
 * <p>The witness is a setting local to the transaction that has no effect in it and that the server
 * reports to the driver whenever it changes: {@code default_transaction_read_only}, which only
 * transactions to come go by. The first statement turns it to the other value; whatever ends the
 * transaction puts it back, and the driver knows by the same answer. So neither costs a round trip.
 *
 * <p>A failure takes it off too: it tells nothing about a transaction that has failed.
 *
 * <p>Stateless.
 */
public final class TransactionWitness {

  private static final String SETTING = "default_transaction_read_only";

  private TransactionWitness() {}

  /**
   * The value that is witness of a transaction on this connection; null if the driver does not know
   * the present one.
   */
  static @Nullable String of(Connection connection) {
    String now = reported(connection);
    if (now == null) {
      return null;
    }
    return now.equals("on") ? "off" : "on";
  }

  /** The statement that sets it. */
  static String statement(String witness) {
    return "set local " + SETTING + " = " + witness;
  }

  /**
   * Whether the transaction that was begun with it has ended; false too if that cannot be known.
   */
  public static boolean isGone(Connection connection, String witness) {
    String now = reported(connection);
    return now != null && !now.equals(witness);
  }

  private static @Nullable String reported(Connection connection) {
    try {
      return Driver.reported(connection);
    } catch (LinkageError | SQLException e) {
      return null;
    }
  }

  /** Apart, so that it is linked only where the driver's classes are in sight. */
  private static final class Driver {

    static @Nullable String reported(Connection connection) throws SQLException {
      return connection.isWrapperFor(PGConnection.class)
          ? connection.unwrap(PGConnection.class).getParameterStatus(SETTING)
          : null;
    }
  }
}
