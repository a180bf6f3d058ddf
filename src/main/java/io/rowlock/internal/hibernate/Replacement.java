package io.rowlock.internal.hibernate;

import io.rowlock.create.Upsert;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import org.hibernate.metamodel.mapping.AttributeMapping;

/** Which attributes an upsert replaces. */
final class Replacement {

  private Replacement() {}

  /**
   * The names of the replaced attributes.
   *
   * @throws IllegalArgumentException if a named attribute cannot be replaced
   */
  static Set<String> of(CreatePlan plan, Upsert how) {
    EntityTable table = plan.table();
    Set<String> names = new LinkedHashSet<>();
    if (how.replaced().isEmpty()) {
      for (AttributeMapping attribute : table.attributes()) {
        if (whyNot(plan, attribute).isEmpty()) {
          names.add(attribute.getAttributeName());
        }
      }
      return names;
    }
    for (String name : how.replaced()) {
      Optional<AttributeMapping> attribute = table.attribute(name);
      Optional<String> why =
          attribute.isPresent()
              ? whyNot(plan, attribute.get())
              : Optional.of(
                  name.equals(table.idAttribute()) ? "it is the id" : "there is no such attribute");
      if (why.isPresent()) {
        throw new IllegalArgumentException(
            "An upsert of " + table.entityName() + " cannot replace '" + name + "': " + why.get());
      }
      names.add(name);
    }
    return names;
  }

  private static Optional<String> whyNot(CreatePlan plan, AttributeMapping attribute) {
    if (plan.key().contains(attribute.getAttributeName())) {
      return Optional.of("it is part of the key");
    }
    if (plan.table().isVersion(attribute)) {
      return Optional.of("it is the version");
    }
    if (attribute.isPluralAttributeMapping()) {
      return Optional.of("it is a collection");
    }
    if (attribute.getGenerator() != null && attribute.getGenerator().generatesSometimes()) {
      return Optional.of("its value is generated");
    }
    if (!plan.table().isUpdatable(attribute)) {
      return Optional.of("it is not updatable");
    }
    return Optional.empty();
  }
}
