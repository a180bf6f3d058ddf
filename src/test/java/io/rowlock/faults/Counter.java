package io.rowlock.faults;

import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import org.hibernate.annotations.NaturalId;

/** A counter: created by its first use, added to by each. */
@Entity
class Counter {

  @Id
  @GeneratedValue(strategy = GenerationType.IDENTITY)
  Long id;

  @NaturalId String name;
  long amount;

  Counter() {}

  Counter(String name, long amount) {
    this.name = name;
    this.amount = amount;
  }
}
