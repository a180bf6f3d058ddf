package io.rowlock.internal.hibernate;

import io.rowlock.internal.postgres.ArrayText;
import io.rowlock.internal.postgres.ColumnUse;
import io.rowlock.internal.postgres.ParameterText;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.hibernate.engine.spi.SessionImplementor;
import org.jspecify.annotations.Nullable;

/**
 * The values of several candidates, an array for each column, each value as the text that the
 * driver would send.
 *
 * @param columns what is done with which column; the same for all the candidates
 * @param nullKeys the columns of the key that are null
 * @param types the types that the driver would declare, one for each parameter among the columns
 * @param arrays the parameters, in the same order
 */
record GivenArrays(
    List<ColumnUse> columns,
    Set<String> nullKeys,
    List<@Nullable String> types,
    List<String> arrays) {

  /**
   * Reads the values.
   *
   * @param wanted which columns are of interest
   */
  static GivenArrays of(
      SessionImplementor session, List<CandidateValues> candidates, Predicate<ColumnUse> wanted) {
    CandidateValues first = candidates.get(0);
    return session.doReturningWork(
        connection ->
            of(
                new ParameterText(connection),
                session,
                first.columns(),
                first.nullKeys(),
                candidates.stream().map(CandidateValues::values).toList(),
                wanted));
  }

  /**
   * Reads the values of some rows.
   *
   * @param rows for each row the parameters among the columns, in their order
   * @throws SQLException if a value has no text form
   */
  static GivenArrays of(
      ParameterText texts,
      SessionImplementor session,
      List<ColumnUse> columns,
      Set<String> nullKeys,
      List<List<BoundValue>> rows,
      Predicate<ColumnUse> wanted)
      throws SQLException {
    List<@Nullable String> types = new ArrayList<>();
    List<String> arrays = new ArrayList<>();
    int parameter = 0;
    for (ColumnUse column : columns) {
      if (!column.parameter()) {
        continue;
      }
      if (wanted.test(column)) {
        String type = null;
        List<@Nullable String> values = new ArrayList<>(rows.size());
        for (List<BoundValue> row : rows) {
          ParameterText.Text text = row.get(parameter).text(texts, session);
          values.add(text.text());
          type = type == null ? text.type() : type;
        }
        types.add(type);
        arrays.add(ArrayText.ofTexts(values));
      }
      parameter++;
    }
    return new GivenArrays(columns.stream().filter(wanted).toList(), nullKeys, types, arrays);
  }
}
