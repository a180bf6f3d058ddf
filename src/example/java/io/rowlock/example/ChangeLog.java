package io.rowlock.example;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.logging.Level;
import java.util.logging.Logger;
import javax.sql.DataSource;
import liquibase.Contexts;
import liquibase.LabelExpression;
import liquibase.Liquibase;
import liquibase.Scope;
import liquibase.UpdateSummaryEnum;
import liquibase.database.Database;
import liquibase.database.DatabaseFactory;
import liquibase.database.jvm.JdbcConnection;
import liquibase.exception.LiquibaseException;
import liquibase.resource.DirectoryResourceAccessor;
import liquibase.resource.ResourceAccessor;
import liquibase.ui.LoggerUIService;

/**
 * A change log in a folder: {@code new ChangeLog(Path.of("liquibase"), "articles/changelog.xml")}.
 *
 * <p>Immutable; safe for use by any thread. Liquibase's own lock keeps two runs on one database
 * apart.
 *
 * @param folder where the change log's files are
 * @param file the change log, relative to the folder
 */
public record ChangeLog(Path folder, String file) {

  /** Kept in a field: a logger that nobody holds loses its level. */
  private static final Logger LOGGER = Logger.getLogger("liquibase");

  /** The article store's schema. */
  public static ChangeLog articles() {
    return new ChangeLog(Path.of("liquibase"), "articles/changelog.xml");
  }

  /**
   * Brings the schema that comes first on the connection's search path up to date.
   *
   * @param owner connects as the role that is to own the tables
   * @param parameters the change log's parameters
   * @throws IllegalStateException if a change set fails; it was rolled back, and those before it
   *     were not
   */
  public void apply(DataSource owner, Map<String, String> parameters) {
    // What goes wrong is thrown; the logger would say it once more, with every statement.
    LOGGER.setLevel(Level.OFF);
    try (Connection connection = owner.getConnection()) {
      ResourceAccessor files = new DirectoryResourceAccessor(folder);
      Database database =
          DatabaseFactory.getInstance()
              .findCorrectDatabaseImplementation(new JdbcConnection(connection));
      // Liquibase's own progress report goes to its logger instead of standard output.
      Scope.child(
          Map.of(Scope.Attr.ui.name(), new LoggerUIService()),
          () -> {
            Liquibase liquibase = new Liquibase(file, files, database);
            liquibase.setShowSummary(UpdateSummaryEnum.OFF);
            parameters.forEach(liquibase::setChangeLogParameter);
            liquibase.update(new Contexts(), new LabelExpression());
          });
    } catch (LiquibaseException | SQLException e) {
      throw new IllegalStateException(message(e), e);
    } catch (Exception e) {
      throw new IllegalStateException("The change log " + file + " cannot be read", e);
    }
  }

  /** What the server said, without the text of the statement and Liquibase's layers around it. */
  private String message(Throwable problem) {
    Throwable cause = problem;
    while (cause.getCause() != null && !(cause instanceof SQLException)) {
      cause = cause.getCause();
    }
    return "The change log " + file + " cannot be applied: " + cause.getMessage();
  }
}
