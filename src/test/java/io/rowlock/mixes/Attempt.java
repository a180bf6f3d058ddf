package io.rowlock.mixes;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.MissingRowsException;
import io.rowlock.UnitOfWork;
import io.rowlock.create.GetOrCreate;
import io.rowlock.create.GetOrCreateResult;
import io.rowlock.create.InsertResult;
import io.rowlock.create.NaturalKey;
import io.rowlock.create.Pin;
import io.rowlock.create.UpdateCondition;
import io.rowlock.create.Upsert;
import io.rowlock.create.UpsertResult;
import io.rowlock.create.UpsertResult.Outcome;
import io.rowlock.lock.LockStrength;
import io.rowlock.lock.Locking;
import io.rowlock.mixes.Books.Change;
import io.rowlock.mixes.Books.Offer;
import io.rowlock.mixes.Operation.Given;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * One attempt of a unit: makes the calls, checks what each answers, and notes what is to be entered
 * into the books once the unit has committed.
 */
final class Attempt {

  private static final Upsert ADDING = Upsert.defaults().replacing("note").adding("added");
  private static final Upsert LATEST =
      Upsert.defaults().replacing("seen").onlyIf(UpdateCondition.greater("seen"));

  private final UnitOfWork unit;
  private final List<Change> changes = new ArrayList<>();
  private final List<Offer> offers = new ArrayList<>();

  /** Entities whose rows nobody else can change before the commit. */
  private final Map<Counted, Kind> held = new LinkedHashMap<>();

  /** Entities whose rows nobody else can delete before the commit. */
  private final Map<Counted, Kind> pinned = new LinkedHashMap<>();

  Attempt(UnitOfWork unit) {
    this.unit = unit;
  }

  Attempt make(List<Operation> operations) {
    for (Operation operation : operations) {
      if (operation instanceof Operation.Get get) {
        get(get);
      } else if (operation instanceof Operation.Insert insert) {
        insert(insert);
      } else if (operation instanceof Operation.Add add) {
        add(add);
      } else if (operation instanceof Operation.Latest latest) {
        latest(latest);
      } else if (operation instanceof Operation.Raise raise) {
        for (Counted row : lock(raise.kind(), raise.keys(), Locking.defaults())) {
          change(raise.kind(), row, raise.value(), 0);
        }
      } else if (operation instanceof Operation.Move move) {
        List<Counted> two = lock(move.kind(), List.of(move.from(), move.to()), Locking.defaults());
        for (Counted row : two) {
          boolean from = row.key().equals(move.from());
          change(move.kind(), row, 0, from ? -move.value() : move.value());
        }
      } else if (operation instanceof Operation.Versions versions) {
        versions(versions);
      } else if (operation instanceof Operation.Delete delete) {
        delete(delete);
      }
    }
    unit.entityManager().flush();
    held.forEach((entity, kind) -> assertThat(entity.row()).isEqualTo(row(kind, entity)));
    pinned.forEach((entity, kind) -> assertThat(row(kind, entity)).startsWith(entity.key() + "|"));
    return this;
  }

  void enterInto(Books books) {
    books.enter(changes, offers);
  }

  private void get(Operation.Get get) {
    GetOrCreate how = new GetOrCreate(NaturalKey.mapped(), get.pin());
    List<Counted> candidates = candidates(get.kind(), get.given());
    List<GetOrCreateResult<Counted>> results =
        get.batch()
            ? unit.getOrCreateAll(candidates, how)
            : List.of(unit.getOrCreate(candidates.get(0), how));
    Set<String> seen = new HashSet<>();
    assertThat(results).hasSameSizeAs(candidates);
    for (int i = 0; i < results.size(); i++) {
      Counted row = results.get(i).entity();
      assertThat(row.key()).isEqualTo(candidates.get(i).key());
      boolean first = seen.add(row.key());
      if (results.get(i).created()) {
        assertThat(first).as("the first of those with the key %s creates", row.key()).isTrue();
        created(get.kind(), row, candidates.get(i));
      } else if (get.pin() instanceof Pin.Locked pin) {
        (pin.strength() == LockStrength.KEY_SHARE ? pinned : held).put(row, get.kind());
      }
    }
  }

  private void insert(Operation.Insert insert) {
    List<Counted> candidates = candidates(insert.kind(), insert.given());
    List<InsertResult<Counted>> results =
        insert.batch()
            ? unit.insertIfAbsentAll(candidates)
            : List.of(unit.insertIfAbsent(candidates.get(0)));
    assertThat(results).hasSameSizeAs(candidates);
    for (int i = 0; i < results.size(); i++) {
      Counted candidate = candidates.get(i);
      results.get(i).entity().ifPresent(row -> created(insert.kind(), row, candidate));
    }
  }

  private void add(Operation.Add add) {
    upsert(add.kind(), add.given(), add.batch(), ADDING)
        .forEach(
            (candidate, result) -> {
              Counted row = result.entity();
              if (result.outcome() != Outcome.CREATED) {
                int version = result.outcome() == Outcome.UPDATED ? 1 : 0;
                changes.add(
                    new Change(add.kind(), row.key(), row.id(), 0, candidate.added, 0, 0, version));
                if (result.outcome() == Outcome.UNCHANGED) {
                  assertThat(candidate.added).isZero();
                }
              }
              assertThat(row.note).isEqualTo(candidate.note);
            });
  }

  private void latest(Operation.Latest latest) {
    upsert(latest.kind(), latest.given(), latest.batch(), LATEST)
        .forEach(
            (candidate, result) -> {
              Counted row = result.entity();
              if (result.outcome() == Outcome.UPDATED) {
                changes.add(new Change(latest.kind(), row.key(), row.id(), 0, 0, 0, 0, 1));
                assertThat(row.seen).isEqualTo(candidate.seen);
              } else {
                assertThat(row.seen).isGreaterThanOrEqualTo(candidate.seen);
              }
              offers.add(new Offer(latest.kind(), row.key(), candidate.seen));
            });
  }

  /** The result for each key's last candidate. */
  private Map<Counted, UpsertResult<Counted>> upsert(
      Kind kind, List<Given> given, boolean batch, Upsert how) {
    List<Counted> candidates = candidates(kind, given);
    List<UpsertResult<Counted>> results =
        batch ? unit.upsertAll(candidates, how) : List.of(unit.upsert(candidates.get(0), how));
    assertThat(results).hasSameSizeAs(candidates);
    Map<String, Integer> last = new LinkedHashMap<>();
    for (int i = 0; i < results.size(); i++) {
      assertThat(results.get(i).entity().key()).isEqualTo(candidates.get(i).key());
      last.put(candidates.get(i).key(), i);
    }
    Map<Counted, UpsertResult<Counted>> byCandidate = new LinkedHashMap<>();
    for (int i = 0; i < results.size(); i++) {
      UpsertResult<Counted> counts = results.get(last.get(candidates.get(i).key()));
      assertThat(results.get(i).outcome()).isEqualTo(counts.outcome());
      assertThat(results.get(i).entity()).isSameAs(counts.entity());
    }
    last.forEach(
        (key, i) -> {
          UpsertResult<Counted> result = results.get(i);
          if (result.outcome() == Outcome.CREATED) {
            created(kind, result.entity(), candidates.get(i));
          }
          held.put(result.entity(), kind);
          byCandidate.put(candidates.get(i), result);
        });
    return byCandidate;
  }

  private void change(Kind kind, Counted row, int raised, int balance) {
    int version = row.version();
    row.raised += raised;
    row.balance += balance;
    unit.entityManager().flush();
    assertThat(row.version()).isEqualTo(kind == Kind.METER ? version + 1 : version);
    changes.add(new Change(kind, row.key(), row.id(), 0, 0, raised, balance, 1));
  }

  private void versions(Operation.Versions versions) {
    Map<Long, String> keys = ids(versions.kind(), versions.keys());
    try {
      unit.incrementVersions(versions.kind().type, keys.keySet())
          .forEach(
              (id, version) -> {
                Meter row = unit.entityManager().find(Meter.class, id);
                assertThat(row.version).isEqualTo(version.intValue());
                held.put(row, versions.kind());
                changes.add(new Change(versions.kind(), keys.get(id), id, 0, 0, 0, 0, 1));
              });
    } catch (MissingRowsException e) {
      assertThat(keys.keySet()).containsAll(e.ids().stream().map(Long.class::cast).toList());
    }
  }

  private void delete(Operation.Delete delete) {
    Locking how = Locking.with(LockStrength.UPDATE);
    for (Counted row : lock(delete.kind(), List.of(delete.key()), how)) {
      changes.add(Change.deleted(delete.kind(), row));
      held.remove(row);
      pinned.remove(row);
      unit.entityManager().remove(row);
    }
  }

  private void created(Kind kind, Counted row, Counted candidate) {
    assertThat(row).isNotSameAs(candidate);
    assertThat(row.row()).as("stored as given").isEqualTo(candidate.row());
    changes.add(Change.created(kind, row));
    offers.add(new Offer(kind, row.key(), row.seen));
    held.put(row, kind);
  }

  /** The rows that are there; none if one of them has gone since it was looked up. */
  private List<Counted> lock(Kind kind, List<String> keys, Locking how) {
    Map<Long, String> ids = ids(kind, keys);
    try {
      Map<Long, ? extends Counted> locked = unit.lock(kind.type, ids.keySet(), how);
      assertThat(locked.keySet()).isEqualTo(ids.keySet());
      locked.values().forEach(row -> held.put(row, kind));
      return List.copyOf(locked.values());
    } catch (MissingRowsException e) {
      assertThat(ids.keySet()).containsAll(e.ids().stream().map(Long.class::cast).toList());
      assertThat(Mixes.LASTING)
          .doesNotContainAnyElementsOf(e.ids().stream().map(ids::get).toList());
      return List.of();
    }
  }

  private Map<Long, String> ids(Kind kind, List<String> keys) {
    Map<Long, String> ids = new LinkedHashMap<>();
    for (Object[] row :
        unit.entityManager()
            .createQuery(
                "select e.id, e."
                    + kind.key
                    + " from "
                    + kind.table
                    + " e where e."
                    + kind.key
                    + " in (:keys)",
                Object[].class)
            .setParameter("keys", keys)
            .getResultList()) {
      ids.put((Long) row[0], (String) row[1]);
    }
    return ids;
  }

  private String row(Kind kind, Counted entity) {
    return (String)
        unit.entityManager()
            .createNativeQuery("select " + kind.row() + " from " + kind.table + " where id = :id")
            .setParameter("id", entity.id())
            .getSingleResult();
  }

  private static List<Counted> candidates(Kind kind, List<Given> given) {
    return given.stream().map(one -> kind.candidate(one.key(), one.value())).toList();
  }
}
