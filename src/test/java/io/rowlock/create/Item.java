package io.rowlock.create;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.SequenceGenerator;

/** A pooled sequence, a unique column as the key, no version. */
@Entity
public class Item {

  static final String[] TABLE = {
    "create sequence item_seq increment 50",
    "create table item (id bigint primary key,"
        + " code text not null constraint item_code_key unique, label text)"
  };

  @Id
  @GeneratedValue(strategy = GenerationType.SEQUENCE, generator = "item")
  @SequenceGenerator(name = "item", sequenceName = "item_seq")
  Long id;

  @Column(unique = true)
  String code;

  String label;

  protected Item() {}

  Item(String code, String label) {
    this.code = code;
    this.label = label;
  }
}
