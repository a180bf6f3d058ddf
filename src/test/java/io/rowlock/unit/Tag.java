package io.rowlock.unit;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;

/** A row to work on. */
@Entity(name = "tag")
class Tag {

  static final String TABLE =
      "create table tag (id bigint primary key, slug text not null unique,"
          + " n int not null default 0, note text)";

  @Id Long id;
  String slug;
  int n;
  String note;

  Tag() {}

  Tag(long id, String slug) {
    this.id = id;
    this.slug = slug;
  }
}
