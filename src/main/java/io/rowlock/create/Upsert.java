package io.rowlock.create;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;

/**
 * How an upsert goes about it: by which natural key, which attributes of an existing row are
 * replaced by the candidate's values, to which they are added, and under which conditions.
 *
 * <p>Immutable, reusable; safe for use by any thread.
 *
 * @param key the natural key
 * @param replaced the names of the attributes that are replaced; empty stands for all but the id,
 *     the key, the version and those that are added
 * @param added the names of the attributes to which the candidate's value is added
 * @param conditions what must hold for a row that is there to be changed; all of them
 */
public record Upsert(
    NaturalKey key, List<String> replaced, List<String> added, List<UpdateCondition> conditions) {

  private static final Upsert DEFAULTS =
      new Upsert(NaturalKey.mapped(), List.of(), List.of(), List.of());

  /** Checks that no attribute is null, blank, named twice or part of the key. */
  public Upsert {
    Objects.requireNonNull(key, "key");
    replaced = List.copyOf(replaced);
    added = List.copyOf(added);
    conditions = List.copyOf(conditions);
    List<String> changed = new ArrayList<>(replaced);
    changed.addAll(added);
    if (new LinkedHashSet<>(changed).size() != changed.size()) {
      throw new IllegalArgumentException("An upsert changes an attribute twice: " + changed);
    }
    for (String attribute : changed) {
      if (attribute.isBlank()) {
        throw new IllegalArgumentException("The name of a changed attribute is blank: " + changed);
      }
      if (key.attributes().contains(attribute)) {
        throw new IllegalArgumentException(
            "An upsert by "
                + key.attributes()
                + " cannot change '"
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
    return new Upsert(NaturalKey.of(attributes), List.of(), List.of(), List.of());
  }

  /** By the given key, replacing all attributes but id, key and version. */
  public static Upsert by(NaturalKey key) {
    return new Upsert(key, List.of(), List.of(), List.of());
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
    return new Upsert(key, List.of(attributes), added, conditions);
  }

  /**
   * The same, adding the candidate's values of the named attributes to those of a row that is
   * there: a counter. A null counts for nothing; adding zero changes nothing.
   *
   * @throws IllegalArgumentException if none is named, or one is blank, named twice, replaced too
   *     or part of the key
   */
  public Upsert adding(String... attributes) {
    Objects.requireNonNull(attributes, "attributes");
    if (attributes.length == 0) {
      throw new IllegalArgumentException("An upsert that adds needs an attribute to add to");
    }
    return new Upsert(key, replaced, List.of(attributes), conditions);
  }

  /** The same, changing a row that is there only if all the conditions hold. */
  public Upsert onlyIf(UpdateCondition... all) {
    return new Upsert(key, replaced, added, List.of(all));
  }
}
