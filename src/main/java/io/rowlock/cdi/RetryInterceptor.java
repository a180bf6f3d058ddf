package io.rowlock.cdi;

import io.rowlock.internal.ContainerUnit;
import jakarta.annotation.Priority;
import jakarta.inject.Inject;
import jakarta.interceptor.AroundInvoke;
import jakarta.interceptor.Interceptor;
import jakarta.interceptor.InvocationContext;
import java.io.Serializable;
import org.jspecify.annotations.Nullable;

/**
 * Runs the attempts of a call, outside of its transaction: {@code @Transactional} is at {@code
 * PLATFORM_BEFORE + 200}, and a request context that is activated for the call at {@code
 * PLATFORM_BEFORE + 100}, so that an attempt has each of them for itself. Not for users: see {@link
 * RetryTransaction}.
 */
@Interceptor
@RetryTransaction
@Priority(Interceptor.Priority.PLATFORM_BEFORE + 90)
public class RetryInterceptor implements Serializable {

  private static final long serialVersionUID = 1L;

  /** Where the interceptor inside of the transaction finds its attempt. */
  static final String ATTEMPT = "io.rowlock.cdi.attempt";

  @SuppressWarnings("serial") // the container injects a proxy that is
  private final Rowlocks rowlocks;

  @Inject
  RetryInterceptor(Rowlocks rowlocks) {
    this.rowlocks = rowlocks;
  }

  /** Calls the method until an attempt commits. */
  @AroundInvoke
  @Nullable Object run(InvocationContext call) throws Exception {
    Object[] parameters = call.getParameters().clone();
    return ContainerUnit.of(rowlocks.optionsOf(call))
        .call(
            Bindings.isRequiresNew(call),
            attempt -> {
              // an interceptor of the attempt before may have changed them
              call.setParameters(parameters.clone());
              call.getContextData().put(ATTEMPT, attempt);
              return call.proceed();
            });
  }
}
