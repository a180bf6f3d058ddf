package io.rowlock.internal.hibernate;

import java.util.List;
import java.util.Locale;

/**
 * A table in which rows of an entity are locked.
 *
 * @param name the table as SQL
 * @param id its columns that hold the entity's id, as SQL
 * @param holdsIds whether a row of the entity exists if, and only if, one is in this table or in
 *     another one of which this is true
 */
record LockTable(String name, List<String> id, boolean holdsIds) {

  /** By which a table is known, however a mapping spells it. */
  static String key(String name) {
    return name.indexOf('"') < 0 ? name.toLowerCase(Locale.ROOT) : name;
  }

  String key() {
    return key(name);
  }
}
