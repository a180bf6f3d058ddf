package io.rowlock.internal.hibernate;

import io.rowlock.UnsupportedMappingException;
import io.rowlock.internal.postgres.BatchStatements;
import io.rowlock.internal.postgres.CreateFailure;
import io.rowlock.internal.postgres.CreateStatements;
import io.rowlock.internal.postgres.CreateStatements.Outcome;
import io.rowlock.internal.postgres.PlannedAnew;
import io.rowlock.internal.postgres.TransactionMark;
import jakarta.persistence.FlushModeType;
import jakarta.persistence.Query;
import java.util.ArrayList;
import java.util.List;
import org.hibernate.CacheMode;
import org.hibernate.engine.spi.SessionImplementor;
import org.hibernate.query.NativeQuery;
import org.jspecify.annotations.Nullable;

/** Sends a create-once statement and makes a managed entity of its answer. */
final class CreateQuery {

  /** What a statement answered: a managed entity that shows the row, and what became of the row. */
  record Answer(Object entity, Outcome outcome) {}

  private final SessionImplementor session;
  private final CreatePlan plan;
  private final Runnable arbiterIsGone;

  CreateQuery(SessionImplementor session, CreatePlan plan, Runnable arbiterIsGone) {
    this.session = session;
    this.plan = plan;
    this.arbiterIsGone = arbiterIsGone;
  }

  /** The answer; null if the statement answered no row. */
  @Nullable Answer send(String sql, List<BoundValue> values) {
    NativeQuery<Object[]> query = session.createNativeQuery(sql, Object[].class);
    query.addScalar(CreateStatements.OUTCOME, String.class);
    query.addScalar(TransactionMark.COLUMN, String.class);
    query.addEntity(CreateStatements.ROW, plan.table().persister().getRootEntityName());
    // flushed before; and what is read may not be committed, so it is none of the shared cache's
    // business
    ((Query) query).setFlushMode(FlushModeType.COMMIT);
    query.setCacheMode(CacheMode.IGNORE);
    for (int i = 0; i < values.size(); i++) {
      values.get(i).bind(query, i + 1, session.getFactory());
    }
    ManagedInstances before = ManagedInstances.beforeOne(session);
    List<Object[]> rows = rows(query);
    if (rows.isEmpty()) {
      return null;
    }
    CarriedMark.note(session, rows.get(0)[1]);
    Object entity = rows.get(0)[2];
    Outcome outcome = Outcome.valueOf((String) rows.get(0)[0]);
    requireType(entity);
    if (before.nothingLoaded()) {
      ManagedInstances.refresh(session, entity);
    }
    return new Answer(entity, outcome);
  }

  /** What a statement answered for one row of a batch: the row, if it was asked for. */
  record BatchAnswer(@Nullable Integer position, String outcome, @Nullable Object entity) {}

  /**
   * Sends a statement about many rows.
   *
   * @param arrays its parameters
   * @param rows whether it answers the rows
   */
  List<BatchAnswer> sendAll(String sql, List<String> arrays, boolean rows) {
    NativeQuery<Object[]> query = session.createNativeQuery(sql, Object[].class);
    query.addScalar(BatchStatements.POSITION, Integer.class);
    query.addScalar(CreateStatements.OUTCOME, String.class);
    if (rows) {
      query.addEntity(CreateStatements.ROW, plan.table().persister().getRootEntityName());
    }
    ((Query) query).setFlushMode(FlushModeType.COMMIT);
    query.setCacheMode(CacheMode.IGNORE);
    for (int i = 0; i < arrays.size(); i++) {
      query.setParameter(i + 1, arrays.get(i), UntypedText.TYPE);
    }
    ManagedInstances before =
        rows ? ManagedInstances.ofEntity(session, plan.table().persister()) : null;
    List<BatchAnswer> answers = new ArrayList<>();
    List<Object> entities = new ArrayList<>();
    for (Object[] row : plannedAnew(query)) {
      Object entity = rows ? row[2] : null;
      if (entity != null) {
        requireType(entity);
        entities.add(entity);
      }
      answers.add(new BatchAnswer((Integer) row[0], (String) row[1], entity));
    }
    if (before != null) {
      before.refreshIfManagedBefore(entities);
    }
    return answers;
  }

  private List<Object[]> plannedAnew(NativeQuery<Object[]> query) {
    int before = session.doReturningWork(PlannedAnew::begin);
    List<Object[]> rows;
    try {
      rows = rows(query);
    } catch (RuntimeException | Error e) {
      try {
        usual(before);
      } catch (RuntimeException further) {
        e.addSuppressed(further);
      }
      throw e;
    }
    usual(before);
    return rows;
  }

  private void usual(int before) {
    session.doWork(connection -> PlannedAnew.restore(connection, before));
  }

  private List<Object[]> rows(NativeQuery<Object[]> query) {
    try {
      return query.getResultList();
    } catch (RuntimeException e) {
      CreateFailure meaning = CreateFailure.of(e).orElse(null);
      if (meaning == null) {
        throw e;
      }
      throw switch (meaning) {
        case NO_ARBITER -> {
          arbiterIsGone.run();
          yield KeyProblems.arbiterIsGone(plan, e);
        }
        case OTHER_KEY -> KeyProblems.otherKey(plan, e);
        case OUTSIDE -> KeyProblems.outside(plan, e);
      };
    }
  }

  private void requireType(Object entity) {
    if (!plan.table().persister().isInstance(entity)) {
      throw new UnsupportedMappingException(
          plan.table().entityName(),
          "The row of table "
              + plan.table().table()
              + " with the key of the candidate is no "
              + plan.table().entityName()
              + " but a "
              + session.getEntityName(entity)
              + ": the key is unique among all classes of the hierarchy");
    }
  }
}
