/**
 * Everything that knows Hibernate: mappings as tables and columns, hydration, locks, the
 * persistence context. Links against nothing newer than Hibernate 7.1. Not for users.
 */
@NullMarked
package io.rowlock.internal.hibernate;

import org.jspecify.annotations.NullMarked;
