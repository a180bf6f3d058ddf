package io.rowlock.internal.hibernate;

import jakarta.transaction.Status;
import jakarta.transaction.Synchronization;
import java.util.ArrayList;
import java.util.List;
import org.hibernate.Hibernate;
import org.hibernate.engine.spi.SharedSessionContractImplementor;
import org.hibernate.event.service.spi.EventListenerGroup;
import org.hibernate.event.service.spi.EventListenerGroups;
import org.hibernate.event.spi.PostCommitInsertEventListener;
import org.hibernate.event.spi.PostInsertEvent;
import org.hibernate.event.spi.PostInsertEventListener;
import org.hibernate.event.spi.PreInsertEvent;
import org.hibernate.event.spi.PreInsertEventListener;
import org.hibernate.event.spi.PreUpdateEvent;
import org.hibernate.event.spi.PreUpdateEventListener;
import org.hibernate.internal.EmptyInterceptor;
import org.hibernate.jpa.event.spi.CallbackType;
import org.hibernate.persister.entity.EntityPersister;
import org.jspecify.annotations.Nullable;

/**
 * Tells of an insert whom {@code persist} and a flush would tell: the entity's callbacks, the
 * session's interceptor, and the factory's listeners, Bean Validation among them.
 */
final class InsertEvents {

  private static final String BEAN_VALIDATION =
      "org.hibernate.boot.beanvalidation.BeanValidationEventListener";

  private InsertEvents() {}

  /** Whether anything but validation would run before an insert. */
  static boolean mayChange(SharedSessionContractImplementor session, Object candidate) {
    boolean[] listeners = {false};
    session
        .getFactory()
        .getEventListenerGroups()
        .eventListenerGroup_PRE_INSERT
        .fireLazyEventOnEachListener(
            () -> Boolean.TRUE,
            (listener, any) ->
                listeners[0] |= !listener.getClass().getName().equals(BEAN_VALIDATION));
    return listeners[0]
        || session.getInterceptor() != EmptyInterceptor.INSTANCE
        || session
            .getFactory()
            .getEventEngine()
            .getCallbackRegistry()
            .hasRegisteredCallbacks(Hibernate.getClassLazy(candidate), CallbackType.PRE_PERSIST);
  }

  /**
   * Before the statement: runs the callbacks for the candidate, and answers the state that is to be
   * stored, as the interceptor and the listeners leave it.
   *
   * @param update whether a row that is there is to be changed
   * @throws IllegalArgumentException if a listener forbids the insert
   */
  static Object[] before(
      SharedSessionContractImplementor session,
      EntityPersister persister,
      Object candidate,
      boolean update) {
    session.getFactory().getEventEngine().getCallbackRegistry().preCreate(candidate);
    Object[] state = persister.getValues(candidate);
    Object id = persister.getIdentifier(candidate, session);
    if (session
        .getInterceptor()
        .onPersist(
            candidate, id, state, persister.getPropertyNames(), persister.getPropertyTypes())) {
      persister.setValues(candidate, state);
    }
    EventListenerGroups listeners = session.getFactory().getEventListenerGroups();
    beforeInsert(listeners, session, persister, candidate, id, state);
    if (update) {
      validateForUpdate(session, persister, candidate, id, state);
    }
    return state;
  }

  private static void beforeInsert(
      EventListenerGroups listeners,
      SharedSessionContractImplementor session,
      EntityPersister persister,
      Object candidate,
      @Nullable Object id,
      Object[] state) {
    EventListenerGroup<PreInsertEventListener> group = listeners.eventListenerGroup_PRE_INSERT;
    if (group.isEmpty()) {
      return;
    }
    PreInsertEvent event = DatabaseEvents.preInsert(candidate, id, state, persister, session);
    List<String> vetoes = new ArrayList<>();
    group.fireEventOnEachListener(
        event,
        (listener, insert) -> {
          if (listener.onPreInsert(insert)) {
            vetoes.add(listener.getClass().getName());
          }
        });
    if (!vetoes.isEmpty()) {
      throw new IllegalArgumentException(
          "The candidate of "
              + persister.getEntityName()
              + " is not to be inserted: listeners before an insert forbid it: "
              + vetoes);
    }
  }

  /**
   * Validates an entity before its row is changed. Of the listeners before an update, only this one
   * looks at no row.
   */
  static void validateForUpdate(
      SharedSessionContractImplementor session,
      EntityPersister persister,
      Object candidate,
      @Nullable Object id,
      Object[] state) {
    EventListenerGroup<PreUpdateEventListener> group =
        session.getFactory().getEventListenerGroups().eventListenerGroup_PRE_UPDATE;
    if (group.isEmpty()) {
      return;
    }
    PreUpdateEvent event = DatabaseEvents.preUpdate(candidate, id, state, persister, session);
    group.fireEventOnEachListener(
        event,
        (listener, change) -> {
          if (listener.getClass().getName().equals(BEAN_VALIDATION)) {
            listener.onPreUpdate(change);
          }
        });
  }

  /** After the statement: runs the callbacks for the entity of the row that was inserted. */
  static void after(
      SharedSessionContractImplementor session, EntityPersister persister, Object entity) {
    EventListenerGroups listeners = session.getFactory().getEventListenerGroups();
    PostInsertEvent event =
        DatabaseEvents.postInsert(
            entity,
            persister.getIdentifier(entity, session),
            persister.getValues(entity),
            persister,
            session);
    listeners.eventListenerGroup_POST_INSERT.fireEventOnEachListener(
        event, PostInsertEventListener::onPostInsert);
    EventListenerGroup<PostInsertEventListener> late =
        listeners.eventListenerGroup_POST_COMMIT_INSERT;
    if (!late.isEmpty()) {
      session
          .getTransactionCoordinator()
          .getLocalSynchronizations()
          .registerSynchronization(new AfterCommit(late, event));
    }
  }

  private record AfterCommit(
      EventListenerGroup<PostInsertEventListener> listeners, PostInsertEvent event)
      implements Synchronization {

    @Override
    public void beforeCompletion() {}

    @Override
    public void afterCompletion(int status) {
      boolean committed = status == Status.STATUS_COMMITTED;
      listeners.fireEventOnEachListener(
          event,
          (listener, insert) -> {
            if (!listener.requiresPostCommitHandling(insert.getPersister())) {
              return;
            }
            if (!committed && listener instanceof PostCommitInsertEventListener choosy) {
              choosy.onPostInsertCommitFailed(insert);
            } else {
              listener.onPostInsert(insert);
            }
          });
    }
  }
}
