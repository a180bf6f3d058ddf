package io.rowlock.internal.postgres;

import java.util.Objects;
import java.util.Set;

/**
 * What a create-once statement does with one value of one column.
 *
 * @param column the column in SQL
 * @param value the value in SQL, with one {@code ?} if it is a parameter
 * @param parameter whether it is a parameter
 * @param uses what is done with it
 */
public record ColumnUse(String column, String value, boolean parameter, Set<Use> uses) {

  /** What is done with a value. */
  public enum Use {
    /** It is part of the key by which the row is looked up. */
    KEY,
    /** It is inserted into a new row. */
    INSERT,
    /** A row that is there is changed only if one of these differs. */
    COMPARE,
    /** It is written to a row that is there, and changed. */
    SET,
    /** It is added to what a row that is there has. */
    ADD,
    /** A row that is there is changed only if it has this value. */
    GUARD,
    /** A row that is there is changed only if this value is greater than its own. */
    IF_GREATER,
    /** A row that is there is changed only if it has null here. */
    IF_NULL
  }

  /** Checks that column, value and uses are given. */
  public ColumnUse {
    Objects.requireNonNull(column, "column");
    Objects.requireNonNull(value, "value");
    uses = Set.copyOf(uses);
  }

  /** A parameter, written as the mapping writes it. */
  public static ColumnUse parameter(String column, String marker, Set<Use> uses) {
    return new ColumnUse(column, marker, true, uses);
  }

  /** A value in SQL. */
  public static ColumnUse expression(String column, String sql, Use... uses) {
    return new ColumnUse(column, sql, false, Set.of(uses));
  }

  /** Whether that is done with it. */
  public boolean isFor(Use use) {
    return uses.contains(use);
  }
}
