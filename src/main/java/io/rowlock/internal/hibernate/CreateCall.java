package io.rowlock.internal.hibernate;

import io.rowlock.CreateContentionException;
import io.rowlock.create.Upsert;
import io.rowlock.internal.hibernate.CreateQuery.Answer;
import io.rowlock.internal.hibernate.IdSource.NewId;
import io.rowlock.internal.postgres.Conflict;
import io.rowlock.internal.postgres.CreateStatements;
import io.rowlock.internal.postgres.CreateStatements.Outcome;
import io.rowlock.internal.postgres.KeyedTable;
import io.rowlock.lock.LockStrength;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.hibernate.LockMode;
import org.hibernate.action.internal.BulkOperationCleanupAction;
import org.hibernate.engine.spi.EntityEntry;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.engine.spi.SessionImplementor;
import org.hibernate.engine.spi.Status;
import org.hibernate.persister.entity.EntityPersister;
import org.jspecify.annotations.Nullable;

/** One call of a create-once operation: for one candidate, on the thread of its session. */
final class CreateCall {

  /** How often the statement is sent before the operation gives up. */
  static final int ROUNDS = 10;

  /** How many of them at most leave open which constraint a new row has met. */
  static final int PATIENT_ROUNDS = 2;

  private final CreateOnce.Prepared prepared;
  private final SessionImplementor session;
  private final CreatePlan plan;
  private final KeyedTable keyed;
  private final IdSource ids;
  private final CreateQuery query;
  private final Object candidate;

  CreateCall(CreateOnce.Prepared prepared, Object candidate) {
    this.prepared = prepared;
    this.session = prepared.session();
    this.plan = prepared.plan();
    this.keyed = prepared.keyed();
    this.ids = prepared.ids();
    this.query = prepared.query();
    this.candidate = candidate;
  }

  /**
   * What the operation does: the statement that can insert, and the one for a row that is there.
   */
  record Operation(
      BiFunction<CreateStatements, Conflict, String> insert,
      Function<CreateStatements, String> existing) {}

  /**
   * Sends the statement until it answers a row.
   *
   * @param replacement what an update does, null without one
   * @throws CreateContentionException if it never does
   */
  Answer untilAnswered(Operation operation, @Nullable Replacement replacement, LostRaces races) {
    CandidateValues values = values(replacement);
    Answer answer = existing(operation, values);
    if (answer != null) {
      return answer;
    }
    NewId id = newId(values);
    for (int round = 1; ; round++) {
      answer = sent(insert(operation, values, round), values, id);
      if (answer != null) {
        return answer;
      }
      if (round == ROUNDS) {
        ids.unused(id);
        throw contention(plan);
      }
      races.onLostRace(plan.table().type(), round);
    }
  }

  /** Sends the statement until no row would mean that another one has its key; null then. */
  @Nullable Answer untilKnown(Operation operation) {
    CandidateValues values = values(null);
    Answer answer = existing(operation, values);
    if (answer != null) {
      return answer;
    }
    NewId id = newId(values);
    for (int round = 1; ; round++) {
      answer = sent(insert(operation, values, round), values, id);
      if (answer != null) {
        return answer;
      }
      if (prepared.conflict(round) == Conflict.KEY) {
        ids.unused(id);
        return null;
      }
    }
  }

  private String insert(Operation operation, CandidateValues values, int round) {
    return operation.insert().apply(statements(values), prepared.conflict(round));
  }

  /** Looks for the row and does no more; null if there is none. */
  @Nullable Answer find() {
    Object[] state = plan.table().persister().getValues(candidate);
    CandidateValues values =
        checked(plan, keyed, CandidateValues.of(session, plan, candidate, state, null));
    return query.send(statements(values).find(null), values.values());
  }

  /** Where an id costs a query of its own, the row is looked for first. */
  private @Nullable Answer existing(Operation operation, CandidateValues values) {
    return ids.costsAQuery()
        ? after(query.send(operation.existing().apply(statements(values)), values.values()))
        : null;
  }

  private @Nullable Answer sent(String sql, CandidateValues values, NewId id) {
    Answer answer = query.send(sql, values.values());
    if (answer == null) {
      return null;
    }
    if (answer.outcome() != Outcome.CREATED) {
      ids.unused(id);
      return after(answer);
    }
    ids.used(id, plan.table().persister().getIdentifier(answer.entity(), session));
    after(answer);
    InsertEvents.after(session, plan.table().persister(), answer.entity());
    return answer;
  }

  /** See {@link CreateOnce.Prepared#replacement(Upsert)}. */
  Replacement replacement(Upsert how) {
    return prepared.replacement(how);
  }

  private NewId newId(CandidateValues values) {
    NewId id = ids.next(session, candidate);
    values.insertId(id);
    return id;
  }

  private CandidateValues values(@Nullable Replacement replacement) {
    return checked(plan, keyed, CandidateValues.of(session, plan, candidate, replacement));
  }

  /**
   * Checks the values of a candidate.
   *
   * @throws IllegalArgumentException if nulls in its key would never be found
   */
  static CandidateValues checked(CreatePlan plan, KeyedTable keyed, CandidateValues values) {
    if (!values.nullKeys().isEmpty() && !keyed.nullsAreEqual()) {
      throw new IllegalArgumentException(
          "The candidate of "
              + plan.table().entityName()
              + " has null in the columns "
              + values.nullKeys()
              + " of its natural key, and to "
              + keyed.arbiter()
              + " nulls are never the same: it would insert one row more with each call");
    }
    return values;
  }

  private CreateStatements statements(CandidateValues values) {
    EntityTable table = plan.table();
    return keyed.statements(
        table.table(), table.idColumns(), values.columns(), values.nullKeys(), plan.rowColumns());
  }

  /** What was written behind Hibernate's caches must not be answered from them. */
  private @Nullable Answer after(@Nullable Answer answer) {
    if (answer == null
        || (answer.outcome() != Outcome.CREATED && answer.outcome() != Outcome.UPDATED)) {
      return answer;
    }
    written(session, plan);
    return answer;
  }

  /** Rows have been written behind Hibernate's caches. */
  static void written(SessionImplementor session, CreatePlan plan) {
    EntityPersister persister = plan.table().persister();
    SessionFactoryImplementor factory = session.getFactory();
    if (persister.canWriteToCache() || factory.getSessionFactoryOptions().isQueryCacheEnabled()) {
      BulkOperationCleanupAction.schedule(session, persister);
    }
  }

  /** Tells Hibernate which lock the row has, so that it does not take it once more. */
  void noteLock(Answer answer, @Nullable LockStrength pin) {
    noteLock(session, answer, pin);
  }

  /** See {@link #noteLock(Answer, LockStrength)}. */
  static void noteLock(SessionImplementor session, Answer answer, @Nullable LockStrength pin) {
    EntityEntry entry = session.getPersistenceContextInternal().getEntry(answer.entity());
    LockMode mode =
        answer.outcome() == Outcome.CREATED || answer.outcome() == Outcome.UPDATED
            ? LockMode.WRITE
            : mode(pin);
    if (entry != null
        && entry.getStatus() == Status.MANAGED
        && entry.getLockMode().lessThan(mode)) {
      entry.setLockMode(mode);
    }
  }

  private static LockMode mode(@Nullable LockStrength pin) {
    if (pin == null) {
      return LockMode.NONE;
    }
    return switch (pin) {
      case KEY_SHARE -> LockMode.NONE;
      case SHARE -> LockMode.PESSIMISTIC_READ;
      case NO_KEY_UPDATE, UPDATE -> LockMode.PESSIMISTIC_WRITE;
    };
  }

  /** That a row could neither be found nor be inserted. */
  static CreateContentionException contention(CreatePlan plan) {
    return new CreateContentionException(
        plan.table().entityName(),
        ROUNDS,
        "Of table "
            + plan.table().table()
            + ", the row with the key ("
            + String.join(", ", plan.keyColumns())
            + ") of a candidate of "
            + plan.table().entityName()
            + " could "
            + ROUNDS
            + " times neither be found nor be inserted. Either other transactions keep inserting and"
            + " deleting it, or a row security policy hides it from this role, or a trigger on the table"
            + " changes the key or drops the insert");
  }
}
