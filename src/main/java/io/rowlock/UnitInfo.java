package io.rowlock;

import java.io.Serializable;
import java.util.Objects;

/**
 * Which attempt of which unit of work an event or a failure belongs to.
 *
 * @param name the unit's name
 * @param attempt the attempt, counted from one
 * @param maxAttempts how many attempts the policy allows
 */
public record UnitInfo(String name, int attempt, int maxAttempts) implements Serializable {

  /** Checks that the name is given. */
  public UnitInfo {
    Objects.requireNonNull(name, "name");
  }

  @Override
  public String toString() {
    return "'" + name + "' on attempt " + attempt + " of " + maxAttempts;
  }
}
