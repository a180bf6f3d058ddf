/** Which failures cause a unit of work to be run again, how often, and after which pause. */
@NullMarked
package io.rowlock.retry;

import org.jspecify.annotations.NullMarked;
