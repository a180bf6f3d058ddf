package io.rowlock.create;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowlock.Rowlock;
import io.rowlock.testing.Postgres;
import io.rowlock.testing.TestUnit;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityListeners;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.PersistenceConfiguration;
import jakarta.persistence.PostPersist;
import jakarta.persistence.PrePersist;
import jakarta.persistence.ValidationMode;
import jakarta.validation.ConstraintViolationException;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Size;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.hibernate.Interceptor;
import org.hibernate.annotations.NaturalId;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.event.spi.EventType;
import org.hibernate.event.spi.PostCommitInsertEventListener;
import org.hibernate.event.spi.PostInsertEvent;
import org.hibernate.event.spi.PostUpdateEvent;
import org.hibernate.event.spi.PostUpdateEventListener;
import org.hibernate.event.spi.PreInsertEventListener;
import org.hibernate.persister.entity.EntityPersister;
import org.hibernate.type.Type;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** B7: whoever is told of an insert by persist is told by create-once. */
class B7CallbacksIT {

  @RegisterExtension
  static final Postgres db =
      new Postgres(
          "create table called (id bigint generated always as identity primary key,"
              + " slug text not null unique, title text not null, note text, marked text)",
          "create table own_id (id text primary key, slug text not null unique)",
          "create table checked (id bigint generated always as identity primary key,"
              + " slug text unique, note text)");

  static final List<String> HEARD = new ArrayList<>();

  static TestUnit unit;
  static Creating create;

  @BeforeAll
  static void open() {
    unit =
        db.unit(Called.class, OwnId.class, Checked.class)
            .property("hibernate.session_factory.interceptor", new Marking())
            .recording()
            .open();
    create = new Creating(unit);
    var listeners =
        unit.factory().unwrap(SessionFactoryImplementor.class).getEventListenerRegistry();
    PreInsertEventListener before =
        event -> {
          if (event.getEntity() instanceof Called called) {
            HEARD.add("insert " + called.slug);
            return "forbidden".equals(called.slug);
          }
          return false;
        };
    listeners.appendListeners(EventType.PRE_INSERT, before);
    listeners.appendListeners(EventType.POST_COMMIT_INSERT, new Late());
  }

  @BeforeEach
  void empty() throws Exception {
    HEARD.clear();
    db.execute("truncate called, own_id, checked");
  }

  @Test
  void methods_and_listeners_of_the_entity_run_as_for_persist() throws Exception {
    unit.factory()
        .runInTransaction(
            em -> {
              em.persist(new Called("Persist"));
              em.flush();
            });
    List<String> persist = List.copyOf(HEARD);
    HEARD.clear();
    Called stored = create.getOrCreate(new Called("Rowlock")).entity();
    assertThat(HEARD)
        .containsExactly(
            "listener before Rowlock",
            "before Rowlock",
            "insert rowlock",
            "after rowlock " + stored.id,
            "committed rowlock");
    assertThat(HEARD.stream().map(heard -> heard.replaceAll("[Rr]owlock.*", "")))
        .isEqualTo(persist.stream().map(heard -> heard.replaceAll("[Pp]ersist.*", "")).toList());
    assertThat(db.column("select slug || ':' || title || ':' || marked from called order by id"))
        .containsExactly(
            "persist:no title:by the interceptor", "rowlock:no title:by the interceptor");
  }

  @Test
  void the_key_is_what_the_callbacks_make_of_it() {
    assertThat(create.getOrCreate(new Called("SLUG")).created()).isTrue();
    assertThat(create.getOrCreate(new Called("Slug")).created()).isFalse();
    assertThat(create.upsert(new Called("sLUG")).outcome())
        .isEqualTo(UpsertResult.Outcome.UNCHANGED);
  }

  @Test
  void what_runs_before_an_insert_runs_though_the_row_is_there_and_nothing_runs_after() {
    create.getOrCreate(new Called("a"));
    HEARD.clear();
    create.getOrCreate(new Called("a"));
    assertThat(HEARD).containsExactly("listener before a", "before a", "insert a");
    HEARD.clear();
    create.insertIfAbsent(new Called("a"));
    assertThat(HEARD).containsExactly("listener before a", "before a", "insert a");
  }

  @Test
  void in_batches_each_candidate_is_told_of_and_each_row_that_was_created() throws Exception {
    Rowlock rowlock = Rowlock.of(unit.factory());
    rowlock.run(work -> work.getOrCreate(new Called("there")));
    HEARD.clear();
    List<GetOrCreateResult<Called>> answers =
        rowlock.call(
            work ->
                work.getOrCreateAll(
                    List.of(new Called("NEW"), new Called("There"), new Called("New"))));
    assertThat(answers).extracting(GetOrCreateResult::created).containsExactly(true, false, false);
    assertThat(answers.get(2).entity()).isSameAs(answers.get(0).entity());
    assertThat(HEARD)
        .containsExactly(
            "listener before NEW",
            "before NEW",
            "insert new",
            "listener before There",
            "before There",
            "insert there",
            "listener before New",
            "before New",
            "insert new",
            "after new " + answers.get(0).entity().id,
            "committed new");
    assertInvalid(
        () -> rowlock.run(work -> work.upsertAll(List.of(new Checked("bad", null)))), "note");
  }

  @Test
  void nothing_runs_after_the_commit_of_what_was_rolled_back() {
    assertThatThrownBy(
            () ->
                unit.factory()
                    .runInTransaction(
                        em -> {
                          create.getOrCreate(em, new Called("undone"));
                          throw new IllegalStateException("undo");
                        }))
        .hasMessage("undo");
    assertThat(HEARD).contains("not committed undone").doesNotContain("committed undone");
  }

  @Test
  void an_id_may_be_assigned_by_a_callback() throws Exception {
    assertThat(create.getOrCreate(new OwnId("x")).entity().id).isEqualTo("id of x");
    assertThat(create.getOrCreate(new OwnId("x")).created()).isFalse();
    assertThatThrownBy(() -> create.getOrCreate(new OwnId("none")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("has no id");
  }

  @Test
  void a_listener_that_forbids_the_insert_is_named() throws Exception {
    assertThatThrownBy(() -> create.getOrCreate(new Called("forbidden")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("listeners before an insert forbid it")
        .hasMessageContaining("B7CallbacksIT");
    assertThat(db.number("select count(*) from called")).isZero();
  }

  @Test
  void that_listeners_of_updates_do_not_hear_of_an_upsert_is_said_once() {
    try (TestUnit other = db.unit(Called.class).open()) {
      PostUpdateEventListener audit =
          new PostUpdateEventListener() {
            private static final long serialVersionUID = 1L;

            @Override
            public void onPostUpdate(PostUpdateEvent event) {}

            @Override
            public boolean requiresPostCommitHandling(EntityPersister persister) {
              return false;
            }
          };
      other
          .factory()
          .unwrap(SessionFactoryImplementor.class)
          .getEventListenerRegistry()
          .appendListeners(EventType.POST_UPDATE, audit);
      Creating creating = new Creating(other);
      List<LogRecord> said = new ArrayList<>();
      Handler handler = new Recording(said);
      Logger logger = Logger.getLogger("io.rowlock.internal.hibernate.UpdateListeners");
      logger.addHandler(handler);
      try {
        creating.getOrCreate(new Called("none"));
        assertThat(said).isEmpty();
        creating.upsert(new Called("one"));
        creating.upsert(new Called("two"));
      } finally {
        logger.removeHandler(handler);
      }
      assertThat(said)
          .singleElement()
          .satisfies(
              entry ->
                  assertThat(new SimpleFormatter().formatMessage(entry))
                      .contains("Called")
                      .contains("B7CallbacksIT")
                      .contains("get-or-create"));
    }
  }

  @Test
  void a_candidate_is_validated_before_its_statement() throws Exception {
    unit.factory()
        .runInTransaction(
            em -> {
              create.getOrCreate(em, new Checked("good", "fine"));
              unit.log().clear();
              assertInvalid(() -> create.getOrCreate(em, new Checked("bad", null)), "note");
              assertInvalid(() -> create.insertIfAbsent(em, new Checked("bad", null)), "note");
              assertInvalid(() -> create.upsert(em, new Checked("bad", null)), "note");
              assertInvalid(() -> create.getOrCreate(em, new Checked(null, "too long")), "slug");
              assertThat(unit.log().work()).isEmpty();
            });
    assertThat(db.column("select slug from checked")).containsExactly("good");
  }

  @Test
  void groups_are_those_of_the_persistence_unit_and_an_update_has_its_own() {
    try (TestUnit other =
        db.unit(Checked.class)
            .property("jakarta.persistence.validation.group.pre-persist", Strict.class.getName())
            .property("jakarta.persistence.validation.group.pre-update", Stricter.class.getName())
            .open()) {
      Creating creating = new Creating(other);
      assertInvalid(() -> creating.getOrCreate(new Checked("much too long", "x")), "slug");
      assertThat(creating.getOrCreate(new Checked("six123", null)).created()).isTrue();
      assertInvalid(() -> creating.upsert(new Checked("six123", "x")), "slug");
    }
  }

  @Test
  void nothing_is_validated_where_validation_is_off() {
    PersistenceConfiguration off =
        new PersistenceConfiguration("off")
            .managedClass(Checked.class)
            .validationMode(ValidationMode.NONE)
            .property("jakarta.persistence.nonJtaDataSource", unit.pool())
            .property("hibernate.hbm2ddl.auto", "none");
    try (EntityManagerFactory other = off.createEntityManagerFactory()) {
      assertThat(
              other
                  .callInTransaction(
                      em -> new Creating(unit).getOrCreate(em, new Checked("off", null)))
                  .created())
          .isTrue();
    }
  }

  private static void assertInvalid(
      org.assertj.core.api.ThrowableAssert.ThrowingCallable call, String attribute) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            ConstraintViolationException.class,
            failure ->
                assertThat(failure.getConstraintViolations())
                    .singleElement()
                    .satisfies(
                        violation ->
                            assertThat(violation.getPropertyPath().toString())
                                .isEqualTo(attribute)));
  }

  static final class Recording extends Handler {
    private final List<LogRecord> records;

    Recording(List<LogRecord> records) {
      this.records = records;
    }

    @Override
    public void publish(LogRecord entry) {
      records.add(entry);
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }

  static final class Marking implements Interceptor {
    @Override
    public boolean onPersist(
        Object entity, Object id, Object[] state, String[] names, Type[] types) {
      for (int i = 0; i < names.length; i++) {
        if (names[i].equals("marked")) {
          state[i] = "by the interceptor";
          return true;
        }
      }
      return false;
    }
  }

  static final class Late implements PostCommitInsertEventListener {
    private static final long serialVersionUID = 1L;

    @Override
    public void onPostInsert(PostInsertEvent event) {
      HEARD.add("committed " + ((Called) event.getEntity()).slug);
    }

    @Override
    public void onPostInsertCommitFailed(PostInsertEvent event) {
      HEARD.add("not committed " + ((Called) event.getEntity()).slug);
    }

    @Override
    public boolean requiresPostCommitHandling(EntityPersister persister) {
      return persister.getMappedClass() == Called.class;
    }
  }

  static final class Listener {
    @PrePersist
    void before(Called entity) {
      HEARD.add("listener before " + entity.slug);
    }
  }

  @Entity(name = "called")
  @EntityListeners(Listener.class)
  static class Called {
    @Id
    @GeneratedValue(strategy = GenerationType.IDENTITY)
    Long id;

    @NaturalId String slug;
    String title;
    String note;
    String marked;

    protected Called() {}

    Called(String slug) {
      this.slug = slug;
    }

    @PrePersist
    void before() {
      HEARD.add("before " + slug);
      slug = slug.toLowerCase(Locale.ROOT);
      title = "no title";
    }

    @PostPersist
    void after() {
      HEARD.add("after " + slug + " " + id);
    }
  }

  @Entity(name = "own_id")
  static class OwnId {
    @Id String id;
    @NaturalId String slug;

    protected OwnId() {}

    OwnId(String slug) {
      this.slug = slug;
    }

    @PrePersist
    void name() {
      id = slug.equals("none") ? null : "id of " + slug;
    }
  }

  interface Strict {}

  interface Stricter {}

  @Entity(name = "checked")
  static class Checked {
    @Id
    @GeneratedValue(strategy = GenerationType.IDENTITY)
    Long id;

    @NaturalId
    @NotNull
    @Size(max = 8, groups = Strict.class)
    @Size(max = 4, groups = Stricter.class)
    String slug;

    @NotNull String note;

    protected Checked() {}

    Checked(String slug, String note) {
      this.slug = slug;
      this.note = note;
    }
  }
}
