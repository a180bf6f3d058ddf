package io.rowlock.lock;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;

/** Without a version. */
@Entity(name = "tag")
class Tag {

  static final String TABLE =
      "create table tag (id bigint primary key, slug text unique, n int not null default 0, note text)";

  @Id Long id;
  String slug;
  int n;
  String note;
}
