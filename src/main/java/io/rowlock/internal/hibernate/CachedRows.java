package io.rowlock.internal.hibernate;

import java.util.Collection;
import org.hibernate.Cache;
import org.hibernate.action.internal.BulkOperationCleanupAction;
import org.hibernate.engine.spi.SessionImplementor;
import org.hibernate.persister.entity.EntityPersister;

/** Rows in the second-level cache. Stateless. */
final class CachedRows {

  private CachedRows() {}

  /**
   * A statement of our own has changed the rows: they are dropped now, and once more when the
   * transaction is over.
   */
  static void changed(SessionImplementor session, EntityPersister persister, Collection<?> ids) {
    if (persister.canWriteToCache()) {
      Cache cache = session.getFactory().getCache();
      ids.forEach(id -> cache.evictEntityData(persister.getEntityName(), id));
    }
    // until the commit, others may have cached them again as they were; results of cached queries
    // are stale too
    BulkOperationCleanupAction.schedule(session, persister);
  }
}
