package io.rowlock.unit;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Version;

/** A row with a version. */
@Entity(name = "vtag")
class VTag {

  static final String TABLE =
      "create table vtag (id bigint primary key, slug text not null unique,"
          + " n int not null default 0, ver int not null default 0)";

  @Id Long id;
  String slug;
  int n;
  @Version Integer ver;

  VTag() {}

  VTag(long id, String slug) {
    this.id = id;
    this.slug = slug;
  }
}
