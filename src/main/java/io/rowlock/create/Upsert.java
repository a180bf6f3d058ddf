package io.rowlock.create;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;

/**
 * How an upsert goes about it: by which natural key, and which attributes of an existing row are
 * replaced by the candidate's values.
 *
 * <p>Immutable, reusable; safe for use by any thread.
 *
 * @param key the natural key
 * @param replaced the names of the attributes that are replaced; empty stands for all but the id,
 *     the key and the version
 */
public record Upsert(NaturalKey key, List<String> replaced) {

  private static final Upsert DEFAULTS = new Upsert(NaturalKey.mapped(), List.of());

  /** Checks that no attribute is null, blank, named twice or part of the key. */
  public Upsert {
    Objects.requireNonNull(key, "key");
    replaced = List.copyOf(replaced);
    if (new LinkedHashSet<>(replaced).size() != replaced.size()) {
      throw new IllegalArgumentException("An upsert replaces an attribute twice: " + replaced);
    }
    for (String attribute : replaced) {
      if (attribute.isBlank()) {
        throw new IllegalArgumentException(
            "The name of a replaced attribute is blank: " + replaced);
      }
      if (key.attributes().contains(attribute)) {
        throw new IllegalArgumentException(
            "An upsert by "
                + key.attributes()
                + " cannot replace '"
                + attribute
                + "': it is the key");
      }
    }
  }

  /** By the natural key of the mapping, replacing all attributes but id, key and version. */
  public static Upsert defaults() {
    return DEFAULTS;
  }

  /** By the named attributes, replacing all attributes but id, key and version. */
  public static Upsert by(String... attributes) {
    return new Upsert(NaturalKey.of(attributes), List.of());
  }

  /** By the given key, replacing all attributes but id, key and version. */
  public static Upsert by(NaturalKey key) {
    return new Upsert(key, List.of());
  }

  /**
   * The same, replacing only the named attributes of a row that is there.
   *
   * @throws IllegalArgumentException if none is named, or one is blank, named twice or part of the
   *     key
   */
  public Upsert replacing(String... attributes) {
    Objects.requireNonNull(attributes, "attributes");
    if (attributes.length == 0) {
      throw new IllegalArgumentException(
          "An upsert that replaces nothing is a get-or-create: use GetOrCreate");
    }
    return new Upsert(key, List.of(attributes));
  }
}
