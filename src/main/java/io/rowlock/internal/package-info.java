/** The engine: the attempt loop, the transaction drivers and the unit of work. Not for users. */
@NullMarked
package io.rowlock.internal;

import org.jspecify.annotations.NullMarked;
