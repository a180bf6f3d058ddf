package io.rowlock.internal.hibernate;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.hibernate.engine.FetchTiming;
import org.hibernate.engine.spi.CascadingActions;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.event.spi.PostLoadEventListener;
import org.hibernate.jpa.event.spi.CallbackType;
import org.hibernate.metamodel.mapping.AttributeMapping;
import org.hibernate.metamodel.mapping.BasicValuedModelPart;
import org.hibernate.metamodel.mapping.EmbeddableMappingType;
import org.hibernate.metamodel.mapping.EmbeddableValuedModelPart;
import org.hibernate.metamodel.mapping.ForeignKeyDescriptor;
import org.hibernate.metamodel.mapping.internal.ToOneAttributeMapping;
import org.hibernate.persister.entity.EntityPersister;
import org.hibernate.spi.NavigablePath;

/**
 * The attributes of an entity that a query can read without its instances: values of columns, and
 * the ids of what is referred to.
 *
 * <p>Immutable; safe for use by any thread.
 */
final class ReadAttributes {

  /** What an attribute holds. */
  enum Kind {
    /** A value, of one column or several. */
    VALUE,
    /** An entity, of which the id is read. */
    REFERENCE
  }

  /**
   * One of them.
   *
   * @param position where the entity's state has it
   * @param path what is selected, after the entity's alias
   * @param eager whether what is referred to is loaded at once
   */
  record Attribute(int position, Kind kind, String path, boolean eager) {}

  private final EntityPersister persister;
  private final List<Attribute> attributes = new ArrayList<>();
  private final List<Integer> collections = new ArrayList<>();
  private boolean complete = true;

  private ReadAttributes(EntityPersister persister) {
    this.persister = persister;
    if (persister.getIdentifierMapping() instanceof EmbeddableValuedModelPart composite) {
      complete &= isPlain(composite);
    }
    persister.getAttributeMappings().forEach(this::add);
  }

  /**
   * Those of an entity; empty if a refresh does more than read them, or if there is one that only a
   * refresh can read.
   */
  static Optional<ReadAttributes> of(SessionFactoryImplementor factory, EntityPersister persister) {
    ReadAttributes read = new ReadAttributes(persister);
    return read.complete && isToldOfNothing(factory, persister)
        ? Optional.of(read)
        : Optional.empty();
  }

  private static boolean isToldOfNothing(
      SessionFactoryImplementor factory, EntityPersister persister) {
    boolean[] own = {
      !factory
          .getEventEngine()
          .getCallbackRegistry()
          .hasRegisteredCallbacks(persister.getMappedClass(), CallbackType.POST_LOAD)
    };
    factory
        .getEventListenerGroups()
        .eventListenerGroup_POST_LOAD
        .fireEventOnEachListener(
            own,
            (PostLoadEventListener listener, boolean[] all) ->
                all[0] &= ChangeLimits.isOwn(listener));
    return own[0];
  }

  private void add(AttributeMapping attribute) {
    int position = attribute.getStateArrayPosition();
    String name = attribute.getAttributeName();
    if (name.equals(NavigablePath.IDENTIFIER_MAPPER_PROPERTY)) {
      // the id once more, for a class that is made of several attributes
      return;
    }
    if (attribute.isPluralAttributeMapping()) {
      collections.add(position);
    } else if (attribute instanceof ToOneAttributeMapping reference) {
      String id = reference.getEntityMappingType().getEntityPersister().getIdentifierPropertyName();
      complete &=
          id != null
              && reference.getSideNature() == ForeignKeyDescriptor.Nature.KEY
              && reference.isReferenceToPrimaryKey()
              && !reference.hasNotFoundAction()
              && !persister.getPropertyCascadeStyles()[position].doCascade(
                  CascadingActions.REFRESH);
      attributes.add(
          new Attribute(
              position,
              Kind.REFERENCE,
              name + "." + id,
              reference.getTiming() == FetchTiming.IMMEDIATE));
    } else if (attribute instanceof EmbeddableValuedModelPart embedded) {
      complete &= isPlain(embedded);
      attributes.add(new Attribute(position, Kind.VALUE, name, true));
    } else if (attribute instanceof BasicValuedModelPart) {
      attributes.add(new Attribute(position, Kind.VALUE, name, true));
    } else {
      complete = false;
    }
  }

  private static boolean isPlain(EmbeddableValuedModelPart embedded) {
    EmbeddableMappingType embeddable = embedded.getEmbeddableTypeDescriptor();
    boolean[] plain = {
      embeddable.getAggregateMapping() == null
          && !embeddable.isPolymorphic()
          // a query cannot make one with it
          && embedded.getParentInjectionAttributePropertyAccess() == null
    };
    embeddable
        .getAttributeMappings()
        .forEach(
            part ->
                plain[0] &=
                    part instanceof BasicValuedModelPart
                        || (part instanceof EmbeddableValuedModelPart nested && isPlain(nested)));
    return plain[0];
  }

  /** In the order of {@link #query()}'s results, which begin with the id. */
  List<Attribute> attributes() {
    return attributes;
  }

  /** Where the entity's state has collections. */
  List<Integer> collections() {
    return collections;
  }

  /** Reads the id and the attributes of entities whose ids are the parameter {@code ids}. */
  String query() {
    StringBuilder query = new StringBuilder("select id(e)");
    attributes.forEach(attribute -> query.append(", e.").append(attribute.path()));
    return query
        .append(" from ")
        .append(persister.getImportedName())
        .append(" e where id(e) in :ids")
        .toString();
  }
}
