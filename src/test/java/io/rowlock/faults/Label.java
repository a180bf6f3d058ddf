package io.rowlock.faults;

import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import org.hibernate.annotations.NaturalId;

/** A row that is created once for its key, by the call whose token it carries. */
@Entity
class Label {

  @Id
  @GeneratedValue(strategy = GenerationType.IDENTITY)
  Long id;

  @NaturalId String code;
  String owner;
  String note;
  long uses;

  Label() {}

  Label(String code, String owner, long uses) {
    this.code = code;
    this.owner = owner;
    this.note = owner;
    this.uses = uses;
  }
}
