/**
 * Which rows of which entities are locked, in which order, how strongly, and how long the lock is
 * waited for.
 */
@NullMarked
package io.rowlock.lock;

import org.jspecify.annotations.NullMarked;
