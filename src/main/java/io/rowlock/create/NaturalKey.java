package io.rowlock.create;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;

/**
 * Which attributes of an entity make up the natural key by which its rows are created once.
 *
 * <p>A key that is {@linkplain #mapped() taken from the mapping} is the entity's {@code @NaturalId}
 * attributes or, where it has none, the one unique constraint that the mapping declares. Either way
 * PostgreSQL must hold a valid, immediate, non-partial unique index on exactly the key's columns:
 * it arbitrates between concurrent inserts ({@code INSERT ... ON CONFLICT}).
 *
 * <p>Immutable; safe for use by any thread.
 *
 * @param attributes the names of the key's attributes, empty for a key taken from the mapping
 */
public record NaturalKey(List<String> attributes) {

  private static final NaturalKey MAPPED = new NaturalKey(List.of());

  /** Checks that no name is null, blank or given twice. */
  public NaturalKey {
    attributes = List.copyOf(attributes);
    for (String attribute : attributes) {
      if (attribute.isBlank()) {
        throw new IllegalArgumentException(
            "A natural key's attribute name is blank: " + attributes);
      }
    }
    if (new LinkedHashSet<>(attributes).size() != attributes.size()) {
      throw new IllegalArgumentException("A natural key names an attribute twice: " + attributes);
    }
  }

  /** The natural key that the entity's mapping declares. */
  public static NaturalKey mapped() {
    return MAPPED;
  }

  /**
   * The natural key made of the named attributes.
   *
   * @throws IllegalArgumentException if no attribute is named, or one is blank or named twice
   */
  public static NaturalKey of(String... attributes) {
    Objects.requireNonNull(attributes, "attributes");
    if (attributes.length == 0) {
      throw new IllegalArgumentException(
          "A natural key needs at least one attribute; use NaturalKey.mapped() for the key that the"
              + " entity's mapping declares");
    }
    return new NaturalKey(List.of(attributes));
  }

  /** Whether the key is the one that the entity's mapping declares. */
  public boolean isMapped() {
    return attributes.isEmpty();
  }
}
