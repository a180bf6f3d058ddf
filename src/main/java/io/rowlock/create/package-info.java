/** How rows are created once by their natural key, and what came of it. */
@NullMarked
package io.rowlock.create;

import org.jspecify.annotations.NullMarked;
