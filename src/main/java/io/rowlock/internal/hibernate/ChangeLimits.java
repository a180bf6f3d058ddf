package io.rowlock.internal.hibernate;

import java.util.stream.Stream;
import org.hibernate.boot.internal.DefaultCustomEntityDirtinessStrategy;
import org.hibernate.engine.OptimisticLockStyle;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.engine.spi.SessionImplementor;
import org.hibernate.event.spi.FlushEntityEventListener;
import org.hibernate.generator.Generator;
import org.hibernate.internal.EmptyInterceptor;
import org.hibernate.jpa.event.spi.CallbackRegistry;
import org.hibernate.jpa.event.spi.CallbackType;
import org.hibernate.metamodel.mapping.AttributeMapping;
import org.hibernate.metamodel.mapping.EmbeddableMappingType;
import org.hibernate.persister.entity.EntityPersister;
import org.hibernate.persister.entity.SingleTableEntityPersister;

/**
 * Which entities' changes a statement of Rowlock writes as a flush would. All others are left to
 * the flush: this is about speed, and nobody is to find out by a difference. Stateless.
 */
final class ChangeLimits {

  private ChangeLimits() {}

  /** Whether nobody but Hibernate has a say in the flush of the session. */
  static boolean isPlain(SessionImplementor session) {
    SessionFactoryImplementor factory = session.getFactory();
    boolean[] plain = {
      session.getInterceptor() == EmptyInterceptor.INSTANCE
          && factory.getCustomEntityDirtinessStrategy()
              instanceof DefaultCustomEntityDirtinessStrategy
          && UpdateListeners.of(factory).isEmpty()
    };
    factory
        .getEventListenerGroups()
        .eventListenerGroup_FLUSH_ENTITY
        .fireEventOnEachListener(
            plain, (FlushEntityEventListener listener, boolean[] all) -> all[0] &= isOwn(listener));
    return plain[0];
  }

  /** Whether the listener is Hibernate's. */
  static boolean isOwn(Object listener) {
    return listener.getClass().getName().startsWith("org.hibernate.event.internal.");
  }

  /** Whether a flush would do no more for the entity than set columns of one table. */
  static boolean isPlain(SessionFactoryImplementor factory, EntityPersister persister) {
    EntityTable table = EntityTable.of(persister);
    return table.isOneTable()
        && persister.isMutable()
        && persister.getSoftDeleteMapping() == null
        && !MappingLimits.hasAuxiliaryMapping(persister)
        && !persister.isSelectBeforeUpdateRequired()
        && !persister.hasUpdateGeneratedProperties()
        && hasPlainVersion(persister)
        && hasPlainStatement(persister)
        && hasNoCallbacks(factory, persister)
        && table.attributes().stream().allMatch(attribute -> isPlain(table, attribute));
  }

  private static boolean hasPlainVersion(EntityPersister persister) {
    if (!persister.isVersioned()) {
      return !persister.optimisticLockStyle().isAllOrDirty();
    }
    return persister.optimisticLockStyle() == OptimisticLockStyle.VERSION
        && !persister.isVersionPropertyGenerated()
        && Versions.isIntegral(persister);
  }

  private static boolean hasPlainStatement(EntityPersister persister) {
    boolean[] plain = {true};
    if (persister instanceof SingleTableEntityPersister single) {
      single.forEachMutableTable(
          table ->
              plain[0] &=
                  table.getUpdateDetails().getCustomSql() == null
                      && !table.getUpdateDetails().isDynamicMutation());
    }
    return plain[0];
  }

  private static boolean hasNoCallbacks(
      SessionFactoryImplementor factory, EntityPersister persister) {
    CallbackRegistry callbacks = factory.getEventEngine().getCallbackRegistry();
    return Stream.of(CallbackType.PRE_UPDATE, CallbackType.POST_UPDATE)
        .noneMatch(type -> callbacks.hasRegisteredCallbacks(persister.getMappedClass(), type));
  }

  private static boolean isPlain(EntityTable table, AttributeMapping attribute) {
    Generator generator = attribute.getGenerator();
    boolean generated =
        generator != null && generator.generatesOnUpdate() && !table.isVersion(attribute);
    return !generated
        && !(attribute.getPartMappingType() instanceof EmbeddableMappingType embeddable
            && !isPlain(embeddable));
  }

  private static boolean isPlain(EmbeddableMappingType embeddable) {
    boolean[] plain = {embeddable.getAggregateMapping() == null && !embeddable.isPolymorphic()};
    embeddable
        .getAttributeMappings()
        .forEach(
            part ->
                plain[0] &=
                    !part.isPluralAttributeMapping()
                        && !(part.getPartMappingType() instanceof EmbeddableMappingType nested
                            && !isPlain(nested)));
    return plain[0];
  }
}
