package io.rowlock.internal.hibernate;

import io.rowlock.internal.postgres.ColumnUse;
import io.rowlock.internal.postgres.ColumnUse.Use;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import org.hibernate.Hibernate;
import org.hibernate.HibernateException;
import org.hibernate.TransientObjectException;
import org.hibernate.collection.spi.PersistentCollection;
import org.hibernate.engine.internal.ManagedTypeHelper;
import org.hibernate.engine.internal.Nullability;
import org.hibernate.engine.internal.Versioning;
import org.hibernate.engine.spi.EntityEntry;
import org.hibernate.engine.spi.SessionImplementor;
import org.hibernate.engine.spi.Status;
import org.hibernate.metamodel.mapping.AttributeMapping;
import org.hibernate.metamodel.mapping.SelectableMapping;
import org.hibernate.persister.entity.EntityPersister;
import org.hibernate.type.CompositeType;
import org.hibernate.type.Type;
import org.hibernate.type.TypeHelper;
import org.jspecify.annotations.Nullable;

/**
 * What a flush would write of one managed entity, as columns of its row, and what it would do to
 * the entity afterwards.
 *
 * <p>For one call on the thread of its session.
 */
final class EntityChange {

  private final SessionImplementor session;
  private final Object id;
  private final Object entity;
  private final EntityEntry entry;
  private final EntityPersister persister;
  private final Object[] state;
  private final @Nullable Object nextVersion;

  private final List<ColumnUse> columns = new ArrayList<>();
  private final List<BoundValue> values = new ArrayList<>();

  /** A change that has to be left to the flush. */
  static final class NotPlain extends Exception {

    private static final long serialVersionUID = 1L;

    NotPlain() {
      super(null, null, false, false);
    }
  }

  private EntityChange(
      SessionImplementor session,
      Object id,
      Object entity,
      EntityEntry entry,
      Object[] state,
      int[] dirty)
      throws NotPlain {
    this.session = session;
    this.id = id;
    this.entity = entity;
    this.entry = entry;
    this.persister = entry.getPersister();
    this.state = state;
    for (int i : dirty) {
      addAttribute(persister.getAttributeMapping(i));
    }
    this.nextVersion = addVersion();
    require(new HashSet<>(columns).size() == columns.size());
  }

  /**
   * The change of an entity, null if it is as it was loaded.
   *
   * @param id the id as the row has it
   * @param mappings of which entities a change can be written at all
   * @throws NotPlain if a flush could do more or other than set columns of the row
   */
  static @Nullable EntityChange of(
      SessionImplementor session, Object id, Object instance, Predicate<EntityPersister> mappings)
      throws NotPlain {
    Object entity = Hibernate.unproxy(instance);
    EntityEntry entry = session.getPersistenceContextInternal().getEntry(entity);
    require(entry != null && entry.getStatus() == Status.MANAGED && entry.isExistsInDatabase());
    require(!ManagedTypeHelper.isManagedType(entity.getClass()));
    EntityPersister persister = entry.getPersister();
    Object[] loaded = entry.getLoadedState();
    require(loaded != null && entry.getId() != null && !entry.isBeingReplicated());
    require(
        persister
            .getIdentifierType()
            .isEqual(
                entry.getId(), persister.getIdentifier(entity, session), session.getFactory()));
    Object[] state = persister.getValues(entity);
    Type[] types = persister.getPropertyTypes();
    requireSameCollections(types, state, loaded);
    requireSameNaturalId(session, persister, state, loaded);
    if (persister.isVersioned()) {
      Object version = state[Versions.position(persister)];
      require(version != null && version.equals(entry.getVersion()));
    }
    int[] dirty = persister.findDirty(state, loaded, entity, session);
    if (dirty == null || dirty.length == 0) {
      return null;
    }
    require(mappings.test(persister));
    for (int i : dirty) {
      require(persister.getPropertyUpdateability()[i]);
      require(!persister.isVersioned() || persister.getPropertyVersionability()[i]);
      requireStored(session, types[i], state[i]);
    }
    try {
      new Nullability(session, Nullability.NullabilityCheckType.UPDATE)
          .checkNullability(state, persister);
    } catch (HibernateException e) {
      throw new NotPlain();
    }
    return new EntityChange(session, id, entity, entry, state, dirty);
  }

  /** Whether collections have changed is known for sure only where they are not loaded. */
  private static void requireSameCollections(Type[] types, Object[] state, Object[] loaded)
      throws NotPlain {
    for (int i = 0; i < types.length; i++) {
      if (types[i].isCollectionType()) {
        require(
            state[i] == loaded[i]
                && state[i] instanceof PersistentCollection<?> collection
                && !collection.wasInitialized()
                && !collection.isDirty()
                && !collection.hasQueuedOperations());
      }
    }
  }

  private static void requireSameNaturalId(
      SessionImplementor session, EntityPersister persister, Object[] state, Object[] loaded)
      throws NotPlain {
    if (persister.hasNaturalIdentifier()) {
      for (int i : persister.getNaturalIdentifierProperties()) {
        require(!persister.getPropertyTypes()[i].isDirty(loaded[i], state[i], session));
      }
    }
  }

  /** Whatever an association refers to has its row already. */
  private static void requireStored(SessionImplementor session, Type type, @Nullable Object value)
      throws NotPlain {
    require(!type.isAnyType() && !type.isCollectionType());
    if (value == null) {
      return;
    }
    if (type instanceof CompositeType composite) {
      Object[] parts = composite.getPropertyValues(value, session);
      Type[] types = composite.getSubtypes();
      for (int i = 0; i < types.length; i++) {
        requireStored(session, types[i], parts[i]);
      }
    } else if (type.isEntityType() && Hibernate.isInitialized(value)) {
      EntityEntry target =
          session.getPersistenceContextInternal().getEntry(Hibernate.unproxy(value));
      require(
          target != null && target.getStatus() == Status.MANAGED && target.isExistsInDatabase());
    }
  }

  private static void require(boolean plain) throws NotPlain {
    if (!plain) {
      throw new NotPlain();
    }
  }

  private void addAttribute(AttributeMapping attribute) throws NotPlain {
    int before = columns.size();
    try {
      attribute.decompose(
          state[attribute.getStateArrayPosition()],
          (i, value, column) -> {
            if (!column.isFormula() && column.isUpdateable()) {
              add(column, value, Use.SET);
            }
          },
          session);
    } catch (TransientObjectException e) {
      throw new NotPlain();
    }
    require(columns.size() > before);
    for (SelectableMapping column : EntityTable.columnsOf(attribute)) {
      require(column.isFormula() || isPlain(column));
    }
  }

  /** With the state's version, the row's is raised, and has to be what was read. */
  private @Nullable Object addVersion() {
    if (!persister.isVersioned()) {
      return null;
    }
    SelectableMapping column = EntityTable.columnsOf(persister.getVersionMapping()).get(0);
    Object version = entry.getVersion();
    Object next = Versioning.incrementVersion(entity, version, persister, session);
    AttributeMapping attribute = persister.getVersionMapping().getVersionAttribute();
    attribute.decompose(next, (i, value, part) -> add(column, value, Use.SET), session);
    attribute.decompose(version, (i, value, part) -> add(column, value, Use.GUARD), session);
    return next;
  }

  private void add(SelectableMapping column, @Nullable Object value, Use use) {
    columns.add(
        ColumnUse.parameter(
            column.getSelectionExpression(), column.getWriteExpression(), Set.of(use)));
    values.add(BoundValue.of(value, column));
  }

  private static boolean isPlain(SelectableMapping column) {
    String marker = Objects.requireNonNullElse(column.getWriteExpression(), "");
    return marker.indexOf('?') >= 0
        && marker.indexOf('?') == marker.lastIndexOf('?')
        && !column.getJdbcMapping().getJdbcType().isLob();
  }

  /** The id as the row has it. */
  Object id() {
    return id;
  }

  EntityPersister persister() {
    return persister;
  }

  /** What is done with which column; the same for entities of which the same has changed. */
  List<ColumnUse> columns() {
    return columns;
  }

  /** The parameters, in the order of those columns. */
  List<BoundValue> values() {
    return values;
  }

  /** What validation has to say, before the row is written. */
  void validate() {
    if (persister.isVersioned()) {
      Versioning.setVersion(state, nextVersion, persister);
    }
    InsertEvents.validateForUpdate(session, persister, entity, entry.getId(), state);
  }

  /** The row is written: the entity is as it was loaded, as after a flush. */
  @SuppressWarnings("NullAway") // the next version is null without a version, for Hibernate too
  void written() {
    TypeHelper.deepCopy(
        state, persister.getPropertyTypes(), persister.getPropertyCheckability(), state, session);
    entry.postUpdate(entity, state, nextVersion);
    entry.setMaybeLazySet(null);
    if (session.getFactory().getStatistics().isStatisticsEnabled()) {
      session.getFactory().getStatistics().updateEntity(persister.getEntityName());
    }
  }
}
