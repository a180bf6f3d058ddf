package io.rowlock.internal.hibernate;

import org.hibernate.engine.spi.SharedSessionContractImplementor;
import org.hibernate.metamodel.mapping.EntityVersionMapping;
import org.hibernate.persister.entity.EntityPersister;

/** How versions begin and go on. */
final class Versions {

  private Versions() {}

  /** Whether the next version is the version and one. */
  static boolean isIntegral(EntityPersister persister) {
    Class<?> type = persister.getVersionMapping().getJavaType().getJavaTypeClass();
    return type == Integer.class
        || type == Long.class
        || type == Short.class
        || type == Byte.class
        || type.isPrimitive();
  }

  /** The version of a new row; where versions are times, the present one. */
  static Object seed(EntityPersister persister, SharedSessionContractImplementor session) {
    EntityVersionMapping mapping = persister.getVersionMapping();
    Integer temporal = mapping.getTemporalPrecision();
    return persister
        .getVersionJavaType()
        .seed(
            mapping.getLength(),
            temporal != null ? temporal : mapping.getPrecision(),
            mapping.getScale(),
            session);
  }

  /** Where the state of a versioned entity has its version. */
  static int position(EntityPersister persister) {
    return persister.getVersionMapping().getVersionAttribute().getStateArrayPosition();
  }
}
