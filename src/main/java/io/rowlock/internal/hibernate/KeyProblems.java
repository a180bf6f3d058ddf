package io.rowlock.internal.hibernate;

import io.rowlock.UnsupportedMappingException;
import org.jspecify.annotations.Nullable;

/** What a create-once statement found out about its key, in words. */
final class KeyProblems {

  private KeyProblems() {}

  static UnsupportedMappingException arbiterIsGone(CreatePlan plan, RuntimeException cause) {
    return new UnsupportedMappingException(
        plan.table().entityName(),
        "The unique index on "
            + plan.keyText()
            + " of table "
            + plan.table().table()
            + ", by which "
            + plan.table().entityName()
            + " is created once, has been removed or replaced since it was checked",
        cause);
  }

  static UnsupportedMappingException otherKey(CreatePlan plan, @Nullable RuntimeException cause) {
    return new UnsupportedMappingException(
        plan.table().entityName(),
        "The row of a new "
            + plan.table().entityName()
            + " would be stored in table "
            + plan.table().table()
            + " under another key "
            + plan.keyText()
            + " than the candidate's: a trigger on the table changes it. No call with that candidate"
            + " would ever find the row. Give the candidate the key in the form in which it is stored,"
            + " or have the column's type do what the trigger does (citext, a nondeterministic"
            + " collation, a domain)",
        cause);
  }

  static IllegalArgumentException outside(CreatePlan plan, RuntimeException cause) {
    return new IllegalArgumentException(
        "The candidate of "
            + plan.table().entityName()
            + " would be stored in table "
            + plan.table().table()
            + " as a row that is none of those for which its natural key "
            + plan.keyText()
            + " is unique: it would be inserted once more with each call. Give it values for which the"
            + " predicate holds, or persist it",
        cause);
  }
}
