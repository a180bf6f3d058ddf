package io.rowlock.mixes;

import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.Version;
import org.hibernate.annotations.NaturalId;

/** An identity, a natural id and a version. */
@Entity
class Meter extends Counted {

  @Id
  @GeneratedValue(strategy = GenerationType.IDENTITY)
  Long id;

  @NaturalId String slug;
  @Version int version;

  Meter() {}

  Meter(String slug) {
    this.slug = slug;
  }

  @Override
  Long id() {
    return id;
  }

  @Override
  String key() {
    return slug;
  }

  @Override
  int version() {
    return version;
  }
}
