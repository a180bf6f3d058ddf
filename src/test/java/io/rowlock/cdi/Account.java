package io.rowlock.cdi;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;

/** A row to conflict on. */
@Entity(name = "account")
class Account {

  static final String TABLE = "create table account (id bigint primary key, balance int not null)";

  @Id Long id;
  int balance;

  Account() {}

  Account(long id, int balance) {
    this.id = id;
    this.balance = balance;
  }
}
