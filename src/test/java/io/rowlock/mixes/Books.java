package io.rowlock.mixes;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.testing.Postgres;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.ToIntFunction;

/**
 * The model: the changes that were acknowledged. Whatever the order in which the units committed,
 * the rows that were made less those that were deleted are the ones that are there, and for each
 * key the changes add up to what its row holds.
 */
final class Books {

  /**
   * An acknowledged change: one more or one row less with this key, and what was added to the sums;
   * for a row that was deleted, all it held with a minus.
   */
  record Change(
      Kind kind, String key, long id, int rows, int added, int raised, int balance, int versions) {

    static Change created(Kind kind, Counted row) {
      return new Change(kind, row.key(), row.id(), 1, row.added, row.raised, row.balance, 0);
    }

    static Change deleted(Kind kind, Counted row) {
      return new Change(
          kind, row.key(), row.id(), -1, -row.added, -row.raised, -row.balance, -row.version());
    }
  }

  /** A value that an upsert offered to a row, which keeps the greatest. */
  record Offer(Kind kind, String key, int seen) {}

  private final List<Change> changes = new ArrayList<>();
  private final List<Offer> offers = new ArrayList<>();

  synchronized void enter(List<Change> committed, List<Offer> offered) {
    changes.addAll(committed);
    offers.addAll(offered);
  }

  /** Compares with the database, in which nobody writes any more. */
  void agreeWith(Postgres db, Kind kind, Set<String> keys, Set<String> lasting)
      throws SQLException {
    String table = kind.table;
    Set<Long> ids = new HashSet<>();
    for (Change change : changes) {
      if (change.kind() == kind && change.rows() == 1) {
        assertThat(ids.add(change.id())).as("%s of id %d is made once", kind, change.id()).isTrue();
      }
    }
    assertThat(db.column("select " + kind.key + " from " + table)).isSubsetOf(List.copyOf(keys));
    assertThat(ids)
        .containsAll(db.column("select id from " + table).stream().map(this::id).toList());
    for (String key : keys) {
      String of = " from " + table + " where " + kind.key + " = '" + key + "'";
      String version = kind == Kind.METER ? "version" : "0";
      String sums =
          "select concat_ws(' ', count(*), coalesce(sum(added), 0), coalesce(sum(raised), 0),"
              + " coalesce(sum(balance), 0), coalesce(sum("
              + version
              + "), 0))";
      assertThat(db.one(sums + of))
          .as("rows, added, raised, balance and versions of %s '%s'", kind, key)
          .isEqualTo(
              String.join(
                  " ",
                  "" + sum(kind, key, Change::rows),
                  "" + sum(kind, key, Change::added),
                  "" + sum(kind, key, Change::raised),
                  "" + sum(kind, key, Change::balance),
                  "" + (kind == Kind.METER ? sum(kind, key, Change::versions) : 0)));
      if (lasting.contains(key)) {
        int latest =
            offers.stream()
                .filter(offer -> offer.kind() == kind && offer.key().equals(key))
                .mapToInt(Offer::seen)
                .max()
                .orElse(0);
        assertThat(db.number("select seen" + of)).as("latest of '%s'", key).isEqualTo(latest);
      }
    }
    assertThat(db.number("select coalesce(sum(balance), 0) from " + table))
        .as("what is moved stays in all")
        .isZero();
  }

  private long id(Object id) {
    return ((Number) id).longValue();
  }

  private int sum(Kind kind, String key, ToIntFunction<Change> of) {
    return changes.stream()
        .filter(change -> change.kind() == kind && change.key().equals(key))
        .mapToInt(of)
        .sum();
  }
}
