package io.rowlock.faults;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;

/** An account of the ledger: known rows, whose total is constant. */
@Entity
class Account {

  @Id long id;
  long balance;
}
