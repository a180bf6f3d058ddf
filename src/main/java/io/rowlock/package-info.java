/**
 * Concurrent writes through Jakarta Persistence on PostgreSQL: the entry point, the unit of work
 * and what can go wrong with it.
 *
 * <p>Start at {@link io.rowlock.Rowlock}. What a unit of work can do is {@link
 * io.rowlock.UnitOfWork}; how often it is run again is described by {@link io.rowlock.retry}, how
 * rows are created once by {@link io.rowlock.create}, and how known rows are locked by {@link
 * io.rowlock.lock}.
 */
@NullMarked
package io.rowlock;

import org.jspecify.annotations.NullMarked;
