package io.rowlock.create;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The natural key by which the rows of an entity are created once.
 *
 * <p>It is either made of {@linkplain #of(String...) named attributes}, or {@linkplain
 * #constraint(String) of the columns of a named constraint}, or {@linkplain #mapped() taken from
 * the mapping}: the entity's {@code @NaturalId} attributes or, where it has none, the one unique
 * constraint that the mapping declares. Either way PostgreSQL must hold a valid, immediate unique
 * index on exactly the key's columns: it arbitrates between concurrent inserts ({@code INSERT ...
 * ON CONFLICT}). An index that is partial does so only if its predicate is {@linkplain
 * #where(String) declared}. Of an entity with a {@code @TenantId} the tenant is part of every key.
 *
 * <p>Immutable; safe for use by any thread.
 *
 * @param attributes the names of the key's attributes, empty for a key that is taken from the
 *     mapping or from a constraint
 * @param constraint the name of the unique constraint or unique index that the key is taken from
 * @param predicate the predicate of the partial unique index, in SQL
 */
public record NaturalKey(
    List<String> attributes, Optional<String> constraint, Optional<String> predicate) {

  private static final NaturalKey MAPPED =
      new NaturalKey(List.of(), Optional.empty(), Optional.empty());

  /** Checks that no name is null, blank or given twice, and the predicate not blank. */
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
    if (constraint.isPresent() && (constraint.get().isBlank() || !attributes.isEmpty())) {
      throw new IllegalArgumentException(
          "A natural key names either attributes or a constraint: "
              + attributes
              + ", '"
              + constraint.get()
              + "'");
    }
    if (predicate.isPresent() && predicate.get().isBlank()) {
      throw new IllegalArgumentException("The predicate of a natural key is blank");
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
    return new NaturalKey(List.of(attributes), Optional.empty(), Optional.empty());
  }

  /**
   * The natural key made of the columns of a unique constraint, or of a unique index, of the
   * entity's table. Which columns they are is read from the catalog at the first use; each must be
   * one that the entity maps.
   *
   * @param name the name as the catalog has it: without quotes, without a schema
   * @throws IllegalArgumentException if the name is blank
   */
  public static NaturalKey constraint(String name) {
    return new NaturalKey(List.of(), Optional.of(name), Optional.empty());
  }

  /**
   * The same key among the rows for which the predicate holds: that of a partial unique index, such
   * as {@code NaturalKey.of("slug").where("deleted_at is null")}. Only such rows are found and
   * arbitrate; a row beside them with the same values is not in the way. The index's predicate must
   * be the declared one, up to its notation; the server decides that.
   *
   * <p>A candidate that would be stored as a row for which the predicate does not hold cannot be
   * created once; it is refused with an {@link IllegalArgumentException} after the statement, whose
   * transaction can then only be rolled back.
   *
   * @param predicate a condition in SQL over columns of the table, which are not qualified. It
   *     becomes part of statements as it is: a constant of the program, never made from input
   * @throws IllegalArgumentException if the predicate is blank
   */
  public NaturalKey where(String predicate) {
    return new NaturalKey(attributes, constraint, Optional.of(predicate));
  }

  /** Whether the key is the one that the entity's mapping declares. */
  public boolean isMapped() {
    return attributes.isEmpty() && constraint.isEmpty();
  }
}
