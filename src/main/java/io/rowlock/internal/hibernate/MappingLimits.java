package io.rowlock.internal.hibernate;

import io.rowlock.UnsupportedMappingException;
import java.lang.reflect.Method;
import java.util.List;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.generator.BeforeExecutionGenerator;
import org.hibernate.generator.Generator;
import org.hibernate.jpa.event.spi.CallbackRegistry;
import org.hibernate.jpa.event.spi.CallbackType;
import org.hibernate.metamodel.mapping.AttributeMapping;
import org.hibernate.metamodel.mapping.DiscriminatedAssociationModelPart;
import org.hibernate.metamodel.mapping.EmbeddableMappingType;
import org.hibernate.metamodel.mapping.EntityDiscriminatorMapping;
import org.hibernate.metamodel.mapping.EntityMappingType;
import org.hibernate.metamodel.mapping.SelectableMapping;
import org.hibernate.persister.entity.EntityPersister;
import org.hibernate.persister.entity.SingleTableEntityPersister;

/**
 * Refuses the mappings whose rows a statement of Rowlock would not store as {@code persist} does,
 * so that nobody finds out from the data.
 */
final class MappingLimits {

  private final EntityTable table;
  private final EntityPersister persister;

  private MappingLimits(EntityTable table) {
    this.table = table;
    this.persister = table.persister();
  }

  /**
   * Checks what holds for every statement that inserts.
   *
   * @param partial whether the key is one of some rows only, which a restriction may be the same
   *     as; the catalog tells
   * @throws UnsupportedMappingException if the mapping cannot be honoured
   */
  static void checkInsert(EntityTable table, SessionFactoryImplementor factory, boolean partial) {
    MappingLimits limits = new MappingLimits(table);
    limits.checkTable(partial);
    limits.checkReading(factory);
    limits.checkCustomSql(false);
    table.attributes().forEach(limits::checkAttribute);
  }

  /**
   * Checks what an update needs besides.
   *
   * @throws UnsupportedMappingException if the mapping cannot be honoured
   */
  static void checkUpdate(EntityTable table, SessionFactoryImplementor factory) {
    MappingLimits limits = new MappingLimits(table);
    if (!table.persister().isMutable()) {
      throw limits.refusal("it is immutable", "Use get-or-create or insert-if-absent");
    }
    limits.checkCallbacks(factory, CallbackType.PRE_UPDATE, CallbackType.POST_UPDATE);
    limits.checkCustomSql(true);
    table.attributes().forEach(limits::checkChange);
    UpdateListeners.warn(table, factory);
  }

  private void checkTable(boolean partial) {
    if (!table.isOneTable()) {
      List<String> elsewhere = table.attributesElsewhere();
      throw refusal(
          "it is not stored in one table of its own or of a single-table hierarchy"
              + (elsewhere.isEmpty()
                  ? ""
                  : ": its attributes " + elsewhere + " are in another table than its id"));
    }
    if (persister.hasWhereRestrictions() && !(partial && table.restriction().isPresent())) {
      throw refusal(
          "@SQLRestriction hides some of its rows, and a hidden row can have the key",
          "Make the key unique among the rows that it shows, by a partial unique index, and declare the"
              + " same predicate with the key (NaturalKey.where)");
    }
    if (persister.getSoftDeleteMapping() != null) {
      throw refusal(
          "@SoftDelete hides some of its rows, and a hidden row can have the key",
          "Map its column to an attribute, restrict the entity by @SQLRestriction, and make the key"
              + " unique among the rows that it shows, by a partial unique index whose predicate is"
              + " declared with the key (NaturalKey.where)");
    }
    if (hasAuxiliaryMapping(persister)) {
      throw refusal("it is temporal or audited by Hibernate");
    }
  }

  /** What a native query cannot read of the row, whichever class of the hierarchy it is of. */
  private void checkReading(SessionFactoryImplementor factory) {
    EntityPersister root =
        factory.getMappingMetamodel().getEntityDescriptor(persister.getRootEntityName());
    EntityDiscriminatorMapping discriminator = root.getDiscriminatorMapping();
    if (root.hasSubclasses() && discriminator != null && discriminator.isFormula()) {
      throw refusal("its classes are told apart by a formula");
    }
    root.visitFetchables(
        (index, fetchable) -> {
          if (fetchable.getPartMappingType() instanceof EmbeddableMappingType embeddable
              && embeddable.getAggregateMapping() != null) {
            throw refusal(
                "its attribute '"
                    + fetchable.getFetchableName()
                    + "' is an embeddable that is stored in one column (@Struct, JSON, XML)",
                "Map that column to a basic type, such as a Map as JSON");
          }
        },
        null);
  }

  /** Whether Hibernate itself keeps the history of the rows, which it can since 7.4. */
  static boolean hasAuxiliaryMapping(EntityPersister persister) {
    try {
      Method method = EntityMappingType.class.getMethod("getAuxiliaryMapping");
      return method.invoke(persister) != null;
    } catch (NoSuchMethodException e) {
      return false;
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  private void checkCallbacks(SessionFactoryImplementor factory, CallbackType... types) {
    CallbackRegistry callbacks = factory.getEventEngine().getCallbackRegistry();
    for (CallbackType type : types) {
      if (callbacks.hasRegisteredCallbacks(table.type(), type)) {
        throw refusal(
            "it or a listener of it has a @"
                + type.getCallbackAnnotation().getSimpleName()
                + " method, which would not be called for a row that is changed",
            "Use get-or-create, and change the entity that is answered");
      }
    }
  }

  private void checkCustomSql(boolean update) {
    if (persister instanceof SingleTableEntityPersister single) {
      single.forEachMutableTable(
          mutable -> {
            if ((update ? mutable.getUpdateDetails() : mutable.getInsertDetails()).getCustomSql()
                != null) {
              throw refusal("it is written by SQL of its own (@SQLInsert, @SQLUpdate)");
            }
          });
    }
  }

  private void checkAttribute(AttributeMapping attribute) {
    String name = "its attribute '" + attribute.getAttributeName() + "' ";
    if (attribute instanceof DiscriminatedAssociationModelPart) {
      throw refusal(name + "can refer to several entity types (@Any)");
    }
    Generator generator = attribute.getGenerator();
    if (attribute.getPartMappingType() instanceof EmbeddableMappingType embeddable) {
      if (generator != null
          && generator.generatesSometimes()
          && !(generator instanceof BeforeExecutionGenerator)) {
        throw refusal(
            name + "is an embeddable with values that the database generates",
            "Map these to attributes of the entity itself");
      }
      checkEmbeddable(name, embeddable);
    }
    if (!attribute.isPluralAttributeMapping()) {
      for (SelectableMapping column : EntityTable.columnsOf(attribute)) {
        checkColumn(name, column);
      }
    }
  }

  private void checkChange(AttributeMapping attribute) {
    Generator generator = attribute.getGenerator();
    if (attribute.getPartMappingType() instanceof EmbeddableMappingType
        && generator != null
        && generator.generatesOnUpdate()) {
      throw refusal(
          "its attribute '"
              + attribute.getAttributeName()
              + "' is an embeddable of which an update generates only a part",
          "Map what is generated to attributes of the entity itself");
    }
  }

  private void checkEmbeddable(String name, EmbeddableMappingType embeddable) {
    embeddable
        .getAttributeMappings()
        .forEach(
            part -> {
              if (part.isPluralAttributeMapping()) {
                throw refusal(name + "contains the collection '" + part.getAttributeName() + "'");
              }
              if (part.getPartMappingType() instanceof EmbeddableMappingType nested) {
                checkEmbeddable(name, nested);
              }
            });
  }

  private void checkColumn(String name, SelectableMapping column) {
    if (column.isFormula()) {
      return;
    }
    String marker = column.getWriteExpression();
    if (marker.indexOf('?') < 0 || marker.indexOf('?') != marker.lastIndexOf('?')) {
      throw refusal(name + "is written by an expression without exactly one parameter: " + marker);
    }
    if (column.getJdbcMapping().getJdbcType().isLob()) {
      throw refusal(
          name + "is a large object (@Lob), which would be made anew for each call",
          "Map it to text or bytea");
    }
  }

  private UnsupportedMappingException refusal(String why) {
    return refusal(
        why,
        "Persist it instead, in a unit that is run again after a violation of its unique constraint"
            + " (RetryPolicy.alsoAfterViolationOf)");
  }

  private UnsupportedMappingException refusal(String why, String remedy) {
    return new UnsupportedMappingException(
        table.entityName(),
        table.entityName()
            + " (table "
            + table.table()
            + ") cannot be created once by a statement: "
            + why
            + ". "
            + remedy);
  }
}
