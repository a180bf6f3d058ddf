package io.rowlock.internal.hibernate;

import java.util.Collections;
import java.util.Set;
import java.util.WeakHashMap;
import org.hibernate.engine.spi.SessionFactoryImplementor;

/**
 * The factories that something was reported of, so that it is once for each. Keeps none of them
 * from being collected. Safe for use by any thread.
 */
final class SeenFactories {

  private final Set<SessionFactoryImplementor> seen =
      Collections.newSetFromMap(new WeakHashMap<>());

  /** Whether the factory is seen for the first time. */
  boolean add(SessionFactoryImplementor factory) {
    synchronized (seen) {
      return seen.add(factory);
    }
  }
}
