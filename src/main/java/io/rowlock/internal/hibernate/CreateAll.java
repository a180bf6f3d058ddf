package io.rowlock.internal.hibernate;

import io.rowlock.create.GetOrCreate;
import io.rowlock.create.GetOrCreateResult;
import io.rowlock.create.InsertIfAbsent;
import io.rowlock.create.InsertResult;
import io.rowlock.create.NaturalKey;
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
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import org.hibernate.Hibernate;
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
        groups(em, all, how.key(), prepared -> new Work(true, null, pin)),
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
        groups(em, all, how.key(), prepared -> new Work(false, null, null)),
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
    List<UpsertResult<E>> results = new ArrayList<>();
    each(
        groups(
            em,
            all,
            how.key(),
            prepared -> new Work(true, prepared.replacement(how), LockStrength.NO_KEY_UPDATE)),
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

  /** Candidates of one class, with their positions in the call. */
  private record Group(
      CreateOnce.Prepared prepared,
      Work work,
      List<Integer> positions,
      List<Candidate> candidates,
      CreateOrder order) {

    static Group of(
        CreateOnce.Prepared prepared, Work work, List<Integer> positions, List<?> instances) {
      List<Candidate> candidates = prepared.candidates(instances, work.replacement());
      CreateOrder order = new CreateOrder(prepared, candidates, work.replacement());
      order.read();
      return new Group(prepared, work, positions, candidates, order);
    }

    EntityTable table() {
      return prepared.plan().table();
    }
  }

  /** The candidates by class, in the one order of tables; all of them are checked first. */
  private List<Group> groups(
      EntityManager em,
      List<?> candidates,
      NaturalKey key,
      Function<CreateOnce.Prepared, Work> work) {
    Map<Class<?>, List<Integer>> positions = new LinkedHashMap<>();
    for (int i = 0; i < candidates.size(); i++) {
      if (candidates.get(i) == null) {
        throw new IllegalArgumentException(
            "Candidate " + (i + 1) + " of " + candidates.size() + " is null");
      }
      positions
          .computeIfAbsent(Hibernate.getClassLazy(candidates.get(i)), type -> new ArrayList<>())
          .add(i);
    }
    List<Group> groups = new ArrayList<>();
    for (List<Integer> same : positions.values()) {
      List<?> instances = same.stream().map(candidates::get).toList();
      CreateOnce.Prepared prepared = once.prepared(em, instances, key);
      groups.add(Group.of(prepared, work.apply(prepared), same, instances));
    }
    return groups.size() == 1 ? groups : sorted(groups);
  }

  private static List<Group> sorted(List<Group> groups) {
    Map<String, Group> roots = new HashMap<>();
    for (Group group : groups) {
      Group other = roots.put(group.table().persister().getRootEntityName(), group);
      if (other != null) {
        // one key could be of one class here and of the other there, so no order of classes helps
        throw new IllegalArgumentException(
            "The candidates are of several classes of one hierarchy, "
                + other.table().entityName()
                + " and "
                + group.table().entityName()
                + ", whose keys are in one table. Call once for each");
      }
    }
    TableOrder order = TableOrder.of(groups.get(0).prepared().session().getFactory());
    order.requireOrder(groups.stream().map(group -> group.table().table()).toList());
    return order.sorted(groups, group -> group.table().table());
  }

  private static <E> void each(
      List<Group> groups, List<E> candidates, LostRaces races, Result<E> result) {
    List<@Nullable Answer> answers =
        new ArrayList<>(Collections.<@Nullable Answer>nCopies(candidates.size(), null));
    for (Group group : groups) {
      List<@Nullable Answer> some = answers(group, races);
      for (int i = 0; i < some.size(); i++) {
        answers.set(group.positions().get(i), some.get(i));
      }
    }
    for (int i = 0; i < candidates.size(); i++) {
      result.of(answers.get(i), candidates.get(i));
    }
  }

  private static List<@Nullable Answer> answers(Group group, LostRaces races) {
    CreateOnce.Prepared prepared = group.prepared();
    List<@Nullable Answer> answers = chunked(group, races);
    Set<Object> created = Collections.newSetFromMap(new IdentityHashMap<>());
    boolean written = false;
    for (Answer answer : answers) {
      if (answer != null) {
        CreateCall.noteLock(prepared.session(), answer, group.work().lock());
        written |= answer.outcome() == Outcome.CREATED || answer.outcome() == Outcome.UPDATED;
        if (answer.outcome() == Outcome.CREATED) {
          created.add(answer.entity());
        }
      }
    }
    if (written) {
      CreateCall.written(prepared.session(), prepared.plan());
    }
    created.forEach(
        entity -> InsertEvents.after(prepared.session(), group.table().persister(), entity));
    return answers;
  }

  private static List<@Nullable Answer> chunked(Group group, LostRaces races) {
    Work work = group.work();
    List<Candidate> candidates = group.candidates();
    List<@Nullable Answer> answers =
        new ArrayList<>(Collections.<@Nullable Answer>nCopies(candidates.size(), null));
    if (work.locksLikeAChange()) {
      new CreateLocked(group.prepared(), work, candidates, group.order())
          .answers(races, (key, answer) -> spread(key, answer, work, answers));
      return answers;
    }
    List<List<List<Integer>>> chunks = group.order().chunks();
    if (chunks == null) {
      return new CreateBatch(group.prepared(), work, candidates).answers(races);
    }
    for (List<List<Integer>> chunk : chunks) {
      List<Candidate> stored = new ArrayList<>();
      for (List<Integer> key : chunk) {
        stored.add(candidates.get(CreateOrder.winner(key, work.lastWins())));
      }
      List<@Nullable Answer> some = new CreateBatch(group.prepared(), work, stored).answers(races);
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
        answers.set(position, new Answer(present(answer).entity(), Outcome.EXISTING));
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
