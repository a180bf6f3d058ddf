package io.rowlock.internal.hibernate;

import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import org.hibernate.boot.spi.SessionFactoryOptions;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.metamodel.mapping.AttributeMapping;
import org.hibernate.metamodel.mapping.PluralAttributeMapping;
import org.hibernate.metamodel.mapping.SelectableMapping;
import org.hibernate.persister.entity.EntityPersister;
import org.hibernate.persister.entity.UnionSubclassEntityPersister;

/**
 * Where Hibernate's own flush takes locks in another order than the one over tables and ids. It
 * says so once for each factory. Rows that were locked beforehand are safe from it.
 *
 * <p>Safe for use by any thread.
 */
final class FlushOrder {

  /** How many names a finding shows. */
  private static final int SHOWN = 10;

  private static final String BEFOREHAND =
      " Rows that are locked before they are changed, by UnitOfWork.lock, are safe from it.";

  private static final System.Logger LOGGER = System.getLogger(FlushOrder.class.getName());
  private static final SeenFactories SEEN = new SeenFactories();

  private final SessionFactoryImplementor factory;
  private final List<EntityPersister> entities = new ArrayList<>();

  private FlushOrder(SessionFactoryImplementor factory) {
    this.factory = factory;
    factory.getMappingMetamodel().forEachEntityDescriptor(entities::add);
    entities.sort(Comparator.comparing(EntityPersister::getEntityName));
  }

  /**
   * Logs a warning for each finding, the first time that the factory is looked at; and what holds
   * for every factory as information.
   */
  static void report(SessionFactoryImplementor factory) {
    if (!SEEN.add(factory)) {
      return;
    }
    LOGGER.log(
        Level.INFO,
        "Flush order: deletes are sent last, in the order of the calls of remove. Lock the rows before"
            + " with LockStrength.UPDATE, by UnitOfWork.lock");
    if (LOGGER.isLoggable(Level.WARNING)) {
      new FlushOrder(factory)
          .findings()
          .forEach(finding -> LOGGER.log(Level.WARNING, "Flush order: " + finding));
    }
  }

  private List<String> findings() {
    List<String> findings = new ArrayList<>();
    SessionFactoryOptions options = factory.getSessionFactoryOptions();
    if (!options.isOrderUpdatesEnabled()) {
      findings.add(
          "hibernate.order_updates is off, so rows are updated in the order in which their entities"
              + " were loaded. Set it to true."
              + BEFOREHAND);
    } else {
      addNamesAgainstOrder(findings);
      add(
          findings,
          entities.stream()
              .filter(FlushOrder::isComparedByJava)
              .map(EntityPersister::getEntityName)
              .toList(),
          "are updated in the order in which Java compares their ids (texts, UUIDs), which is not the"
              + " database's.");
    }
    if (!options.isOrderInsertsEnabled()) {
      findings.add(
          "hibernate.order_inserts is off, so rows are inserted in the order in which their entities"
              + " were persisted, and each insert locks the rows it refers to. Set it to true, or lock"
              + " those rows beforehand, by UnitOfWork.lock.");
    }
    add(
        findings,
        entities.stream().filter(FlushOrder::hasSeveralTables).map(this::withTables).toList(),
        "are written table by table for each row, or for all rows, as batches come out.");
    add(
        findings,
        entities.stream().flatMap(entity -> collections(entity).stream()).distinct().toList(),
        "are collections with a table of their own, which is written after all entities.");
    return findings;
  }

  private static void add(List<String> findings, List<String> names, String what) {
    if (!names.isEmpty()) {
      String shown = String.join(", ", names.subList(0, Math.min(SHOWN, names.size())));
      String more = names.size() > SHOWN ? " and " + (names.size() - SHOWN) + " more " : " ";
      findings.add(shown + more + what + BEFOREHAND);
    }
  }

  /** Updates of several entities are sorted by the entities' names. */
  private void addNamesAgainstOrder(List<String> findings) {
    TableOrder order = TableOrder.of(factory);
    EntityPersister latest = null;
    for (EntityPersister entity : entities) {
      if (latest != null && order.place(entity) < order.place(latest)) {
        findings.add(
            "Hibernate updates "
                + latest.getEntityName()
                + " before "
                + entity.getEntityName()
                + ", by their names; they are locked the other way round. Declare the order of the"
                + " names by the setting "
                + HibernateFactory.LOCK_ORDER
                + "."
                + BEFOREHAND);
        return;
      }
      if (latest == null || order.place(entity) > order.place(latest)) {
        latest = entity;
      }
    }
  }

  private static boolean isComparedByJava(EntityPersister entity) {
    return EntityTable.columnsOf(entity.getIdentifierMapping()).stream()
        .map(SelectableMapping::getJdbcMapping)
        .map(mapping -> mapping.getJdbcJavaType().getJavaTypeClass())
        .anyMatch(type -> type == UUID.class || type == String.class);
  }

  private static boolean hasSeveralTables(EntityPersister entity) {
    EntityTable table = EntityTable.of(entity);
    return entity.getEntityName().equals(entity.getRootEntityName())
        && !(entity instanceof UnionSubclassEntityPersister)
        && EntityTables.hasTables(table)
        && EntityTables.of(table).size() > 1;
  }

  private String withTables(EntityPersister entity) {
    return entity.getEntityName()
        + " (tables "
        + String.join(
            ", ", EntityTables.of(EntityTable.of(entity)).stream().map(LockTable::name).toList())
        + ")";
  }

  private static List<String> collections(EntityPersister entity) {
    List<String> found = new ArrayList<>();
    entity
        .getAttributeMappings()
        .forEach(
            (AttributeMapping attribute) -> {
              if (attribute instanceof PluralAttributeMapping plural
                  && !plural.getCollectionDescriptor().isOneToMany()
                  && !plural.getCollectionDescriptor().isInverse()) {
                found.add(plural.getCollectionDescriptor().getRole());
              }
            });
    return found;
  }
}
