package io.rowlock.internal.hibernate;

import io.rowlock.lock.LockStrength;
import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.hibernate.Hibernate;
import org.hibernate.LockMode;
import org.hibernate.engine.spi.EntityEntry;
import org.hibernate.engine.spi.PersistenceContext;
import org.hibernate.engine.spi.SessionImplementor;

/** What is done to the instances of locked rows. Stateless. */
final class LockedInstances {

  private LockedInstances() {}

  /**
   * Tells Hibernate the lock, so that it does not ask for it again; a stronger one that it knows of
   * stays.
   */
  static void note(SessionImplementor session, Object entity, LockStrength strength) {
    LockMode held =
        switch (strength) {
          // weaker than any lock that Hibernate knows
          case KEY_SHARE -> LockMode.READ;
          case SHARE -> LockMode.PESSIMISTIC_READ;
          case NO_KEY_UPDATE, UPDATE -> LockMode.PESSIMISTIC_WRITE;
        };
    PersistenceContext context = session.getPersistenceContextInternal();
    EntityEntry entry = context.getEntry(Hibernate.unproxy(entity));
    if (entry != null && entry.getLockMode().lessThan(held)) {
      entry.setLockMode(held);
    }
  }

  /** Refreshes what is managed of the rows, whichever form of the id it is managed under. */
  static void refreshManaged(
      SessionImplementor session, LockTarget target, WantedIds wanted, List<Object> stored) {
    PersistenceContext context = session.getPersistenceContextInternal();
    Set<Object> instances = Collections.newSetFromMap(new IdentityHashMap<>());
    for (Collection<?> ids : List.of(wanted.all(), stored)) {
      for (Object id : ids) {
        Object instance = context.getEntity(session.generateEntityKey(id, target.persister()));
        if (instance != null) {
          instances.add(instance);
        }
      }
    }
    ManagedInstances.refreshAll(session, instances);
  }
}
