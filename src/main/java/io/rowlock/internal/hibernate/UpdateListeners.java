package io.rowlock.internal.hibernate;

import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.event.service.spi.EventListenerGroup;
import org.hibernate.event.service.spi.EventListenerGroups;

/**
 * Says once for each entity that listeners of Hibernate's updates, such as those of Envers, do not
 * hear of what an upsert changes: they ask for the state before it, which is never read.
 */
final class UpdateListeners {

  private static final System.Logger LOGGER = System.getLogger(UpdateListeners.class.getName());
  private static final String OF_HIBERNATE_ITSELF = "org.hibernate.event.internal.";
  private static final String BEAN_VALIDATION = "org.hibernate.boot.beanvalidation.";
  private static final Set<String> SAID = ConcurrentHashMap.newKeySet();

  private UpdateListeners() {}

  static void warn(EntityTable table, SessionFactoryImplementor factory) {
    if (!SAID.add(factory.getUuid() + ' ' + table.entityName())) {
      return;
    }
    Set<String> deaf = of(factory);
    if (!deaf.isEmpty()) {
      LOGGER.log(
          System.Logger.Level.WARNING,
          "An upsert of {0} changes rows without the listeners of updates being told: {1}. Where they"
              + " matter, use get-or-create, and change the entity that is answered",
          table.entityName(),
          deaf);
    }
  }

  /** The listeners of updates, but for Hibernate's own and validation. */
  static Set<String> of(SessionFactoryImplementor factory) {
    EventListenerGroups groups = factory.getEventListenerGroups();
    Set<String> names = new TreeSet<>();
    collect(groups.eventListenerGroup_PRE_UPDATE, names);
    collect(groups.eventListenerGroup_POST_UPDATE, names);
    collect(groups.eventListenerGroup_POST_COMMIT_UPDATE, names);
    return names;
  }

  private static <T> void collect(EventListenerGroup<T> group, Set<String> names) {
    group.fireEventOnEachListener(
        names,
        (listener, set) -> {
          String name = listener.getClass().getName();
          if (!name.startsWith(OF_HIBERNATE_ITSELF) && !name.startsWith(BEAN_VALIDATION)) {
            set.add(name);
          }
        });
  }
}
