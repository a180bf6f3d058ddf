package io.rowlock.internal.hibernate;

import io.rowlock.UnitInfo;
import io.rowlock.UnitMisuseException;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import org.hibernate.Hibernate;
import org.hibernate.engine.spi.EntityEntry;
import org.hibernate.engine.spi.SessionImplementor;
import org.hibernate.proxy.HibernateProxy;
import org.hibernate.proxy.LazyInitializer;
import org.jspecify.annotations.Nullable;

/**
 * Remembers the entity instances of a unit's failed attempts, and finds out when a later attempt
 * uses one: such an instance carries the ids, versions and changes of a transaction that never was.
 * An attempt that persists one would fail in words that name something else; one that changes one
 * would succeed without writing.
 *
 * <p>For one unit of work and the thread that runs it.
 */
public final class ReuseGuard {

  private static final System.Logger LOGGER = System.getLogger(ReuseGuard.class.getName());

  private final WeakIdentityMap<FailedInstance> failed = new WeakIdentityMap<>();
  private final IdentityHashMap<SessionImplementor, Map.Entry<Object, EntityEntry>[]> managed =
      new IdentityHashMap<>();
  private @Nullable Set<SessionImplementor> sessions;
  private @Nullable UnitMisuseException misuse;
  private @Nullable ReuseGuard outer;

  ReuseGuard() {}

  /** The guard of a unit of another factory that runs around this one's. */
  void inside(@Nullable ReuseGuard around) {
    outer = around;
  }

  /** Runs an attempt's work, watching this thread; costs nothing before an attempt has failed. */
  public <T extends @Nullable Object> T watching(Callable<T> work) throws Exception {
    return failed.isEmpty() ? work.call() : ReuseListener.watch(this, work);
  }

  /**
   * Runs an attempt's work in sessions that somebody else opens and clears: each one that is used
   * on this thread is found and, at the end of the work, asked what it manages.
   */
  public <T extends @Nullable Object> T watchingAllSessions(Callable<T> work) throws Exception {
    Set<SessionImplementor> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    sessions = seen;
    try {
      return ReuseListener.watch(this, work);
    } finally {
      sessions = null;
      seen.forEach(this::collect);
    }
  }

  /** A session is used on this thread. */
  void seen(SessionImplementor session) {
    if (sessions != null) {
      sessions.add(session);
    }
  }

  /**
   * Notes what a session manages, before a rollback clears it. The first call of an attempt counts.
   */
  void collect(SessionImplementor session) {
    if (!managed.containsKey(session)) {
      try {
        managed.put(session, session.getPersistenceContextInternal().reentrantSafeEntityEntries());
      } catch (RuntimeException e) {
        // a guard must not stand in the way of a rollback
        LOGGER.log(System.Logger.Level.DEBUG, "The instances of a failed attempt are not known", e);
      }
    }
  }

  /**
   * Takes a picture of what the failed attempt had managed, now that it is over.
   *
   * @param runsAgain whether there will be a later attempt
   */
  public void attemptFailed(UnitInfo attempt, boolean runsAgain) {
    if (runsAgain) {
      managed.values().forEach(entries -> remember(attempt, entries));
    }
    managed.clear();
  }

  private void remember(UnitInfo attempt, Map.Entry<Object, EntityEntry>[] entries) {
    for (Map.Entry<Object, EntityEntry> entry : entries) {
      if (entry.getValue().getPersister().isMutable()) {
        remember(attempt, entry.getKey(), entry.getValue());
      }
    }
  }

  private void remember(UnitInfo attempt, Object instance, EntityEntry entry) {
    try {
      failed.put(instance, new FailedInstance(attempt, entry.getPersister(), instance));
    } catch (RuntimeException e) {
      // an accessor or type of the application's own that does not bear being read now
      LOGGER.log(System.Logger.Level.DEBUG, "Not watched: " + entry.getEntityName(), e);
    }
  }

  /**
   * Checks an attempt that has come to its end.
   *
   * @throws UnitMisuseException if it used an instance of a failed attempt, whatever became of the
   *     exception that told so, or changed one
   */
  public void verify() {
    if (misuse != null) {
      throw misuse;
    }
    failed.forEach(this::verifyUnchanged);
  }

  private void verifyUnchanged(Object instance, FailedInstance before) {
    String attribute = changed(instance, before);
    if (attribute != null) {
      throw misuse(before, "attribute '" + attribute + "' was changed, which stores nothing");
    }
  }

  private static @Nullable String changed(Object instance, FailedInstance before) {
    try {
      return before.changedAttribute(instance);
    } catch (RuntimeException e) {
      return null;
    }
  }

  /** Refuses an instance of a failed attempt that is handed to the session. */
  void used(String operation, @Nullable Object instance) {
    Object implementation = initialized(instance);
    FailedInstance before = implementation == null ? null : failed.get(implementation);
    if (before != null) {
      throw misuse(before, "it was given to " + operation);
    }
    if (outer != null) {
      outer.used(operation, instance);
    }
  }

  private static @Nullable Object initialized(@Nullable Object instance) {
    LazyInitializer proxy = HibernateProxy.extractLazyInitializer(instance);
    if (proxy == null) {
      return instance;
    }
    return Hibernate.isInitialized(instance) ? proxy.getImplementation() : null;
  }

  private UnitMisuseException misuse(FailedInstance before, String what) {
    UnitMisuseException because =
        new UnitMisuseException(
            "An instance of "
                + before.entityName()
                + " that unit of work "
                + before.attempt()
                + " had managed was used by a later attempt: "
                + what
                + ". That attempt was rolled back, and what the instance carries with it. Create or load"
                + " it inside the function",
            null);
    misuse = misuse == null ? because : misuse;
    return because;
  }
}
