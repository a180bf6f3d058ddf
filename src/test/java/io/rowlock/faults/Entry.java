package io.rowlock.faults;

import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.SequenceGenerator;

/**
 * A line of the journal: the call with this token has happened. Nothing in the schema keeps a
 * second line with the same token out: that there is none is what the audit shows.
 */
@Entity
class Entry {

  /** Makes four of them fill a page. */
  private static final String PADDING = "x".repeat(1900);

  @Id
  @GeneratedValue(strategy = GenerationType.SEQUENCE, generator = "entry")
  @SequenceGenerator(name = "entry", sequenceName = "entry_seq")
  Long id;

  String token;
  int attempt;
  String padding = PADDING;

  Entry() {}

  Entry(String token, int attempt) {
    this.token = token;
    this.attempt = attempt;
  }
}
