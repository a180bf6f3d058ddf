package io.rowlock.cdi;

import io.rowlock.internal.ContainerAttempt;
import jakarta.annotation.Priority;
import jakarta.interceptor.AroundInvoke;
import jakarta.interceptor.Interceptor;
import jakarta.interceptor.InvocationContext;
import java.io.Serializable;
import org.jspecify.annotations.Nullable;

/**
 * Opens and checks the transaction of an attempt, from inside of it: {@code @Transactional} is at
 * {@code PLATFORM_BEFORE + 200}. Not for users: see {@link RetryTransaction}.
 */
@Interceptor
@RetryTransaction
@Priority(Interceptor.Priority.PLATFORM_BEFORE + 201)
public class AttemptInterceptor implements Serializable {

  private static final long serialVersionUID = 1L;

  /** Calls the method in its transaction. */
  @AroundInvoke
  @Nullable Object run(InvocationContext call) throws Exception {
    Object attempt = call.getContextData().get(RetryInterceptor.ATTEMPT);
    if (attempt instanceof ContainerAttempt unit) {
      return unit.work(call::proceed);
    }
    throw new IllegalStateException(
        "@RetryTransaction needs both of its interceptors; the container has disabled "
            + RetryInterceptor.class.getName());
  }
}
