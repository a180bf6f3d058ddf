package io.rowlock.internal.hibernate;

import io.rowlock.create.GetOrCreate;
import io.rowlock.create.GetOrCreateResult;
import io.rowlock.create.InsertIfAbsent;
import io.rowlock.create.InsertResult;
import io.rowlock.create.NaturalKey;
import io.rowlock.create.Pin;
import io.rowlock.create.Upsert;
import io.rowlock.create.UpsertResult;
import io.rowlock.internal.hibernate.CreateCall.Operation;
import io.rowlock.internal.hibernate.CreateQuery.Answer;
import io.rowlock.internal.postgres.BatchStatements;
import io.rowlock.internal.postgres.ColumnUse;
import io.rowlock.internal.postgres.Conflict;
import io.rowlock.internal.postgres.CreateStatements;
import io.rowlock.internal.postgres.CreateStatements.Outcome;
import io.rowlock.internal.postgres.KeyedTable;
import io.rowlock.lock.LockStrength;
import jakarta.persistence.EntityManager;
import jakarta.persistence.TransactionRequiredException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.hibernate.Hibernate;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.engine.spi.SessionImplementor;
import org.hibernate.proxy.HibernateProxy;
import org.jspecify.annotations.Nullable;

/**
 * Creates rows once by their natural key. What the mapping and the catalog say is found out at the
 * first use of an entity with a key, and kept.
 *
 * <p>Safe for use by any thread.
 */
public final class CreateOnce {

  private final Map<Use, CreatePlan> plans = new ConcurrentHashMap<>();
  private final Map<Use, KeyedTable> tables = new ConcurrentHashMap<>();
  private final Map<Class<?>, IdSource> ids = new ConcurrentHashMap<>();

  private final CreateAll all = new CreateAll(this);

  private record Use(Class<?> entity, NaturalKey key) {}

  /**
   * Answers the row with the candidate's key, without a lock; null if there is none, or if
   * something that runs before an insert could make another key of it. Needs no transaction.
   *
   * @param em an entity manager of Hibernate
   */
  public <E> @Nullable E find(EntityManager em, E candidate, NaturalKey key) {
    SessionImplementor session = em.unwrap(SessionImplementor.class);
    if (candidate != null && InsertEvents.mayChange(session, candidate)) {
      return null;
    }
    Answer answer = call(session, candidate, key).find();
    return answer == null ? null : entity(answer, candidate);
  }

  /**
   * Answers the row with the candidate's key, inserted if there was none.
   *
   * @param em an entity manager of Hibernate with a transaction
   */
  public <E> GetOrCreateResult<E> getOrCreate(
      EntityManager em, E candidate, GetOrCreate how, LostRaces races) {
    LockStrength pin = strength(how.pin());
    CreateCall call = prepare(em, candidate, how.key());
    Answer answer =
        call.untilAnswered(
            new Operation((sql, with) -> sql.getOrCreate(pin, with), sql -> sql.find(pin)),
            null,
            races);
    call.noteLock(answer, pin);
    return new GetOrCreateResult<>(entity(answer, candidate), answer.outcome() == Outcome.CREATED);
  }

  /**
   * Inserts the candidate unless there is a row with its key.
   *
   * @param em an entity manager of Hibernate with a transaction
   */
  public <E> InsertResult<E> insertIfAbsent(
      EntityManager em, E candidate, InsertIfAbsent how, LostRaces races) {
    CreateCall call = prepare(em, candidate, how.key());
    Answer answer =
        call.untilKnown(new Operation(CreateStatements::insertIfAbsent, sql -> sql.find(null)));
    if (answer == null || answer.outcome() != Outcome.CREATED) {
      return new InsertResult.Skipped<>();
    }
    call.noteLock(answer, null);
    return new InsertResult.Inserted<>(entity(answer, candidate));
  }

  /**
   * Replaces attributes of the row with the candidate's key, inserted if there was none.
   *
   * @param em an entity manager of Hibernate with a transaction
   */
  public <E> UpsertResult<E> upsert(EntityManager em, E candidate, Upsert how, LostRaces races) {
    CreateCall call = prepare(em, candidate, how.key());
    Answer answer =
        call.untilAnswered(
            new Operation(CreateStatements::upsert, CreateStatements::update),
            call.replacement(how),
            races);
    call.noteLock(answer, LockStrength.NO_KEY_UPDATE);
    return new UpsertResult<>(entity(answer, candidate), upserted(answer));
  }

  /** The same for many candidates at once. */
  public CreateAll all() {
    return all;
  }

  static UpsertResult.Outcome upserted(Answer answer) {
    return switch (answer.outcome()) {
      case CREATED -> UpsertResult.Outcome.CREATED;
      case UPDATED -> UpsertResult.Outcome.UPDATED;
      case UNCHANGED, EXISTING -> UpsertResult.Outcome.UNCHANGED;
    };
  }

  static @Nullable LockStrength strength(Pin pin) {
    return pin instanceof Pin.Locked locked ? locked.strength() : null;
  }

  private CreateCall prepare(EntityManager em, @Nullable Object candidate, NaturalKey key) {
    return call(inTransaction(em), candidate, key);
  }

  private CreateCall call(SessionImplementor session, @Nullable Object candidate, NaturalKey key) {
    if (candidate == null) {
      throw new IllegalArgumentException("The candidate is null");
    }
    return new CreateCall(prepared(session, List.of(candidate), key), candidate);
  }

  /**
   * What is known before the first statement.
   *
   * @param arbiterIsGone is run if what the catalog said is no longer true
   */
  record Prepared(
      SessionImplementor session,
      CreatePlan plan,
      KeyedTable keyed,
      IdSource ids,
      Runnable arbiterIsGone) {

    /** Runs what is to run before the candidates are inserted. */
    List<Candidate> candidates(List<?> instances, @Nullable Replacement replacement) {
      List<Candidate> candidates = new ArrayList<>(instances.size());
      for (Object instance : instances) {
        candidates.add(
            new Candidate(instance, CandidateValues.state(session, plan, instance, replacement)));
      }
      return candidates;
    }

    CandidateValues values(Candidate candidate, @Nullable Replacement replacement) {
      return CreateCall.checked(
          plan,
          keyed,
          CandidateValues.of(session, plan, candidate.instance(), candidate.state(), replacement));
    }

    Replacement replacement(Upsert how) {
      MappingLimits.checkUpdate(plan.table(), session.getFactory());
      return Replacement.of(plan, how);
    }

    /**
     * What the insert of this round gives way to. Where a row with the same key may be met in
     * another index first, to any constraint for a while; then a clash is that other constraint's,
     * and is to be told.
     *
     * @param round counted from one
     */
    Conflict conflict(int round) {
      return round <= CreateCall.PATIENT_ROUNDS && keyed.meetsOthers()
          ? Conflict.ANY
          : Conflict.KEY;
    }

    /** Sends statements. */
    CreateQuery query() {
      return new CreateQuery(session, plan, arbiterIsGone);
    }

    /** The statements for many candidates of one shape. */
    BatchStatements statements(
        List<ColumnUse> columns, Set<String> nullKeys, List<@Nullable String> types) {
      return new BatchStatements(
          keyed,
          plan.table().table(),
          plan.table().idColumns(),
          columns,
          nullKeys,
          types,
          plan.rowColumns());
    }
  }

  /**
   * Checks the candidates and flushes the session.
   *
   * @param candidates some, of one class
   * @throws IllegalArgumentException if one is managed or not new
   */
  Prepared prepared(EntityManager em, List<?> candidates, NaturalKey key) {
    return prepared(inTransaction(em), candidates, key);
  }

  private static SessionImplementor inTransaction(EntityManager em) {
    SessionImplementor session = em.unwrap(SessionImplementor.class);
    if (!session.isTransactionInProgress()) {
      throw new TransactionRequiredException(
          "Creating a row once needs a transaction: its row is locked until the transaction ends");
    }
    return session;
  }

  private Prepared prepared(SessionImplementor session, List<?> candidates, NaturalKey key) {
    candidates.forEach(candidate -> requireNew(session, candidate));
    Use use = new Use(Hibernate.getClassLazy(candidates.get(0)), key);
    SessionFactoryImplementor factory = session.getFactory();
    CreatePlan plan = plan(session, use);
    // one source of ids for each entity: it may keep some
    IdSource source = ids.computeIfAbsent(use.entity(), e -> IdSource.of(plan.table(), factory));
    candidates.forEach(source::check);
    if (session.isTransactionInProgress()) {
      session.flush();
    }
    return new Prepared(
        session, plan, keyed(session, use, plan, source), source, () -> forget(use));
  }

  private static void requireNew(SessionImplementor session, Object candidate) {
    if (candidate instanceof HibernateProxy
        || session.getPersistenceContextInternal().isEntryFor(candidate)) {
      throw new IllegalArgumentException(
          "The candidate of "
              + Hibernate.getClassLazy(candidate).getName()
              + " is managed. Pass a new instance: it is only read, and the entity that is answered is"
              + " another one");
    }
  }

  private void forget(Use use) {
    tables.remove(use);
    plans.remove(use);
  }

  private CreatePlan plan(SessionImplementor session, Use use) {
    CreatePlan known = plans.get(use);
    if (known != null) {
      return known;
    }
    CreatePlan plan =
        CreatePlan.of(session, EntityTable.of(session.getFactory(), use.entity()), use.key());
    plans.put(use, plan);
    return plan;
  }

  private KeyedTable keyed(SessionImplementor session, Use use, CreatePlan plan, IdSource source) {
    KeyedTable known = tables.get(use);
    if (known != null) {
      return known;
    }
    KeyedTable read =
        session.doReturningWork(connection -> KeyedTable.read(connection, plan.wanted(source)));
    tables.put(use, read);
    return read;
  }

  @SuppressWarnings("unchecked") // the row is one of the candidate's entity
  static <E> E entity(Answer answer, E candidate) {
    return (E)
        (candidate.getClass().isInstance(answer.entity())
            ? answer.entity()
            : Hibernate.unproxy(answer.entity()));
  }
}
