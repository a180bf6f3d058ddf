package io.rowlock.mixes;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.SequenceGenerator;

/** A pooled sequence, a unique column as the key, no version. */
@Entity
class Account extends Counted {

  @Id
  @GeneratedValue(strategy = GenerationType.SEQUENCE, generator = "account")
  @SequenceGenerator(name = "account", sequenceName = "account_seq")
  Long id;

  @Column(unique = true)
  String code;

  Account() {}

  Account(String code) {
    this.code = code;
  }

  @Override
  Long id() {
    return id;
  }

  @Override
  String key() {
    return code;
  }

  @Override
  int version() {
    return 0;
  }
}
