package io.rowlock.internal.hibernate;

import io.rowlock.internal.hibernate.CreateBatch.Work;
import io.rowlock.internal.hibernate.CreateQuery.Answer;
import io.rowlock.internal.postgres.BatchSavepoint;
import io.rowlock.internal.postgres.Conflict;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A batch that locks the rows that are there against everybody who changes rows. It locks them as
 * an ordered lock of their ids would, all of them in one statement, then inserts what is missing in
 * the order of the keys, and reads or changes the rows last.
 *
 * <p>Two such batches and any number of locks by id wait for each other in one order, but for one
 * case: a row that was committed after the first statement and is met by an insert. Waiting for it
 * then, with later rows and keys in hand, could close a circle. So the batch gives back what it has
 * and starts over, and finds the row among those that are there.
 *
 * <p>For one call on the thread of its session.
 */
final class CreateLocked {

  private final CreateOnce.Prepared prepared;
  private final Work work;
  private final List<Candidate> candidates;
  private final CreateOrder order;

  CreateLocked(
      CreateOnce.Prepared prepared, Work work, List<Candidate> candidates, CreateOrder order) {
    this.prepared = prepared;
    this.work = work;
    this.candidates = candidates;
    this.order = order;
  }

  /** A chunk and what came of it. */
  private static final class Part {
    final List<List<Integer>> keys;
    final CreateBatch batch;
    Set<Integer> created = Set.of();

    Part(List<List<Integer>> keys, CreateBatch batch) {
      this.keys = keys;
      this.batch = batch;
    }
  }

  /** Goes through all candidates; tells the answers key by key. */
  void answers(LostRaces races, Answers answers) {
    savepoint(BatchSavepoint::set);
    for (int round = 1; ; round++) {
      CreateOrder.Locked locked = order.locked(Objects.requireNonNull(work.lock()));
      List<Part> parts = new ArrayList<>();
      boolean complete = true;
      for (List<List<Integer>> chunk : locked.chunks()) {
        Part part = new Part(chunk, batch(chunk));
        parts.add(part);
        complete = complete && insertMissing(part, locked.positions(), prepared.conflict(round));
      }
      if (complete) {
        parts.forEach(part -> read(part, answers));
        savepoint(BatchSavepoint::release);
        return;
      }
      savepoint(BatchSavepoint::rollBack);
      if (round == CreateCall.ROUNDS) {
        throw CreateCall.contention(prepared.plan());
      }
      races.onLostRace(prepared.plan().table().type(), round);
    }
  }

  /** Is told of the answers to the candidates with one key. */
  interface Answers {
    void of(List<Integer> positions, Answer answer);
  }

  private CreateBatch batch(List<List<Integer>> chunk) {
    List<Candidate> stored = new ArrayList<>();
    for (List<Integer> key : chunk) {
      stored.add(candidates.get(CreateOrder.winner(key, work.lastWins())));
    }
    return new CreateBatch(prepared, work, stored);
  }

  /** Whether every row is there afterwards and locked. */
  private static boolean insertMissing(Part part, Set<Integer> locked, Conflict with) {
    List<Integer> missing = new ArrayList<>();
    for (int i = 0; i < part.keys.size(); i++) {
      if (!locked.contains(part.keys.get(i).get(0))) {
        missing.add(i);
      }
    }
    part.created = missing.isEmpty() ? Set.of() : part.batch.insertMissing(missing, with);
    return part.created.size() == missing.size();
  }

  private void read(Part part, Answers answers) {
    List<@Nullable Answer> rows = part.batch.readAll(part.created);
    for (int i = 0; i < rows.size(); i++) {
      Answer row = rows.get(i);
      if (row == null) {
        // locked, and yet not to be read: a policy, or a trigger that has moved it
        throw CreateCall.contention(prepared.plan());
      }
      answers.of(part.keys.get(i), row);
    }
  }

  private void savepoint(org.hibernate.jdbc.Work step) {
    prepared.session().doWork(step);
  }
}
