package io.rowlock.internal.hibernate;

import static io.rowlock.internal.postgres.ColumnUse.Use.GUARD;
import static io.rowlock.internal.postgres.ColumnUse.Use.INSERT;
import static io.rowlock.internal.postgres.ColumnUse.Use.KEY;
import static io.rowlock.internal.postgres.ColumnUse.Use.SET;

import io.rowlock.internal.postgres.ColumnUse;
import io.rowlock.internal.postgres.ColumnUse.Use;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.hibernate.Hibernate;
import org.hibernate.TransientObjectException;
import org.hibernate.dialect.Dialect;
import org.hibernate.engine.spi.SharedSessionContractImplementor;
import org.hibernate.generator.BeforeExecutionGenerator;
import org.hibernate.generator.EventType;
import org.hibernate.generator.Generator;
import org.hibernate.generator.OnExecutionGenerator;
import org.hibernate.metamodel.mapping.AttributeMapping;
import org.hibernate.metamodel.mapping.EntityDiscriminatorMapping;
import org.hibernate.metamodel.mapping.EntityMappingType;
import org.hibernate.metamodel.mapping.ModelPart;
import org.hibernate.metamodel.mapping.SelectableMapping;
import org.hibernate.persister.entity.EntityPersister;
import org.jspecify.annotations.Nullable;

/**
 * What {@code persist} would store of a candidate: column by column, as a statement's parameters
 * and expressions. The candidate is only read, apart from what its callbacks do to it.
 *
 * <p>For one call on the thread of its session.
 */
final class CandidateValues {

  private final SharedSessionContractImplementor session;
  private final CreatePlan plan;
  private final EntityPersister persister;
  private final Object candidate;
  private final @Nullable Replacement replacement;
  private final boolean update;

  private final List<ColumnUse> columns = new ArrayList<>();
  private final List<BoundValue> values = new ArrayList<>();
  private final Set<String> inserted = new LinkedHashSet<>();
  private final Set<String> nullKeys = new LinkedHashSet<>();

  private CandidateValues(
      SharedSessionContractImplementor session,
      CreatePlan plan,
      Object candidate,
      @Nullable Replacement replacement) {
    this.session = session;
    this.plan = plan;
    this.persister = plan.table().persister();
    this.candidate = candidate;
    this.update = replacement != null;
    this.replacement = replacement;
  }

  /**
   * Runs what is to run before an insert of the candidate, and reads the candidate; all but its id.
   *
   * @param replacement what an update does with a row that is there; null if there is no update
   * @throws IllegalArgumentException if a value cannot be stored by a statement
   */
  static CandidateValues of(
      SharedSessionContractImplementor session,
      CreatePlan plan,
      Object candidate,
      @Nullable Replacement replacement) {
    return of(session, plan, candidate, state(session, plan, candidate, replacement), replacement);
  }

  /** Runs what is to run before an insert of the candidate; answers the state to be stored. */
  static Object[] state(
      SharedSessionContractImplementor session,
      CreatePlan plan,
      Object candidate,
      @Nullable Replacement replacement) {
    return InsertEvents.before(session, plan.table().persister(), candidate, replacement != null);
  }

  /** The same for a state that is known. */
  static CandidateValues of(
      SharedSessionContractImplementor session,
      CreatePlan plan,
      Object candidate,
      Object[] state,
      @Nullable Replacement replacement) {
    CandidateValues read = new CandidateValues(session, plan, candidate, replacement);
    for (AttributeMapping attribute : plan.table().attributes()) {
      read.readAttribute(attribute, state[attribute.getStateArrayPosition()]);
    }
    read.readDiscriminator();
    return read;
  }

  /** The instance that was read. */
  Object candidate() {
    return candidate;
  }

  /** What is done with which column. */
  List<ColumnUse> columns() {
    return columns;
  }

  /** The parameters, in the order of those columns. */
  List<BoundValue> values() {
    return values;
  }

  /** The columns of the key that are null. */
  Set<String> nullKeys() {
    return nullKeys;
  }

  /** Adds the id of a new row. */
  void insertId(IdSource.NewId id) {
    ModelPart part = persister.getIdentifierMapping();
    if (id.sql() != null) {
      insertExpression(EntityTable.columnsOf(part).get(0), id.sql());
    } else if (id.value() != null) {
      Set<Use> uses = EnumSet.of(INSERT);
      if (plan.key().contains(String.valueOf(plan.table().idAttribute()))) {
        uses.add(KEY);
      }
      part.decompose(id.value(), (i, value, column) -> add(column, value, uses), session);
    }
  }

  /** Leaves the id of a row open that will not be inserted. */
  void insertNoId() {
    persister
        .getIdentifierMapping()
        .decompose(null, (i, value, column) -> add(column, value, EnumSet.of(INSERT)), session);
  }

  private void readAttribute(AttributeMapping attribute, @Nullable Object value) {
    if (attribute.isPluralAttributeMapping()) {
      requireEmpty(attribute, value);
      return;
    }
    if (EntityTable.columnsOf(attribute).isEmpty()) {
      requireNoAssociation(attribute, value);
      return;
    }
    if (plan.table().isVersion(attribute)) {
      readVersion(attribute, value);
      return;
    }
    Generator generator = attribute.getGenerator();
    if (generator == null || !generator.generatesSometimes()) {
      readValue(attribute, value);
    } else {
      readGenerated(attribute, generator, value);
    }
  }

  private void readValue(AttributeMapping attribute, @Nullable Object value) {
    Set<Use> uses = EnumSet.noneOf(Use.class);
    if (plan.key().contains(attribute.getAttributeName())) {
      uses.add(KEY);
    }
    if (isInserted(attribute, value) || uses.contains(KEY)) {
      uses.add(INSERT);
    }
    if (replacement != null) {
      uses.addAll(replacement.uses(attribute.getAttributeName()));
    }
    addParts(attribute, value, uses);
  }

  private void readGenerated(
      AttributeMapping attribute, Generator generator, @Nullable Object value) {
    if (generator.generatesOnInsert()) {
      generate(attribute, generator, value, EventType.INSERT, INSERT);
    } else {
      addParts(
          attribute,
          value,
          isInserted(attribute, value) ? EnumSet.of(INSERT) : EnumSet.noneOf(Use.class));
    }
    if (update && generator.generatesOnUpdate()) {
      generate(attribute, generator, value, EventType.UPDATE, SET);
    }
  }

  private void generate(
      AttributeMapping attribute,
      Generator generator,
      @Nullable Object value,
      EventType event,
      Use use) {
    if (generator instanceof BeforeExecutionGenerator inMemory
        && generator.generatedBeforeExecution(candidate, session)) {
      Set<Use> uses = EnumSet.of(use);
      if (use == INSERT && plan.key().contains(attribute.getAttributeName())) {
        uses.add(KEY);
      }
      addParts(attribute, inMemory.generate(session, candidate, value, event), uses);
      return;
    }
    OnExecutionGenerator inDatabase = (OnExecutionGenerator) generator;
    Dialect dialect = session.getJdbcServices().getDialect();
    if (!inDatabase.referenceColumnsInSql(dialect)) {
      return;
    }
    @Nullable String @Nullable [] expressions = inDatabase.getReferencedColumnValues(dialect);
    if (expressions == null || "?".equals(expressions[0])) {
      addParts(attribute, value, EnumSet.of(use));
    } else {
      SelectableMapping column = EntityTable.columnsOf(attribute).get(0);
      if (use == INSERT) {
        insertExpression(column, String.valueOf(expressions[0]));
      } else {
        columns.add(
            ColumnUse.expression(
                column.getSelectionExpression(), String.valueOf(expressions[0]), SET));
      }
    }
  }

  private void readVersion(AttributeMapping attribute, @Nullable Object value) {
    Generator generator = attribute.getGenerator();
    if (generator != null && generator.generatesSometimes()) {
      readGenerated(attribute, generator, value);
      return;
    }
    boolean unset = value == null || (value instanceof Number number && number.longValue() < 0);
    addParts(attribute, unset ? Versions.seed(persister, session) : value, EnumSet.of(INSERT));
    if (update) {
      SelectableMapping column = EntityTable.columnsOf(attribute).get(0);
      if (Versions.isIntegral(persister)) {
        String name = column.getSelectionExpression();
        columns.add(ColumnUse.expression(name, "t." + name + " + 1", SET));
      } else {
        addParts(attribute, Versions.seed(persister, session), EnumSet.of(SET));
      }
    }
  }

  private void readDiscriminator() {
    EntityDiscriminatorMapping discriminator = persister.getDiscriminatorMapping();
    if (discriminator == null || discriminator.isFormula() || !discriminator.isInsertable()) {
      return;
    }
    String literal = ((EntityMappingType) persister).getDiscriminatorSQLValue();
    insertExpression(discriminator, literal);
    if (update && !literal.equals("null")) {
      columns.add(ColumnUse.expression(discriminator.getSelectionExpression(), literal, GUARD));
    }
  }

  private boolean isInserted(AttributeMapping attribute, @Nullable Object value) {
    return plan.table().isInsertable(attribute)
        && (value != null || !plan.table().isDynamicInsert());
  }

  private void addParts(AttributeMapping attribute, @Nullable Object value, Set<Use> uses) {
    if (uses.isEmpty()) {
      return;
    }
    try {
      attribute.decompose(value, (i, part, column) -> add(column, part, uses), session);
    } catch (TransientObjectException e) {
      throw new IllegalArgumentException(
          "The candidate of "
              + plan.table().entityName()
              + " refers by '"
              + attribute.getAttributeName()
              + "' to an instance that is not stored yet. Persist that first",
          e);
    }
  }

  private void add(SelectableMapping column, @Nullable Object value, Set<Use> wanted) {
    if (column.isFormula()) {
      return;
    }
    String name = column.getSelectionExpression();
    Set<Use> uses = EnumSet.noneOf(Use.class);
    for (Use use : wanted) {
      boolean possible =
          switch (use) {
            case KEY, GUARD, IF_GREATER, IF_NULL -> true;
            case INSERT -> isInsertableOnce(column);
            case SET, ADD, COMPARE -> column.isUpdateable();
          };
      if (possible) {
        uses.add(use);
      }
    }
    if (uses.isEmpty()) {
      return;
    }
    if (uses.contains(INSERT)) {
      inserted.add(name);
    }
    if (uses.contains(KEY) && value == null) {
      nullKeys.add(name);
    }
    columns.add(ColumnUse.parameter(name, column.getWriteExpression(), uses));
    values.add(BoundValue.of(value, column));
  }

  private void insertExpression(SelectableMapping column, String sql) {
    if (isInsertableOnce(column)) {
      inserted.add(column.getSelectionExpression());
      columns.add(ColumnUse.expression(column.getSelectionExpression(), sql, INSERT));
    }
  }

  /** The columns of an id need not be insertable, and can be those of an attribute too. */
  private boolean isInsertableOnce(SelectableMapping column) {
    return (column.isInsertable() || plan.table().id().contains(column))
        && !inserted.contains(column.getSelectionExpression());
  }

  private void requireEmpty(AttributeMapping attribute, @Nullable Object value) {
    if (value == null || !Hibernate.isInitialized(value)) {
      return;
    }
    boolean empty =
        value instanceof Iterable<?> elements
            ? !elements.iterator().hasNext()
            : value instanceof java.util.Map<?, ?> entries && entries.isEmpty();
    if (!empty) {
      throw new IllegalArgumentException(
          "The candidate of "
              + plan.table().entityName()
              + " has elements in '"
              + attribute.getAttributeName()
              + "', which a statement would not store. Add them to the entity that is answered");
    }
  }

  private void requireNoAssociation(AttributeMapping attribute, @Nullable Object value) {
    if (value != null) {
      throw new IllegalArgumentException(
          "The candidate of "
              + plan.table().entityName()
              + " refers by '"
              + attribute.getAttributeName()
              + "' to an instance, which its own table does not store. Link them once the entity is"
              + " answered");
    }
  }
}
