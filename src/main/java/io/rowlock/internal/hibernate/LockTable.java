package io.rowlock.internal.hibernate;

import java.util.List;

/**
 * A table in which rows of an entity are locked.
 *
 * @param name the table as SQL
 * @param id its columns that hold the entity's id, as SQL
 * @param holdsIds whether a row of the entity exists if, and only if, one is in this table or in
 *     another one of which this is true
 */
record LockTable(String name, List<String> id, boolean holdsIds) {}
