package io.rowlock.create;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.rowlock.Rowlock;
import io.rowlock.UnitOfWork;
import io.rowlock.internal.postgres.FailureClassifier;
import io.rowlock.retry.Failure;
import io.rowlock.testing.Postgres;
import io.rowlock.testing.TestUnit;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** B8: a clash with another constraint is that constraint's failure. */
class B8OtherConstraintsIT {

  @RegisterExtension
  static final Postgres db =
      new Postgres(
          "create table two (id bigint constraint two_pkey primary key,"
              + " slug text not null constraint two_slug_key unique,"
              + " email text constraint two_email_key unique, n int constraint two_n check (n > 0))");

  static TestUnit unit;
  static Creating create;
  static Rowlock rowlock;

  @BeforeAll
  static void open() {
    unit = db.unit(Two.class).open();
    create = new Creating(unit);
    rowlock = Rowlock.of(unit.factory());
  }

  @BeforeEach
  void one_row() throws Exception {
    db.execute("truncate two", "insert into two values (1, 's1', 'e1', 1)");
  }

  @Test
  void another_unique_constraint_is_named_and_never_taken_for_being_there() throws Exception {
    for (Operation operation : OPERATIONS) {
      assertThat(failure(operation, new Two(3, "s3", "e1", 1)))
          .isEqualTo(
              new Failure(io.rowlock.retry.FailureKind.UNIQUE_VIOLATION, "23505", "two_email_key"));
      assertThat(failure(operation, new Two(1, "s4", "e4", 1)))
          .isEqualTo(
              new Failure(io.rowlock.retry.FailureKind.UNIQUE_VIOLATION, "23505", "two_pkey"));
    }
    assertThat(db.column("select slug from two")).containsExactly("s1");
  }

  @Test
  void two_candidates_of_one_batch_that_clash_with_each_other_are_told_so() throws Exception {
    List<Two> clashing = List.of(new Two(3, "s3", "e3", 1), new Two(4, "s4", "e3", 1));
    List<Batch> batches =
        List.of(
            (work, two) -> work.getOrCreateAll(two, BY_SLUG),
            (work, two) -> work.upsertAll(two, Upsert.by("slug")),
            (work, two) -> work.insertIfAbsentAll(two, InsertIfAbsent.by("slug")));
    for (Batch batch : batches) {
      Failure failure =
          FailureClassifier.classify(
              catchThrowable(() -> rowlock.call(work -> batch.on(work, clashing))));
      assertThat(failure.constraint()).isEqualTo("two_email_key");
    }
    assertThat(db.column("select slug from two")).containsExactly("s1");
  }

  @Test
  void a_check_constraint_bites_a_new_row_and_not_one_that_is_there() throws Exception {
    for (Operation operation : OPERATIONS) {
      assertThat(failure(operation, new Two(3, "s3", "e3", 0)).sqlState()).isEqualTo("23514");
    }
    assertThat(create.getOrCreate(new Two(3, "s1", "e3", 0), BY_SLUG).created()).isFalse();
  }

  @Test
  void an_upsert_that_runs_into_another_row_changes_neither() throws Exception {
    db.execute("insert into two values (2, 's2', 'e2', 1)");
    Failure failure = failure(OPERATIONS.get(1), new Two(9, "s2", "e1", 5));
    assertThat(failure.constraint()).isEqualTo("two_email_key");
    assertThat(db.column("select id || slug || email || n from two order by id"))
        .containsExactly("1s1e11", "2s2e21");
  }

  @Test
  void the_transaction_is_lost() {
    assertThat(
            catchThrowable(
                () ->
                    unit.factory()
                        .runInTransaction(
                            em -> {
                              assertThat(
                                      catchThrowable(
                                          () ->
                                              create.getOrCreate(
                                                  em, new Two(3, "s3", "e1", 1), BY_SLUG)))
                                  .isNotNull();
                              assertThat(em.getTransaction().getRollbackOnly()).isTrue();
                            })))
        .isNull();
  }

  private static final GetOrCreate BY_SLUG = GetOrCreate.by("slug");

  private interface Operation {
    void run(Two candidate);
  }

  private static final List<Operation> OPERATIONS =
      List.of(
          candidate -> create.getOrCreate(candidate, BY_SLUG),
          candidate -> create.upsert(candidate, Upsert.by("slug")),
          candidate -> rowlock.insertIfAbsent(candidate, InsertIfAbsent.by("slug")),
          candidate -> all((work, two) -> work.getOrCreateAll(two, BY_SLUG), candidate),
          candidate -> all((work, two) -> work.upsertAll(two, Upsert.by("slug")), candidate),
          candidate ->
              all(
                  (work, two) -> work.insertIfAbsentAll(two, InsertIfAbsent.by("slug")),
                  candidate));

  private interface Batch {
    List<?> on(UnitOfWork work, List<Two> candidates);
  }

  /** Together with one whose row is there, in a batch. */
  private static void all(Batch batch, Two candidate) {
    rowlock.call(work -> batch.on(work, List.of(new Two(1, "s1", "e1", 1), candidate)));
  }

  private static Failure failure(Operation operation, Two candidate) {
    return FailureClassifier.classify(catchThrowable(() -> operation.run(candidate)));
  }

  @Entity(name = "two")
  static class Two {
    @Id long id;
    String slug;
    String email;
    int n;

    protected Two() {}

    Two(long id, String slug, String email, int n) {
      this.id = id;
      this.slug = slug;
      this.email = email;
      this.n = n;
    }
  }
}
