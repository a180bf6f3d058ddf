package io.rowlock.lock;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Version;

/** With a version. */
@Entity(name = "vtag")
class VTag {

  static final String TABLE =
      "create table vtag (id bigint primary key, n int not null default 0, ver int not null default 0)";

  @Id Long id;
  int n;
  @Version int ver;
}
