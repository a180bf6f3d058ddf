package io.rowlock.internal.hibernate;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.hibernate.annotations.SQLRestriction;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.generator.internal.TenantIdGeneration;
import org.hibernate.metamodel.mapping.AttributeMapping;
import org.hibernate.metamodel.mapping.EntityVersionMapping;
import org.hibernate.metamodel.mapping.ModelPart;
import org.hibernate.metamodel.mapping.SelectableMapping;
import org.hibernate.persister.entity.EntityPersister;
import org.hibernate.persister.entity.SingleTableEntityPersister;
import org.jspecify.annotations.Nullable;

/**
 * What the mapping says of one entity: its table and which columns its id, its version and its
 * attributes have.
 *
 * <p>The names of tables and columns are SQL: qualified where the mapping qualifies them, quoted
 * where it quotes them. Immutable; safe for use by any thread.
 */
final class EntityTable {

  private final EntityPersister persister;
  private final List<SelectableMapping> id;
  private final Optional<SelectableMapping> version;
  private final List<AttributeMapping> attributes;

  private EntityTable(EntityPersister persister) {
    this.persister = persister;
    this.id = columnsOf(persister.getIdentifierMapping());
    EntityVersionMapping versionMapping = persister.getVersionMapping();
    this.version = Optional.ofNullable(versionMapping);
    List<AttributeMapping> all = new ArrayList<>();
    persister.getAttributeMappings().forEach(all::add);
    this.attributes = List.copyOf(all);
  }

  /**
   * The table of the entity.
   *
   * @throws IllegalArgumentException if the class is not an entity of the factory
   */
  static EntityTable of(SessionFactoryImplementor factory, Class<?> type) {
    EntityPersister persister = factory.getMappingMetamodel().findEntityDescriptor(type);
    if (persister == null) {
      throw new IllegalArgumentException(
          type.getName() + " is not an entity of this persistence unit");
    }
    return of(persister);
  }

  /** The table of the persister's entity. */
  static EntityTable of(EntityPersister persister) {
    return new EntityTable(persister);
  }

  /** The columns of a part of the mapping, in the order of its values; formulas are among them. */
  static List<SelectableMapping> columnsOf(ModelPart part) {
    List<SelectableMapping> columns = new ArrayList<>();
    part.forEachSelectable((index, column) -> columns.add(column));
    return List.copyOf(columns);
  }

  /** The entity's name, as messages give it. */
  String entityName() {
    return persister.getEntityName();
  }

  /** The entity's class. */
  Class<?> type() {
    return persister.getMappedClass();
  }

  EntityPersister persister() {
    return persister;
  }

  /** The table that holds the id: of a joined hierarchy, the root's. */
  String table() {
    return persister.getIdentifierTableDetails().getTableName();
  }

  /**
   * Whether the entity is stored in one table, alone or with the other classes of its hierarchy.
   */
  boolean isOneTable() {
    return persister instanceof SingleTableEntityPersister single
        && single.getTableSpan() == 1
        && !table().startsWith("(");
  }

  /** The attributes that are stored in other tables than the id. */
  List<String> attributesElsewhere() {
    return attributes.stream()
        .filter(attribute -> !attribute.isPluralAttributeMapping())
        .filter(
            attribute ->
                columnsOf(attribute).stream()
                    .anyMatch(
                        column ->
                            !column.isFormula()
                                && !column.getContainingTableExpression().equals(table())))
        .map(AttributeMapping::getAttributeName)
        .toList();
  }

  /**
   * The condition by which {@code @SQLRestriction} hides rows; empty without one, and where it
   * cannot be told.
   */
  Optional<String> restriction() {
    List<String> found = new ArrayList<>();
    for (Class<?> type = type(); type != null; type = type.getSuperclass()) {
      SQLRestriction restriction = type.getDeclaredAnnotation(SQLRestriction.class);
      if (restriction != null) {
        found.add(restriction.value());
      }
    }
    return persister.hasWhereRestrictions() && found.size() == 1
        ? Optional.of(found.get(0))
        : Optional.empty();
  }

  /** The id's columns; more than one if the id is composite. */
  List<SelectableMapping> id() {
    return id;
  }

  /** The id's columns in SQL. */
  List<String> idColumns() {
    return id.stream().map(SelectableMapping::getSelectionExpression).toList();
  }

  /** The name of the id's attribute; null if the id is made of several attributes. */
  @Nullable String idAttribute() {
    return persister.getIdentifierPropertyName();
  }

  /** The only column of the id; empty if the id is composite. */
  Optional<SelectableMapping> singleId() {
    return id.size() == 1 ? Optional.of(id.get(0)) : Optional.empty();
  }

  /** The version's column, if the entity has a version. */
  Optional<SelectableMapping> version() {
    return version;
  }

  /** All attributes but the id, in the order of the entity's state; the version is among them. */
  List<AttributeMapping> attributes() {
    return attributes;
  }

  /** The attribute of that name; empty for an unknown one and for the id. */
  Optional<AttributeMapping> attribute(String name) {
    return attributes.stream().filter(a -> a.getAttributeName().equals(name)).findFirst();
  }

  /** The attribute that tells tenants apart, if there is one. */
  Optional<AttributeMapping> tenant() {
    return attributes.stream()
        .filter(attribute -> attribute.getGenerator() instanceof TenantIdGeneration)
        .findFirst();
  }

  /** Whether the attribute is the version. */
  boolean isVersion(AttributeMapping attribute) {
    EntityVersionMapping mapping = persister.getVersionMapping();
    return mapping != null
        && mapping.getVersionAttribute().getAttributeName().equals(attribute.getAttributeName());
  }

  /** Whether an insert writes the attribute. */
  boolean isInsertable(AttributeMapping attribute) {
    return persister.getPropertyInsertability()[attribute.getStateArrayPosition()]
        && columnsOf(attribute).stream().anyMatch(SelectableMapping::isInsertable);
  }

  /** Whether an update writes the attribute. */
  boolean isUpdatable(AttributeMapping attribute) {
    return persister.getPropertyUpdateability()[attribute.getStateArrayPosition()]
        && columnsOf(attribute).stream().anyMatch(SelectableMapping::isUpdateable);
  }

  /** Whether an insert leaves out what is null. */
  boolean isDynamicInsert() {
    return persister instanceof SingleTableEntityPersister single
        && single.getIdentifierTableMapping().getInsertDetails().isDynamicMutation();
  }
}
