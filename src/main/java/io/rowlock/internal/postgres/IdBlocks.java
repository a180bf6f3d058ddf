package io.rowlock.internal.postgres;

/**
 * A sequence of which one value stands for many ids. A statement draws as many values as its new
 * rows need.
 *
 * @param nextValue draws the next value, in SQL
 * @param before how many ids below a value are its too
 * @param after how many ids above it
 * @param initial the first value, below which there are no ids
 */
public record IdBlocks(String nextValue, long before, long after, long initial) {

  /** The column of the id that is drawn. */
  static final String ID = "drawn_id";

  /**
   * The values, drawn after {@link GivenRows#given()}.
   *
   * @param isNew which of the given rows need an id
   */
  String drawn(String isNew) {
    return "fresh as materialized (select given.o, row_number() over (order by given.o) - 1 as i"
        + " from given where "
        + isNew
        + "), drawn as materialized (select row_number() over (order by d.v) - 1 as b, d.v from"
        + " (select "
        + nextValue
        + " as v from generate_series(1, (select (count(*) + "
        + (size() - 1)
        + ") / "
        + size()
        + " from fresh))) d where d.v - "
        + before
        + " >= "
        + initial
        + ")";
  }

  /** The id of each given row, null for one that needs none, and the rows. */
  String ids() {
    return "drawn.v - "
        + before
        + " + fresh.i % "
        + size()
        + " as "
        + ID
        + " from given left join fresh on fresh.o = given.o left join drawn on drawn.b = fresh.i / "
        + size();
  }

  private long size() {
    return before + after + 1;
  }
}
