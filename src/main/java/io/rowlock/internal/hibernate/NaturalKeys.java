package io.rowlock.internal.hibernate;

import io.rowlock.UnsupportedMappingException;
import io.rowlock.create.NaturalKey;
import java.util.List;
import java.util.stream.Collectors;
import org.hibernate.metamodel.mapping.AttributeMapping;
import org.hibernate.metamodel.mapping.NaturalIdMapping;

/** Finds out which attributes are meant by a natural key. */
final class NaturalKeys {

  private NaturalKeys() {}

  /**
   * The names of the key's attributes.
   *
   * @throws IllegalArgumentException if a named attribute does not exist
   * @throws UnsupportedMappingException if the mapping declares no key, or more than one
   */
  static List<String> attributesOf(EntityTable table, NaturalKey key) {
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
                + ". Name the attributes that are meant in the call, or annotate them with @NaturalId");
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
