package io.rowlock.internal.hibernate;

import java.util.function.BiConsumer;
import org.hibernate.metamodel.mapping.EmbeddableValuedModelPart;
import org.hibernate.metamodel.mapping.ForeignKeyDescriptor;
import org.hibernate.metamodel.mapping.ModelPart;
import org.hibernate.metamodel.mapping.PluralAttributeMapping;
import org.hibernate.metamodel.mapping.internal.ToOneAttributeMapping;
import org.hibernate.persister.entity.EntityPersister;

/**
 * The foreign keys of one entity as its mapping tells them.
 *
 * <p>Stateless but for the consumer.
 */
final class ForeignKeys {

  /** A table that refers to an entity. */
  private final BiConsumer<String, String> found;

  private final EntityPersister entity;

  private ForeignKeys(EntityPersister entity, BiConsumer<String, String> found) {
    this.entity = entity;
    this.found = found;
  }

  /** Hands on the table of each foreign key, and the root entity that it refers to. */
  static void forEach(EntityPersister entity, BiConsumer<String, String> found) {
    ForeignKeys keys = new ForeignKeys(entity, found);
    keys.visit(entity.getIdentifierMapping());
    entity.getAttributeMappings().forEach(keys::visit);
  }

  private void visit(ModelPart part) {
    if (part instanceof ToOneAttributeMapping toOne) {
      if (toOne.getSideNature() == ForeignKeyDescriptor.Nature.KEY
          && toOne.getForeignKeyDescriptor() != null) {
        found.accept(
            toOne.getForeignKeyDescriptor().getKeyTable(),
            toOne.getEntityMappingType().getEntityPersister().getRootEntityName());
      }
    } else if (part instanceof PluralAttributeMapping plural) {
      // the element's table refers to its owner; a table of the collection alone has no place
      if (plural.getKeyDescriptor() != null) {
        found.accept(plural.getKeyDescriptor().getKeyTable(), entity.getRootEntityName());
      }
    } else if (part instanceof EmbeddableValuedModelPart embedded) {
      embedded.getEmbeddableTypeDescriptor().getAttributeMappings().forEach(this::visit);
    }
  }
}
