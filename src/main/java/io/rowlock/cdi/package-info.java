/**
 * Units of work by annotation: {@link io.rowlock.cdi.RetryTransaction} beside {@link
 * jakarta.transaction.Transactional}.
 *
 * <p>Rowlock's archive has a {@code META-INF/beans.xml}, and its interceptors a priority: in a
 * container that reads bean archives nothing has to be enabled.
 */
@NullMarked
package io.rowlock.cdi;

import org.jspecify.annotations.NullMarked;
