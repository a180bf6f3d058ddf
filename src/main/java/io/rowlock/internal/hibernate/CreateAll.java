package io.rowlock.internal.hibernate;

import io.rowlock.create.GetOrCreate;
import io.rowlock.create.GetOrCreateResult;
import io.rowlock.create.InsertIfAbsent;
import io.rowlock.create.InsertResult;
import io.rowlock.create.Upsert;
import io.rowlock.create.UpsertResult;
import io.rowlock.internal.hibernate.CreateBatch.Work;
import io.rowlock.internal.hibernate.CreateQuery.Answer;
import io.rowlock.internal.postgres.CreateStatements.Outcome;
import io.rowlock.lock.LockStrength;
import jakarta.persistence.EntityManager;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Creates many rows once by their natural key, in the order of the keys.
 *
 * <p>Safe for use by any thread; each call is for the thread of its entity manager.
 */
public final class CreateAll {

  private final CreateOnce once;

  CreateAll(CreateOnce once) {
    this.once = once;
  }

  /** {@link CreateOnce#getOrCreate} for each candidate; answers in the order of the candidates. */
  public <E> List<GetOrCreateResult<E>> getOrCreate(
      EntityManager em, Collection<? extends E> candidates, GetOrCreate how, LostRaces races) {
    List<E> all = listOf(candidates);
    if (all.isEmpty()) {
      return List.of();
    }
    LockStrength pin = CreateOnce.strength(how.pin());
    List<GetOrCreateResult<E>> results = new ArrayList<>();
    each(
        once.prepared(em, all, how.key()),
        new Work(true, null, pin),
        all,
        races,
        (answer, candidate) ->
            results.add(
                new GetOrCreateResult<>(
                    CreateOnce.entity(present(answer), candidate),
                    present(answer).outcome() == Outcome.CREATED)));
    return Collections.unmodifiableList(results);
  }

  /**
   * {@link CreateOnce#insertIfAbsent} for each candidate; answers in the order of the candidates.
   */
  public <E> List<InsertResult<E>> insertIfAbsent(
      EntityManager em, Collection<? extends E> candidates, InsertIfAbsent how, LostRaces races) {
    List<E> all = listOf(candidates);
    if (all.isEmpty()) {
      return List.of();
    }
    List<InsertResult<E>> results = new ArrayList<>();
    each(
        once.prepared(em, all, how.key()),
        new Work(false, null, null),
        all,
        races,
        (answer, candidate) ->
            results.add(
                answer == null
                    ? new InsertResult.Skipped<>()
                    : new InsertResult.Inserted<>(CreateOnce.entity(answer, candidate))));
    return Collections.unmodifiableList(results);
  }

  /** {@link CreateOnce#upsert} for each candidate; answers in the order of the candidates. */
  public <E> List<UpsertResult<E>> upsert(
      EntityManager em, Collection<? extends E> candidates, Upsert how, LostRaces races) {
    List<E> all = listOf(candidates);
    if (all.isEmpty()) {
      return List.of();
    }
    CreateOnce.Prepared prepared = once.prepared(em, all, how.key());
    List<UpsertResult<E>> results = new ArrayList<>();
    each(
        prepared,
        new Work(true, prepared.replacement(how), LockStrength.NO_KEY_UPDATE),
        all,
        races,
        (answer, candidate) ->
            results.add(
                new UpsertResult<>(
                    CreateOnce.entity(present(answer), candidate),
                    CreateOnce.upserted(present(answer)))));
    return Collections.unmodifiableList(results);
  }

  private interface Result<E> {
    void of(@Nullable Answer answer, E candidate);
  }

  private static <E> void each(
      CreateOnce.Prepared prepared,
      Work work,
      List<E> candidates,
      LostRaces races,
      Result<E> result) {
    List<@Nullable Answer> answers =
        answers(prepared, work, prepared.candidates(candidates, work.replacement()), races);
    Set<Object> created = Collections.newSetFromMap(new IdentityHashMap<>());
    boolean written = false;
    for (int i = 0; i < candidates.size(); i++) {
      Answer answer = answers.get(i);
      if (answer != null) {
        CreateCall.noteLock(prepared.session(), answer, work.lock());
        written |= answer.outcome() == Outcome.CREATED || answer.outcome() == Outcome.UPDATED;
      }
      if (answer != null && answer.outcome() == Outcome.CREATED) {
        created.add(answer.entity());
      }
      result.of(answer, candidates.get(i));
    }
    if (written) {
      CreateCall.written(prepared.session(), prepared.plan());
    }
    created.forEach(
        entity ->
            InsertEvents.after(prepared.session(), prepared.plan().table().persister(), entity));
  }

  private static List<@Nullable Answer> answers(
      CreateOnce.Prepared prepared, Work work, List<Candidate> candidates, LostRaces races) {
    List<List<List<Integer>>> chunks =
        new CreateOrder(prepared, candidates, work.replacement()).chunks();
    if (chunks == null) {
      return new CreateBatch(prepared, work, candidates).answers(races);
    }
    List<@Nullable Answer> answers =
        new ArrayList<>(Collections.<@Nullable Answer>nCopies(candidates.size(), null));
    for (List<List<Integer>> chunk : chunks) {
      List<Candidate> stored = new ArrayList<>();
      for (List<Integer> key : chunk) {
        stored.add(candidates.get(CreateOrder.winner(key, work.lastWins())));
      }
      List<@Nullable Answer> some = new CreateBatch(prepared, work, stored).answers(races);
      for (int i = 0; i < chunk.size(); i++) {
        spread(chunk.get(i), some.get(i), work, answers);
      }
    }
    return answers;
  }

  /** What the candidates with one key are told. */
  private static void spread(
      List<Integer> key, @Nullable Answer answer, Work work, List<@Nullable Answer> answers) {
    for (int position : key) {
      boolean told =
          answer == null || work.lastWins() || position == CreateOrder.winner(key, false);
      if (told) {
        answers.set(position, answer);
      } else if (work.answersExisting()) {
        answers.set(position, new Answer(answer.entity(), Outcome.EXISTING));
      }
    }
  }

  private static Answer present(@Nullable Answer answer) {
    return Objects.requireNonNull(answer);
  }

  @SuppressWarnings("unchecked") // read only
  private static <E> List<E> listOf(Collection<? extends E> candidates) {
    Objects.requireNonNull(candidates, "candidates");
    return (List<E>) Arrays.asList(candidates.toArray());
  }
}
