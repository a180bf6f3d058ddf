package io.rowlock.internal.hibernate;

import io.rowlock.internal.hibernate.CreateQuery.BatchAnswer;
import io.rowlock.internal.postgres.ArrayText;
import io.rowlock.internal.postgres.BatchStatements;
import io.rowlock.internal.postgres.ColumnUse;
import io.rowlock.internal.postgres.ParameterText;
import io.rowlock.lock.LockStrength;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The order in which the candidates of one call are created: that of their keys, as the database
 * sorts them, and cut into chunks. Candidates with one key come together; a chunk has candidates of
 * one shape only, since its statements name the columns.
 *
 * <p>Of a candidate no more than the key is kept meanwhile, so what a call needs besides the
 * candidates and the answers does not grow much with their number.
 */
final class CreateOrder {

  /** How many candidates a statement takes. */
  static final int CHUNK = 1000;

  private final CreateOnce.Prepared prepared;
  private final List<Candidate> candidates;
  private final @Nullable Replacement replacement;
  private final Map<Shape, Integer> shapes = new HashMap<>();
  private final List<Integer> shapeOf = new ArrayList<>();
  private final List<ColumnUse> keyColumns = new ArrayList<>();
  private final List<List<@Nullable String>> keys = new ArrayList<>();
  private final List<@Nullable String> types = new ArrayList<>();

  /** What the text of the statements for a candidate depends on. */
  private record Shape(List<ColumnUse> columns, Set<String> nullKeys) {}

  CreateOrder(
      CreateOnce.Prepared prepared, List<Candidate> candidates, @Nullable Replacement replacement) {
    this.prepared = prepared;
    this.candidates = candidates;
    this.replacement = replacement;
  }

  static boolean isKey(ColumnUse column) {
    return column.isFor(ColumnUse.Use.KEY);
  }

  /**
   * Reads the keys; sends nothing.
   *
   * @throws IllegalArgumentException if a candidate cannot be stored
   */
  void read() {
    prepared.session().doWork(connection -> readKeys(new ParameterText(connection)));
  }

  /**
   * The chunks in their order, once the keys have been read. Each has a list for each of its keys:
   * the positions of the candidates with that key, counted from zero, in the order of the call.
   * Null if one statement can take all the candidates as they are.
   */
  @Nullable List<List<List<Integer>>> chunks() {
    return candidates.size() <= CHUNK && shapes.size() == 1
        ? null
        : cut(sorted(send(statements().order())));
  }

  /**
   * The chunks, after their rows have been locked.
   *
   * @param chunks see {@link #chunks()}
   * @param positions the candidates whose row is there, and locked
   */
  record Locked(List<List<List<Integer>>> chunks, Set<Integer> positions) {}

  /** Locks the rows that are there in the order of their ids, and answers the chunks. */
  Locked locked(LockStrength lock) {
    List<BatchAnswer> answers = send(statements().orderLocking(lock, hasNullKeys()));
    Set<Integer> locked = new HashSet<>();
    for (BatchAnswer answer : answers) {
      if (answer.position() != null && answer.outcome().endsWith(BatchStatements.LOCKED)) {
        locked.add(answer.position() - 1);
      }
    }
    return new Locked(cut(sorted(answers)), locked);
  }

  private boolean hasNullKeys() {
    return shapes.keySet().stream().anyMatch(shape -> !shape.nullKeys().isEmpty());
  }

  private void readKeys(ParameterText texts) throws SQLException {
    for (Candidate candidate : candidates) {
      CandidateValues values = prepared.values(candidate, replacement);
      if (!prepared.ids().costsAQuery()) {
        values.insertId(prepared.ids().nextOfMany(prepared.session(), candidate.instance()));
      }
      Shape shape = new Shape(List.copyOf(values.columns()), Set.copyOf(values.nullKeys()));
      shapeOf.add(shapes.computeIfAbsent(shape, s -> shapes.size()));
      int parameter = 0;
      int key = 0;
      for (ColumnUse column : values.columns()) {
        if (column.parameter()) {
          if (isKey(column)) {
            add(key++, column, values.values().get(parameter).text(texts, prepared.session()));
          }
          parameter++;
        }
      }
    }
  }

  private void add(int key, ColumnUse column, ParameterText.Text text) {
    if (key == keys.size()) {
      keyColumns.add(column);
      keys.add(new ArrayList<>());
      types.add(null);
    }
    keys.get(key).add(text.text());
    if (types.get(key) == null) {
      types.set(key, text.type());
    }
  }

  private BatchStatements statements() {
    return prepared.statements(keyColumns, Set.of(), types);
  }

  private List<BatchAnswer> send(String sql) {
    return prepared.query().sendAll(sql, keys.stream().map(ArrayText::ofTexts).toList(), false);
  }

  /** The positions of each key; the answers with one number have one key. */
  private static List<List<Integer>> sorted(List<BatchAnswer> answers) {
    List<List<Integer>> sorted = new ArrayList<>();
    String last = "";
    for (BatchAnswer answer : answers) {
      if (!answer.outcome().equals(last)) {
        sorted.add(new ArrayList<>(1));
        last = answer.outcome();
      }
      if (answer.position() != null) {
        sorted.get(sorted.size() - 1).add(answer.position() - 1);
      }
    }
    return sorted;
  }

  /** The shape that counts is that of the candidate that is stored. */
  private List<List<List<Integer>>> cut(List<List<Integer>> sorted) {
    List<List<List<Integer>>> chunks = new ArrayList<>();
    int shape = -1;
    for (List<Integer> key : sorted) {
      int next = shapeOf.get(winner(key, replacement != null));
      if (next != shape || chunks.get(chunks.size() - 1).size() == CHUNK) {
        chunks.add(new ArrayList<>());
        shape = next;
      }
      chunks.get(chunks.size() - 1).add(key);
    }
    return chunks;
  }

  /** Which of the positions of one key is stored. */
  static int winner(List<Integer> key, boolean lastWins) {
    return key.get(lastWins ? key.size() - 1 : 0);
  }
}
