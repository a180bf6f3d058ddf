package io.rowlock.internal.hibernate;

import io.rowlock.UnitInfo;
import java.lang.ref.WeakReference;
import org.hibernate.bytecode.enhance.spi.LazyPropertyInitializer;
import org.hibernate.collection.spi.PersistentCollection;
import org.hibernate.persister.entity.EntityPersister;
import org.hibernate.type.Type;
import org.jspecify.annotations.Nullable;

/** What an entity instance looked like when the attempt that had managed it was rolled back. */
final class FailedInstance {

  private final UnitInfo attempt;
  private final EntityPersister persister;
  private final @Nullable Object[] state;

  FailedInstance(UnitInfo attempt, EntityPersister persister, Object instance) {
    this.attempt = attempt;
    this.persister = persister;
    this.state = values(instance);
  }

  UnitInfo attempt() {
    return attempt;
  }

  String entityName() {
    return persister.getEntityName();
  }

  /** The first attribute whose value differs from what it was; null if none does. */
  @Nullable String changedAttribute(Object instance) {
    Object[] now = persister.getValues(instance);
    Type[] types = persister.getPropertyTypes();
    for (int i = 0; i < now.length; i++) {
      if (isChanged(types[i], state[i], now[i])) {
        return persister.getPropertyNames()[i];
      }
    }
    return null;
  }

  /** Copies, so that what is changed in place is noticed too; other entities are not kept alive. */
  private @Nullable Object[] values(Object instance) {
    @Nullable Object[] copies = persister.getValues(instance);
    Type[] types = persister.getPropertyTypes();
    for (int i = 0; i < copies.length; i++) {
      Object value = copies[i];
      if (value == null || value == LazyPropertyInitializer.UNFETCHED_PROPERTY) {
        continue;
      }
      if (types[i].isCollectionType()) {
        copies[i] = isDirty(value);
      } else if (isReference(types[i])) {
        copies[i] = new WeakReference<>(value);
      } else {
        copies[i] = types[i].deepCopy(value, persister.getFactory());
      }
    }
    return copies;
  }

  private boolean isChanged(Type type, @Nullable Object before, @Nullable Object now) {
    if (now == LazyPropertyInitializer.UNFETCHED_PROPERTY) {
      return false;
    }
    if (type.isCollectionType()) {
      return Boolean.FALSE.equals(before) && now != null && isDirty(now);
    }
    if (before instanceof WeakReference<?> reference && isReference(type)) {
      return reference.get() != now;
    }
    return !type.isEqual(before, now, persister.getFactory());
  }

  private static boolean isReference(Type type) {
    return type.isEntityType() || type.isAnyType();
  }

  private static boolean isDirty(Object collection) {
    return collection instanceof PersistentCollection<?> persistent && persistent.isDirty();
  }
}
