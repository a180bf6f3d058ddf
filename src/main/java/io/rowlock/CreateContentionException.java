package io.rowlock;

/**
 * A create-once operation was bounded: each time, its insert met a row with the key, and each time
 * that row could not be found. Either other transactions keep inserting and deleting it, or it is
 * hidden from this role (a row security policy), or a trigger changes the key. The unit is not run
 * again.
 */
public final class CreateContentionException extends RowlockException {

  private static final long serialVersionUID = 1L;

  private final String entity;
  private final int rounds;

  /** Made by Rowlock. */
  public CreateContentionException(String entity, int rounds, String message) {
    super(message, null);
    this.entity = entity;
    this.rounds = rounds;
  }

  /** The entity's name. */
  public String entity() {
    return entity;
  }

  /** How often the statement was sent. */
  public int rounds() {
    return rounds;
  }
}
