package io.rowlock.internal.hibernate;

import io.rowlock.lock.LockOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.persister.entity.EntityPersister;
import org.jspecify.annotations.Nullable;

/**
 * The places that the application has declared: by the setting, or else by annotations.
 *
 * <p>Immutable.
 */
final class DeclaredOrder {

  private final @Nullable List<String> roots;

  private DeclaredOrder(@Nullable List<String> roots) {
    this.roots = roots;
  }

  /**
   * What is declared in the factory.
   *
   * @throws IllegalArgumentException if the setting names what is no root entity, or names it
   *     twice; or if an annotation stands on an entity that is not at the root of its hierarchy
   */
  static DeclaredOrder of(SessionFactoryImplementor factory, List<EntityPersister> entities) {
    Object setting = factory.getProperties().get(HibernateFactory.LOCK_ORDER);
    if (setting != null) {
      return new DeclaredOrder(read(setting.toString(), entities));
    }
    entities.forEach(DeclaredOrder::refuseOnSubclass);
    return new DeclaredOrder(null);
  }

  /** The place of the hierarchy with that root. */
  int of(EntityPersister root) {
    if (roots != null) {
      int place = roots.indexOf(root.getEntityName());
      return place < 0 ? LockGroup.UNDECLARED : place;
    }
    LockOrder annotation = annotation(root);
    return annotation == null ? LockGroup.UNDECLARED : annotation.value();
  }

  private static List<String> read(String setting, List<EntityPersister> entities) {
    List<String> roots = new ArrayList<>();
    for (String part : setting.split(",", -1)) {
      EntityPersister entity = named(part.strip(), entities);
      if (roots.contains(entity.getEntityName())) {
        throw wrong("names '" + part.strip() + "' twice");
      }
      roots.add(entity.getEntityName());
    }
    return roots;
  }

  private static EntityPersister named(String name, List<EntityPersister> entities) {
    TreeSet<String> known = new TreeSet<>();
    for (EntityPersister entity : entities) {
      if (name.equals(entity.getImportedName()) || name.equals(entity.getEntityName())) {
        if (isRoot(entity)) {
          return entity;
        }
        throw wrong(
            "names '"
                + name
                + "', which has the place of its hierarchy. Name the root "
                + entity.getRootEntityName());
      }
      if (isRoot(entity)) {
        known.add(entity.getImportedName());
      }
    }
    throw wrong("names '" + name + "', which is no entity of this persistence unit: " + known);
  }

  private static void refuseOnSubclass(EntityPersister entity) {
    if (!isRoot(entity) && annotation(entity) != null) {
      throw new IllegalArgumentException(
          "@LockOrder stands on "
              + entity.getEntityName()
              + ", but a hierarchy has one place. Put it on the root "
              + entity.getRootEntityName());
    }
  }

  private static boolean isRoot(EntityPersister entity) {
    return entity.getEntityName().equals(entity.getRootEntityName());
  }

  private static @Nullable LockOrder annotation(EntityPersister entity) {
    Class<?> type = entity.getMappedClass();
    return type == null ? null : type.getAnnotation(LockOrder.class);
  }

  private static IllegalArgumentException wrong(String what) {
    return new IllegalArgumentException("The setting " + HibernateFactory.LOCK_ORDER + " " + what);
  }
}
