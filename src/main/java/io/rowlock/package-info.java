/** Concurrent writes through Jakarta Persistence and Hibernate on PostgreSQL. */
@NullMarked
package io.rowlock;

import org.jspecify.annotations.NullMarked;
