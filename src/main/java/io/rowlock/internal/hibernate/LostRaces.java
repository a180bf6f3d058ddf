package io.rowlock.internal.hibernate;

/** Is told of races that a create-once operation has lost. */
@FunctionalInterface
public interface LostRaces {

  /**
   * The row was neither found nor inserted; the statement is about to be sent again.
   *
   * @param entity the entity's type
   * @param round how many times the statement has been sent, counted from one
   */
  void onLostRace(Class<?> entity, int round);
}
