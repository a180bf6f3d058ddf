package io.rowlock.internal.hibernate;

import static io.rowlock.internal.postgres.ColumnUse.Use.ADD;
import static io.rowlock.internal.postgres.ColumnUse.Use.COMPARE;
import static io.rowlock.internal.postgres.ColumnUse.Use.IF_GREATER;
import static io.rowlock.internal.postgres.ColumnUse.Use.IF_NULL;
import static io.rowlock.internal.postgres.ColumnUse.Use.SET;

import io.rowlock.create.UpdateCondition;
import io.rowlock.create.Upsert;
import io.rowlock.internal.postgres.ColumnUse.Use;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.hibernate.metamodel.mapping.AttributeMapping;

/**
 * What an upsert does with the attributes of a row that is there.
 *
 * <p>Immutable; safe for use by any thread.
 */
final class Replacement {

  private final CreatePlan plan;
  private final Map<String, Set<Use>> uses = new HashMap<>();

  private Replacement(CreatePlan plan) {
    this.plan = plan;
  }

  /**
   * What the upsert asks for.
   *
   * @throws IllegalArgumentException if a named attribute cannot be changed or looked at
   */
  static Replacement of(CreatePlan plan, Upsert how) {
    Replacement replacement = new Replacement(plan);
    how.added().forEach(name -> replacement.change(name, EnumSet.of(ADD)));
    if (how.replaced().isEmpty()) {
      replacement.replaceAllOthers();
    } else {
      how.replaced().forEach(name -> replacement.change(name, EnumSet.of(COMPARE, SET)));
    }
    how.conditions().forEach(replacement::require);
    return replacement;
  }

  /** What is done with the attribute of that name. */
  Set<Use> uses(String attribute) {
    return uses.getOrDefault(attribute, Set.of());
  }

  private void replaceAllOthers() {
    for (AttributeMapping attribute : plan.table().attributes()) {
      if (whyNot(attribute).isEmpty()) {
        uses.putIfAbsent(attribute.getAttributeName(), EnumSet.of(COMPARE, SET));
      }
    }
  }

  private void change(String name, Set<Use> wanted) {
    whyNot(name, this::whyNot)
        .ifPresent(
            why -> {
              throw refusal(wanted.contains(ADD) ? "add to" : "replace", name, why);
            });
    uses.put(name, wanted);
  }

  private void require(UpdateCondition condition) {
    String name = condition.attribute();
    whyNot(name, this::whyNotRead)
        .ifPresent(
            why -> {
              throw refusal("depend on", name, why);
            });
    uses.computeIfAbsent(name, n -> EnumSet.noneOf(Use.class))
        .add(condition.test() == UpdateCondition.Test.GREATER ? IF_GREATER : IF_NULL);
  }

  private IllegalArgumentException refusal(String what, String name, String why) {
    return new IllegalArgumentException(
        "An upsert of "
            + plan.table().entityName()
            + " cannot "
            + what
            + " '"
            + name
            + "': "
            + why);
  }

  private interface Reason {
    Optional<String> of(AttributeMapping attribute);
  }

  private Optional<String> whyNot(String name, Reason reason) {
    Optional<AttributeMapping> attribute = plan.table().attribute(name);
    if (attribute.isPresent()) {
      return reason.of(attribute.get());
    }
    return Optional.of(
        name.equals(plan.table().idAttribute()) ? "it is the id" : "there is no such attribute");
  }

  private Optional<String> whyNot(AttributeMapping attribute) {
    if (plan.key().contains(attribute.getAttributeName())) {
      return Optional.of("it is part of the key");
    }
    Optional<String> unreadable = whyNotRead(attribute);
    if (unreadable.isPresent()) {
      return unreadable;
    }
    if (!plan.table().isUpdatable(attribute)) {
      return Optional.of("it is not updatable");
    }
    return Optional.empty();
  }

  private Optional<String> whyNotRead(AttributeMapping attribute) {
    if (plan.table().isVersion(attribute)) {
      return Optional.of("it is the version");
    }
    if (attribute.isPluralAttributeMapping()) {
      return Optional.of("it is a collection");
    }
    if (attribute.getGenerator() != null && attribute.getGenerator().generatesSometimes()) {
      return Optional.of("its value is generated");
    }
    return Optional.empty();
  }
}
