package io.rowlock.internal.hibernate;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import org.hibernate.engine.spi.SharedSessionContractImplementor;
import org.hibernate.event.spi.PostInsertEvent;
import org.hibernate.event.spi.PreInsertEvent;
import org.hibernate.event.spi.PreUpdateEvent;
import org.hibernate.persister.entity.EntityPersister;
import org.jspecify.annotations.Nullable;

/**
 * Makes the events of Hibernate's flush. Their constructors take another type of session since
 * Hibernate 7.2, so they are found at run time.
 */
final class DatabaseEvents {

  private static final Constructor<?> PRE_INSERT = PreInsertEvent.class.getConstructors()[0];
  private static final Constructor<?> POST_INSERT = PostInsertEvent.class.getConstructors()[0];
  private static final Constructor<?> PRE_UPDATE = PreUpdateEvent.class.getConstructors()[0];

  private DatabaseEvents() {}

  static PreInsertEvent preInsert(
      Object entity,
      @Nullable Object id,
      Object[] state,
      EntityPersister persister,
      SharedSessionContractImplementor session) {
    return (PreInsertEvent) made(PRE_INSERT, entity, id, state, persister, session);
  }

  static PostInsertEvent postInsert(
      Object entity,
      Object id,
      Object[] state,
      EntityPersister persister,
      SharedSessionContractImplementor session) {
    return (PostInsertEvent) made(POST_INSERT, entity, id, state, persister, session);
  }

  static PreUpdateEvent preUpdate(
      Object entity,
      @Nullable Object id,
      Object[] state,
      EntityPersister persister,
      SharedSessionContractImplementor session) {
    return (PreUpdateEvent) made(PRE_UPDATE, entity, id, state, null, persister, session);
  }

  private static Object made(Constructor<?> constructor, @Nullable Object... arguments) {
    try {
      return constructor.newInstance(arguments);
    } catch (InvocationTargetException e) {
      throw new IllegalStateException(e.getCause());
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }
}
