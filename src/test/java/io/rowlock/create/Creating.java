package io.rowlock.create;

import io.rowlock.internal.hibernate.CreateOnce;
import io.rowlock.internal.hibernate.LostRaces;
import io.rowlock.testing.TestUnit;
import jakarta.persistence.EntityManager;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The operations on one "process", each in a transaction of its own unless an entity manager is
 * given.
 */
final class Creating {

  private final TestUnit unit;
  private final CreateOnce create = new CreateOnce();
  private final AtomicInteger lost = new AtomicInteger();

  Creating(TestUnit unit) {
    this.unit = unit;
  }

  /** How many races were lost so far. */
  int lostRaces() {
    return lost.get();
  }

  <E> GetOrCreateResult<E> getOrCreate(E candidate) {
    return getOrCreate(candidate, GetOrCreate.defaults());
  }

  <E> GetOrCreateResult<E> getOrCreate(E candidate, GetOrCreate how) {
    return unit.factory().callInTransaction(em -> getOrCreate(em, candidate, how));
  }

  <E> GetOrCreateResult<E> getOrCreate(EntityManager em, E candidate) {
    return getOrCreate(em, candidate, GetOrCreate.defaults());
  }

  <E> GetOrCreateResult<E> getOrCreate(EntityManager em, E candidate, GetOrCreate how) {
    return getOrCreate(em, candidate, how, (type, round) -> {});
  }

  <E> GetOrCreateResult<E> getOrCreate(
      EntityManager em, E candidate, GetOrCreate how, LostRaces races) {
    return create.getOrCreate(em, candidate, how, counting(races));
  }

  <E> InsertResult<E> insertIfAbsent(E candidate) {
    return unit.factory().callInTransaction(em -> insertIfAbsent(em, candidate));
  }

  <E> InsertResult<E> insertIfAbsent(EntityManager em, E candidate) {
    return insertIfAbsent(em, candidate, InsertIfAbsent.defaults());
  }

  <E> InsertResult<E> insertIfAbsent(EntityManager em, E candidate, InsertIfAbsent how) {
    return create.insertIfAbsent(em, candidate, how, counting((type, round) -> {}));
  }

  <E> UpsertResult<E> upsert(E candidate) {
    return upsert(candidate, Upsert.defaults());
  }

  <E> UpsertResult<E> upsert(E candidate, Upsert how) {
    return unit.factory().callInTransaction(em -> upsert(em, candidate, how));
  }

  <E> UpsertResult<E> upsert(EntityManager em, E candidate) {
    return upsert(em, candidate, Upsert.defaults());
  }

  <E> UpsertResult<E> upsert(EntityManager em, E candidate, Upsert how) {
    return create.upsert(em, candidate, how, counting((type, round) -> {}));
  }

  private LostRaces counting(LostRaces races) {
    return (type, round) -> {
      lost.incrementAndGet();
      races.onLostRace(type, round);
    };
  }
}
