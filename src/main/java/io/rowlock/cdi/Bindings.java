package io.rowlock.cdi;

import io.rowlock.internal.Asynchronous;
import jakarta.interceptor.InvocationContext;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;

/** The annotations that apply to an intercepted call. */
final class Bindings {

  private Bindings() {}

  static RetryTransaction retryTransaction(InvocationContext call) {
    RetryTransaction found = find(call, RetryTransaction.class);
    if (found == null) {
      throw new IllegalStateException(
          "The container intercepts "
              + call.getMethod()
              + " without telling its @RetryTransaction; put the annotation on the method or its class");
    }
    return found;
  }

  /** A future would come back while the transaction is still under way, and could fail after it. */
  static void refuseAsynchronous(Method method) {
    Class<?> answer = method.getReturnType();
    if (Asynchronous.is(answer)) {
      throw new IllegalStateException(
          "A unit of work does its work before it returns: "
              + method
              + " cannot have @RetryTransaction and answer a "
              + answer.getSimpleName()
              + "; let it answer the result, and call it from where the future is made");
    }
  }

  /** Whether the call runs in a transaction of its own even where one is active. */
  static boolean isRequiresNew(InvocationContext call) {
    Transactional transactional = find(call, Transactional.class);
    return transactional != null && transactional.value() == TxType.REQUIRES_NEW;
  }

  /**
   * The container knows of stereotypes and inheritance; where it does not tell, the class is read.
   */
  private static <A extends Annotation> @Nullable A find(InvocationContext call, Class<A> type) {
    for (Annotation binding : call.getInterceptorBindings()) {
      if (type.isInstance(binding)) {
        return type.cast(binding);
      }
    }
    A onMethod = call.getMethod().getAnnotation(type);
    return onMethod != null ? onMethod : call.getMethod().getDeclaringClass().getAnnotation(type);
  }
}
