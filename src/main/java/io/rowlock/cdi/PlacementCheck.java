package io.rowlock.cdi;

import io.rowlock.internal.Asynchronous;
import jakarta.enterprise.inject.build.compatible.spi.BeanInfo;
import jakarta.enterprise.inject.build.compatible.spi.BuildCompatibleExtension;
import jakarta.enterprise.inject.build.compatible.spi.Messages;
import jakarta.enterprise.inject.build.compatible.spi.Registration;
import jakarta.enterprise.lang.model.AnnotationInfo;
import jakarta.enterprise.lang.model.declarations.ClassInfo;
import jakarta.enterprise.lang.model.declarations.MethodInfo;
import jakarta.enterprise.lang.model.types.Type;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.lang.reflect.Modifier;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Refuses, when an application is deployed or built, the methods with {@link RetryTransaction} that
 * could never be units of work: those that no container intercepts, those that answer before the
 * work is done, and those that never have a transaction. Found by the container; not for users. See
 * {@link RetryTransaction}.
 */
public class PlacementCheck implements BuildCompatibleExtension {

  private static final Set<TxType> WITHOUT_TRANSACTION = Set.of(TxType.NEVER, TxType.NOT_SUPPORTED);

  /** Made by the container. */
  public PlacementCheck() {}

  /** Checks the methods of a bean. */
  @Registration(types = Object.class)
  public void check(BeanInfo bean, Messages messages) {
    if (!bean.isClassBean() || bean.isInterceptor()) {
      return;
    }
    ClassInfo type = bean.declaringClass();
    boolean all = type.hasAnnotation(RetryTransaction.class);
    for (MethodInfo method : type.methods()) {
      String problem = problem(type, method, all);
      if (problem != null) {
        messages.error(
            "@RetryTransaction on "
                + method.declaringClass().name()
                + "."
                + method.name()
                + " has no effect or no good one: "
                + problem,
            bean);
      }
    }
  }

  private static @Nullable String problem(ClassInfo type, MethodInfo method, boolean all) {
    if (method.hasAnnotation(RetryTransaction.class)) {
      String never = neverIntercepted(method);
      return never == null ? wrongWhenIntercepted(type, method) : never;
    }
    return all && isBusinessMethod(method) ? wrongWhenIntercepted(type, method) : null;
  }

  /** What a binding on the class makes an interceptor's business. */
  private static boolean isBusinessMethod(MethodInfo method) {
    return !method.isStatic()
        && !Modifier.isPrivate(method.modifiers())
        && !method.declaringClass().name().equals(Object.class.getName());
  }

  private static @Nullable String neverIntercepted(MethodInfo method) {
    String kind =
        Modifier.isPrivate(method.modifiers())
            ? "private"
            : method.isStatic() ? "static" : method.isFinal() ? "final" : null;
    return kind == null
        ? null
        : "a "
            + kind
            + " method is never intercepted, so it would run without a unit of work; make it a public method"
            + " that is neither static nor final, and have other beans call it";
  }

  private static @Nullable String wrongWhenIntercepted(ClassInfo type, MethodInfo method) {
    String answer = asynchronousAnswer(method.returnType());
    if (answer != null) {
      return "it answers a "
          + answer
          + ", and a unit of work does its work before it returns; let it answer the result, and call it from"
          + " where the future is made";
    }
    TxType transaction = transaction(type, method);
    return transaction == null || !WITHOUT_TRANSACTION.contains(transaction)
        ? null
        : "with @Transactional("
            + transaction
            + ") it never has a transaction; use REQUIRED, REQUIRES_NEW or MANDATORY, or take @RetryTransaction"
            + " off it";
  }

  private static @Nullable TxType transaction(ClassInfo type, MethodInfo method) {
    AnnotationInfo found = method.annotation(Transactional.class);
    if (found == null) {
      found = type.annotation(Transactional.class);
    }
    return found == null || !found.hasValue()
        ? null
        : TxType.valueOf(found.value().asEnumConstant());
  }

  private static @Nullable String asynchronousAnswer(Type answer) {
    try {
      ClassInfo declared =
          answer.isParameterizedType()
              ? answer.asParameterizedType().declaration()
              : answer.isClass() ? answer.asClass().declaration() : null;
      return isAsynchronous(declared) && declared != null ? declared.simpleName() : null;
    } catch (RuntimeException e) {
      // a type that the container does not know while it builds; the first call will tell
      return null;
    }
  }

  private static boolean isAsynchronous(@Nullable ClassInfo type) {
    if (type == null) {
      return false;
    }
    return Asynchronous.isNamed(type.name())
        || isAsynchronous(type.superClassDeclaration())
        || type.superInterfacesDeclarations().stream().anyMatch(PlacementCheck::isAsynchronous);
  }
}
