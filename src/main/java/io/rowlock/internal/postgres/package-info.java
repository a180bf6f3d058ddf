/**
 * Everything that knows PostgreSQL: the text of statements, SQLSTATEs, the catalog, the state of
 * the server's transaction. Knows nothing of Hibernate. Not for users.
 */
@NullMarked
package io.rowlock.internal.postgres;

import org.jspecify.annotations.NullMarked;
