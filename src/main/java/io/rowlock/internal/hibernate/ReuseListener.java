package io.rowlock.internal.hibernate;

import java.util.Collections;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.engine.spi.SessionImplementor;
import org.hibernate.event.service.spi.EventListenerRegistry;
import org.hibernate.event.spi.AutoFlushEvent;
import org.hibernate.event.spi.AutoFlushEventListener;
import org.hibernate.event.spi.DeleteContext;
import org.hibernate.event.spi.DeleteEvent;
import org.hibernate.event.spi.DeleteEventListener;
import org.hibernate.event.spi.EventType;
import org.hibernate.event.spi.FlushEvent;
import org.hibernate.event.spi.FlushEventListener;
import org.hibernate.event.spi.LockEvent;
import org.hibernate.event.spi.LockEventListener;
import org.hibernate.event.spi.MergeContext;
import org.hibernate.event.spi.MergeEvent;
import org.hibernate.event.spi.MergeEventListener;
import org.hibernate.event.spi.PersistContext;
import org.hibernate.event.spi.PersistEvent;
import org.hibernate.event.spi.PersistEventListener;
import org.hibernate.event.spi.RefreshContext;
import org.hibernate.event.spi.RefreshEvent;
import org.hibernate.event.spi.RefreshEventListener;
import org.jspecify.annotations.Nullable;

/**
 * Shows the guards of the units on this thread every instance that is handed to a session, cascades
 * included. One for each factory, before Hibernate's own listeners; safe for use by any thread.
 * Does next to nothing while no unit has a failed attempt.
 */
final class ReuseListener
    implements PersistEventListener,
        MergeEventListener,
        DeleteEventListener,
        LockEventListener,
        RefreshEventListener,
        FlushEventListener,
        AutoFlushEventListener {

  private static final Set<SessionFactoryImplementor> FACTORIES =
      Collections.newSetFromMap(new WeakHashMap<>());
  private static final AtomicInteger WATCHING = new AtomicInteger();
  private static final ThreadLocal<@Nullable ReuseGuard> INNERMOST = new ThreadLocal<>();

  private ReuseListener() {}

  /** Has the listener told of what sessions of the factory are given. */
  static void register(SessionFactoryImplementor factory) {
    synchronized (FACTORIES) {
      if (FACTORIES.add(factory)) {
        ReuseListener listener = new ReuseListener();
        EventListenerRegistry registry = factory.getEventListenerRegistry();
        registry.prependListeners(EventType.PERSIST, listener);
        registry.prependListeners(EventType.PERSIST_ONFLUSH, listener);
        registry.prependListeners(EventType.MERGE, listener);
        registry.prependListeners(EventType.DELETE, listener);
        registry.prependListeners(EventType.LOCK, listener);
        registry.prependListeners(EventType.REFRESH, listener);
        registry.prependListeners(EventType.FLUSH, listener);
        registry.prependListeners(EventType.AUTO_FLUSH, listener);
      }
    }
  }

  /** Runs the work; what it does on this thread is shown to the guard. */
  static <T extends @Nullable Object> T watch(ReuseGuard guard, Callable<T> work) throws Exception {
    ReuseGuard outer = INNERMOST.get();
    guard.inside(outer);
    INNERMOST.set(guard);
    WATCHING.incrementAndGet();
    try {
      return work.call();
    } finally {
      WATCHING.decrementAndGet();
      if (outer == null) {
        INNERMOST.remove();
      } else {
        INNERMOST.set(outer);
      }
    }
  }

  private static void used(
      SessionImplementor session, String operation, @Nullable Object instance) {
    ReuseGuard guard = guard();
    if (guard != null) {
      guard.seen(session);
      guard.used(operation, instance);
    }
  }

  private static @Nullable ReuseGuard guard() {
    return WATCHING.get() > 0 ? INNERMOST.get() : null;
  }

  private static void seen(SessionImplementor session) {
    ReuseGuard guard = guard();
    if (guard != null) {
      guard.seen(session);
    }
  }

  @Override
  public void onFlush(FlushEvent event) {
    seen(event.getSession());
  }

  @Override
  public void onAutoFlush(AutoFlushEvent event) {
    seen(event.getSession());
  }

  @Override
  public void onPersist(PersistEvent event) {
    used(event.getSession(), "persist", event.getObject());
  }

  @Override
  public void onPersist(PersistEvent event, PersistContext createdAlready) {
    used(event.getSession(), "persist", event.getObject());
  }

  @Override
  public void onMerge(MergeEvent event) {
    used(event.getSession(), "merge", event.getOriginal());
  }

  @Override
  public void onMerge(MergeEvent event, MergeContext copiedAlready) {
    used(event.getSession(), "merge", event.getOriginal());
  }

  @Override
  public void onDelete(DeleteEvent event) {
    used(event.getSession(), "remove", event.getObject());
  }

  @Override
  public void onDelete(DeleteEvent event, DeleteContext transientEntities) {
    used(event.getSession(), "remove", event.getObject());
  }

  @Override
  public void onLock(LockEvent event) {
    used(event.getSession(), "lock", event.getObject());
  }

  @Override
  public void onRefresh(RefreshEvent event) {
    used(event.getSession(), "refresh", event.getObject());
  }

  @Override
  public void onRefresh(RefreshEvent event, RefreshContext refreshedAlready) {
    used(event.getSession(), "refresh", event.getObject());
  }
}
