package io.rowlock.testing;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.hibernate.boot.spi.SessionFactoryOptions;
import org.hibernate.cache.cfg.spi.DomainDataRegionBuildingContext;
import org.hibernate.cache.cfg.spi.DomainDataRegionConfig;
import org.hibernate.cache.spi.support.DomainDataStorageAccess;
import org.hibernate.cache.spi.support.RegionFactoryTemplate;
import org.hibernate.cache.spi.support.StorageAccess;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.engine.spi.SharedSessionContractImplementor;

/** A second-level cache in the memory of one factory. */
public final class MapCache extends RegionFactoryTemplate {

  private static final long serialVersionUID = 1L;

  @Override
  protected void prepareForUse(SessionFactoryOptions settings, Map<String, Object> configuration) {}

  @Override
  protected void releaseFromUse() {}

  @Override
  protected DomainDataStorageAccess createDomainDataStorageAccess(
      DomainDataRegionConfig region, DomainDataRegionBuildingContext context) {
    return new Storage();
  }

  @Override
  protected StorageAccess createQueryResultsRegionStorageAccess(
      String region, SessionFactoryImplementor factory) {
    return new Storage();
  }

  @Override
  protected StorageAccess createTimestampsRegionStorageAccess(
      String region, SessionFactoryImplementor factory) {
    return new Storage();
  }

  private static final class Storage implements DomainDataStorageAccess {

    private final Map<Object, Object> entries = new ConcurrentHashMap<>();

    @Override
    public Object getFromCache(Object key, SharedSessionContractImplementor session) {
      return entries.get(key);
    }

    @Override
    public void putIntoCache(Object key, Object value, SharedSessionContractImplementor session) {
      entries.put(key, value);
    }

    @Override
    public boolean contains(Object key) {
      return entries.containsKey(key);
    }

    @Override
    public void evictData() {
      entries.clear();
    }

    @Override
    public void evictData(Object key) {
      entries.remove(key);
    }

    @Override
    public void release() {}
  }
}
