package io.rowlock.internal.hibernate;

import io.rowlock.UnsupportedMappingException;
import io.rowlock.create.NaturalKey;
import io.rowlock.internal.postgres.NamedKey;
import java.util.List;
import java.util.stream.Collectors;
import org.hibernate.engine.spi.SessionImplementor;
import org.hibernate.metamodel.mapping.AttributeMapping;
import org.hibernate.metamodel.mapping.NaturalIdMapping;

/** Finds out which attributes are meant by a natural key. */
final class NaturalKeys {

  private NaturalKeys() {}

  /**
   * The names of the key's attributes.
   *
   * @throws IllegalArgumentException if a named attribute does not exist
   * @throws UnsupportedMappingException if the mapping declares no key, or more than one, or the
   *     table has no such constraint, or its columns are not those of attributes
   */
  static List<String> attributesOf(SessionImplementor session, EntityTable table, NaturalKey key) {
    if (key.constraint().isPresent()) {
      String name = key.constraint().get();
      List<String> columns =
          session.doReturningWork(
              connection -> NamedKey.columns(connection, table.entityName(), table.table(), name));
      return KeyAttributes.of(table, name, columns);
    }
    if (!key.isMapped()) {
      key.attributes().forEach(name -> check(table, name));
      return key.attributes();
    }
    NaturalIdMapping naturalId = table.persister().getNaturalIdMapping();
    if (naturalId != null) {
      return naturalId.getNaturalIdAttributes().stream()
          .map(AttributeMapping::getAttributeName)
          .toList();
    }
    List<List<String>> declared = DeclaredKeys.of(table);
    if (declared.size() == 1) {
      return declared.get(0);
    }
    throw new UnsupportedMappingException(
        table.entityName(),
        declared.isEmpty()
            ? table.entityName()
                + " declares no natural key. Annotate its attributes with @NaturalId, declare the"
                + " unique constraint in @Column or @Table, or name the attributes in the call"
            : table.entityName()
                + " declares several unique constraints: "
                + declared
                + ". Name the attributes that are meant in the call (NaturalKey.of) or the constraint"
                + " (NaturalKey.constraint), or annotate them with @NaturalId");
  }

  private static void check(EntityTable table, String name) {
    if (table.attribute(name).isEmpty() && !name.equals(table.idAttribute())) {
      throw new IllegalArgumentException(
          table.entityName()
              + " has no attribute '"
              + name
              + "' to be its natural key; it has "
              + table.attributes().stream()
                  .map(AttributeMapping::getAttributeName)
                  .collect(Collectors.joining(", ")));
    }
  }
}
