package io.rowlock.internal.hibernate;

import io.rowlock.internal.hibernate.CreateQuery.Answer;
import io.rowlock.internal.hibernate.CreateQuery.BatchAnswer;
import io.rowlock.internal.postgres.ArrayText;
import io.rowlock.internal.postgres.BatchStatements;
import io.rowlock.internal.postgres.Conflict;
import io.rowlock.internal.postgres.CreateStatements.Outcome;
import io.rowlock.lock.LockStrength;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * One chunk of a create-once operation for many candidates, all of one shape: two statements, one
 * that goes through the keys in their order and locks or inserts, and one that reads or changes
 * what is there then; one where only new rows are answered.
 *
 * <p>For one call on the thread of its session.
 */
final class CreateBatch {

  /**
   * What is done with the rows.
   *
   * @param answersExisting whether rows that are there are answered
   * @param replacement what is done with a row that is there; null if nothing is
   * @param lock how a row that is there is locked; null not to lock it
   */
  record Work(
      boolean answersExisting, @Nullable Replacement replacement, @Nullable LockStrength lock) {

    /** Of two candidates with one key, a call for each would store the last one's values. */
    boolean lastWins() {
      return replacement != null;
    }

    /** Whether the locks keep out those who lock rows by id to change them. */
    boolean locksLikeAChange() {
      return lock != null && lock != LockStrength.KEY_SHARE;
    }
  }

  private final CreateOnce.Prepared prepared;
  private final Work work;
  private final CreateQuery query;
  private final List<Candidate> candidates;
  private final List<@Nullable Answer> answers = new ArrayList<>();

  CreateBatch(CreateOnce.Prepared prepared, Work work, List<Candidate> candidates) {
    this.prepared = prepared;
    this.work = work;
    this.query = prepared.query();
    this.candidates = candidates;
    candidates.forEach(candidate -> answers.add(null));
  }

  /**
   * The answers in the order of the candidates; null for a row that was there, if those are not
   * asked for. Of candidates with one key, one is told that it created the row.
   */
  List<@Nullable Answer> answers(LostRaces races) {
    List<Integer> pending = everyPosition();
    if (!work.answersExisting()) {
      insertUntilKnown(pending);
      return answers;
    }
    for (int round = 1; ; round++) {
      acquireAndRead(pending, prepared.conflict(round));
      pending.removeIf(i -> answers.get(i) != null);
      if (pending.isEmpty()) {
        return answers;
      }
      if (round == CreateCall.ROUNDS) {
        throw CreateCall.contention(prepared.plan());
      }
      races.onLostRace(prepared.plan().table().type(), round);
    }
  }

  /**
   * Inserts rows in the order of their keys, where there are none.
   *
   * @param missing which of the candidates, counted from zero
   * @param with what the inserts give way to
   * @return which of them are new now
   */
  Set<Integer> insertMissing(List<Integer> missing, Conflict with) {
    GivenArrays given = given(missing);
    Set<Integer> created = new HashSet<>();
    String sql = statements(given).acquire(null, prepared.ids().blocks(), with);
    for (BatchAnswer answer : query.sendAll(sql, given.arrays(), false)) {
      created.add(missing.get(position(answer) - 1));
    }
    return created;
  }

  /**
   * Reads or changes the rows of all candidates, which are there and locked.
   *
   * @param created which of them are new
   */
  List<@Nullable Answer> readAll(Set<Integer> created) {
    List<CandidateValues> values = withIds(values(everyPosition()));
    GivenArrays given = GivenArrays.of(prepared.session(), values, column -> true);
    List<String> arrays = new ArrayList<>(given.arrays());
    String sql = statements(given).read(null);
    if (work.replacement() != null) {
      sql = statements(given).update();
      arrays.add(ArrayText.of(created.stream().map(position -> position + 1).toList()));
    }
    for (BatchAnswer row : query.sendAll(sql, arrays, true)) {
      int position = position(row) - 1;
      Outcome outcome =
          created.contains(position) ? Outcome.CREATED : Outcome.valueOf(row.outcome());
      answers.set(position, new Answer(Objects.requireNonNull(row.entity()), outcome));
    }
    return answers;
  }

  /** Until a row that was not inserted is known to have been there. */
  private void insertUntilKnown(List<Integer> pending) {
    for (int round = 1; ; round++) {
      Conflict with = prepared.conflict(round);
      insert(pending, with);
      if (with == Conflict.KEY) {
        return;
      }
      pending.removeIf(i -> answers.get(i) != null);
      if (pending.isEmpty()) {
        return;
      }
      Set<Integer> present = present(withIds(values(pending)));
      for (int i = pending.size(); i > 0; i--) {
        if (present.contains(i)) {
          pending.remove(i - 1);
        }
      }
      if (pending.isEmpty()) {
        return;
      }
    }
  }

  private void insert(List<Integer> pending, Conflict with) {
    GivenArrays given = given(pending);
    String sql = statements(given).insertIfAbsent(prepared.ids().blocks(), with);
    for (BatchAnswer answer : query.sendAll(sql, given.arrays(), true)) {
      set(pending, position(answer), answer, Outcome.CREATED);
    }
  }

  private void acquireAndRead(List<Integer> pending, Conflict with) {
    GivenArrays given = given(pending);
    BatchStatements statements = statements(given);
    Set<Integer> created = new HashSet<>();
    String acquire = statements.acquire(work.lock(), prepared.ids().blocks(), with);
    query.sendAll(acquire, given.arrays(), false).forEach(answer -> created.add(position(answer)));
    for (BatchAnswer row : query.sendAll(statements.read(work.lock()), given.arrays(), true)) {
      boolean isNew = created.contains(position(row));
      set(pending, position(row), row, isNew ? Outcome.CREATED : Outcome.EXISTING);
    }
  }

  private void set(List<Integer> pending, int position, BatchAnswer answer, Outcome outcome) {
    if (answer.entity() == null) {
      throw new IllegalStateException("The statement answered no row");
    }
    answers.set(pending.get(position - 1), new Answer(answer.entity(), outcome));
  }

  private int position(BatchAnswer answer) {
    if (answer.position() == null) {
      // of an insert; the key that came back is none of those that were sent
      throw KeyProblems.otherKey(prepared.plan(), null);
    }
    return answer.position();
  }

  private List<Integer> everyPosition() {
    return IntStream.range(0, candidates.size()).boxed().collect(Collectors.toList());
  }

  /** With the ids that can be told without a query; they may be of the key. */
  private List<CandidateValues> withIds(List<CandidateValues> values) {
    if (!prepared.ids().costsAQuery()) {
      for (CandidateValues read : values) {
        read.insertId(prepared.ids().nextOfMany(prepared.session(), read.candidate()));
      }
    }
    return values;
  }

  private List<CandidateValues> values(List<Integer> positions) {
    List<CandidateValues> values = new ArrayList<>();
    for (int i : positions) {
      values.add(prepared.values(candidates.get(i), work.replacement()));
    }
    return values;
  }

  private GivenArrays given(List<Integer> positions) {
    List<CandidateValues> values = values(positions);
    // where an id costs a query of its own, none is made for a row that is there
    Set<Integer> present = prepared.ids().costsAQuery() ? present(values) : Set.of();
    for (int i = 0; i < values.size(); i++) {
      if (present.contains(i + 1)) {
        values.get(i).insertNoId();
      } else {
        values
            .get(i)
            .insertId(
                prepared
                    .ids()
                    .nextOfMany(prepared.session(), candidates.get(positions.get(i)).instance()));
      }
    }
    return GivenArrays.of(prepared.session(), values, column -> true);
  }

  /** The positions whose row is there, counted from one. */
  private Set<Integer> present(List<CandidateValues> values) {
    GivenArrays keys = GivenArrays.of(prepared.session(), values, CreateOrder::isKey);
    Set<Integer> present = new HashSet<>();
    query
        .sendAll(statements(keys).present(), keys.arrays(), false)
        .forEach(answer -> present.add(position(answer)));
    return present;
  }

  private BatchStatements statements(GivenArrays given) {
    return prepared.statements(given.columns(), given.nullKeys(), given.types());
  }
}
