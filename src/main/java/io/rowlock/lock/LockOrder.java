package io.rowlock.lock;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The place of an entity in the one order in which rows of several entities are locked: smaller
 * numbers first. Needed only where the default does not do: of entities that are not annotated, or
 * have the same number, parents come before children by foreign key, then the order of the names of
 * their tables. An entity that is not annotated finds its place by the foreign keys between it and
 * the others.
 *
 * <p>It stands on the entity at the root of a hierarchy, and holds for the whole hierarchy. The
 * setting {@code rowlock.lock-order} of the persistence unit replaces all annotations.
 *
 * <p>Where several applications write to one database, they must agree on the order.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface LockOrder {

  /** The place: any number; smaller ones are locked first. */
  int value();
}
