package io.rowlock.lock;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.Rowlock;
import io.rowlock.UnitOfWork;
import io.rowlock.testing.Postgres;
import io.rowlock.testing.TestUnit;
import jakarta.persistence.Column;
import jakarta.persistence.Embeddable;
import jakarta.persistence.EmbeddedId;
import jakarta.persistence.Entity;
import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.FetchType;
import jakarta.persistence.Id;
import jakarta.persistence.IdClass;
import jakarta.persistence.LockModeType;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.OneToMany;
import jakarta.persistence.PostLoad;
import jakarta.persistence.Transient;
import jakarta.persistence.Version;
import java.math.BigDecimal;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.hibernate.Hibernate;
import org.hibernate.Session;
import org.hibernate.annotations.NaturalId;
import org.hibernate.annotations.Parent;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** C2, B9: many managed instances show their rows, and cost one statement. */
class C2ManyFreshIT {

  @RegisterExtension
  static final Postgres db =
      new Postgres(
          "create table owner (id bigint primary key, name text)",
          "create table doc (id bigint primary key, slug text not null unique, title text,"
              + " price numeric(10, 2), kind text, bytes bytea, street text, city text,"
              + " made_by text, owner_id bigint references owner, editor_id bigint references owner, version int not null)",
          "create table part (id bigint primary key, doc_id bigint references doc, name text)",
          "create table heard (id bigint primary key, slug text not null unique, title text)",
          "create table box (id bigint primary key, label text)",
          "create table leaf (book text, page bigint, text text, primary key (book, page))",
          "create table cell (x bigint, y bigint, text text, primary key (x, y))");

  static TestUnit unit;
  static Rowlock rowlock;

  enum Kind {
    SMALL,
    LARGE
  }

  @Embeddable
  record Place(String street, String city) {}

  @Entity(name = "owner")
  static class Owner {
    @Id Long id;
    String name;
  }

  @Entity(name = "doc")
  static class Doc {
    @Id Long id;

    @NaturalId(mutable = true)
    String slug;

    String title;
    BigDecimal price;

    @Enumerated(EnumType.STRING)
    Kind kind;

    byte[] bytes;
    Place place;

    @Column(name = "made_by", updatable = false)
    String madeBy;

    @ManyToOne(fetch = FetchType.LAZY)
    Owner owner;

    @ManyToOne Owner editor;

    @OneToMany(mappedBy = "doc")
    List<Part> parts = new ArrayList<>();

    @Version int version;

    Doc() {}

    Doc(String slug, String title) {
      this.id = Long.valueOf(slug.substring(1));
      this.slug = slug;
      this.title = title;
    }

    /** Everything it shows. */
    List<Object> shown() {
      List<Object> shown = new ArrayList<>();
      shown.add(slug);
      shown.add(title);
      shown.add(price);
      shown.add(kind);
      shown.add(bytes == null ? null : List.of(bytes.length, bytes[0]));
      shown.add(place);
      shown.add(madeBy);
      shown.add(
          owner == null ? null : unit.factory().getPersistenceUnitUtil().getIdentifier(owner));
      shown.add(editor == null ? null : editor.name);
      shown.add(parts.stream().map(part -> part.name).sorted().toList());
      shown.add(version);
      return shown;
    }
  }

  @Entity(name = "part")
  static class Part {
    @Id Long id;
    String name;

    @ManyToOne(fetch = FetchType.LAZY)
    Doc doc;
  }

  @Entity(name = "heard")
  static class Heard {
    @Id Long id;
    @NaturalId String slug;
    String title;
    @Transient int loads;

    @PostLoad
    void loaded() {
      loads++;
    }
  }

  @Embeddable
  static class Lid {
    @Parent Box box;
    String label;

    Box getBox() {
      return box;
    }

    void setBox(Box box) {
      this.box = box;
    }
  }

  @Entity(name = "box")
  static class Box {
    @Id Long id;
    Lid lid;
  }

  @Embeddable
  record LeafId(String book, Long page) {}

  @Entity(name = "leaf")
  static class Leaf {
    @EmbeddedId LeafId id;
    String text;
  }

  record CellId(Long x, Long y) {}

  @Entity(name = "cell")
  @IdClass(CellId.class)
  static class Cell {
    @Id Long x;
    @Id Long y;
    String text;
  }

  @BeforeAll
  static void open() {
    unit =
        db.unit(Doc.class, Owner.class, Part.class, Heard.class, Leaf.class, Cell.class, Box.class)
            .recording()
            .open();
    rowlock = Rowlock.of(unit.factory());
    // what the catalog says is asked for at the first use
    rowlock.run(work -> work.upsertAll(docs("d1", "d2")));
  }

  @AfterAll
  static void close() {
    unit.close();
  }

  @BeforeEach
  void three_rows() throws Exception {
    rows(3);
  }

  private static void rows(int docs) throws Exception {
    db.execute(
        "truncate owner, doc, part, heard, leaf, cell, box",
        "insert into owner select i, 'o' || i from generate_series(1, 2) i",
        "insert into doc select i, 'd' || i, 't', 1.50, 'SMALL', 'x', 's', 'c', 'me', 1, 1, 0"
            + " from generate_series(1, "
            + docs
            + ") i",
        "insert into part select i, i, 'p' || i from generate_series(1, 3) i",
        "insert into heard select i, 'h' || i, 't' from generate_series(1, 3) i",
        "insert into box select i, 't' from generate_series(1, 3) i",
        "insert into leaf select 'b', i, 't' from generate_series(1, 3) i",
        "insert into cell select 1, i, 't' from generate_series(1, 3) i");
  }

  // How few statements

  @Test
  void managed_instances_cost_a_statement_for_each_thousand() throws Exception {
    rows(2500);
    List<Long> ids = LongStream.rangeClosed(1, 2500).boxed().toList();
    rowlock.run(
        work -> {
          all(work);
          assertThat(sent(() -> work.lock(Doc.class, ids))).hasSize(1 + 3);
        });
    List<Doc> thousand =
        IntStream.rangeClosed(1, 1000).mapToObj(i -> new Doc("d" + i, "t")).toList();
    rowlock.run(
        work -> {
          all(work);
          assertThat(sent(() -> work.getOrCreateAll(thousand))).as("get").hasSize(2 + 1);
          assertThat(sent(() -> work.upsertAll(thousand))).as("upsert").hasSize(4 + 1);
          assertThat(sent(() -> work.incrementVersions(Doc.class, ids.subList(0, 1000))))
              .as("increment")
              .hasSize(2 + 1);
          LockPlan plan = LockPlan.of(Doc.class, ids.subList(0, 500)).and(Owner.class, List.of(1L));
          assertThat(sent(() -> work.lock(plan))).as("plan, one owner among it").hasSize(2 + 2);
        });
    assertThat(query("select sum(version) from doc")).isEqualTo(2 * 1000L);
  }

  // What they show

  @Test
  void whatever_has_changed_is_shown_and_nothing_is_written_for_it() throws Exception {
    for (String change :
        List.of(
            "title = 'new'",
            "title = null",
            "price = 2",
            "kind = 'LARGE'",
            "bytes = 'yy'",
            "bytes = null",
            "city = 'new'",
            "street = null, city = null",
            "made_by = 'you'",
            "owner_id = 2",
            "owner_id = 2, title = 'new', version = 3",
            "owner_id = null",
            "editor_id = 2",
            "editor_id = null",
            "slug = 'new'",
            "version = 7",
            "title = 'new', price = null, city = 'new', version = 3",
            "title = 'new', price = null, version = 3")) {
      for (Map.Entry<String, Consumer<UnitOfWork>> operation : OPERATIONS.entrySet()) {
        String what = operation.getKey() + " after " + change;
        rows(3);
        rowlock.run(
            work -> {
              all(work);
              Doc first = work.entityManager().find(Doc.class, 1L);
              Doc second = work.entityManager().find(Doc.class, 2L);
              db.execute("update doc set " + change + " where id = 1");

              operation.getValue().accept(work);

              assertThat(first.editor == null || Hibernate.isInitialized(first.editor))
                  .as(what)
                  .isTrue();
              assertThat(first.shown()).as(what).isEqualTo(stored(1L));
              assertThat(second.shown()).as(what).isEqualTo(stored(2L));
              assertThat(sent(() -> work.entityManager().flush())).as(what).isEmpty();
              second.title = "changed";
              first.title = "changed";
            });
        assertThat(db.column("select title from doc where id <= 3 order by id"))
            .as(what)
            .containsExactly("changed", "changed", "t");
      }
    }
  }

  private static final Map<String, Consumer<UnitOfWork>> OPERATIONS =
      Map.of(
          "lock",
          work -> work.lock(Doc.class, List.of(1L, 2L, 3L)),
          "get",
          work -> work.getOrCreateAll(List.of(candidate(1), candidate(2), candidate(3))));

  /** The candidate for a row, under whichever slug it has now. */
  private static Doc candidate(long id) {
    Doc doc = new Doc("d" + id, "x");
    doc.slug = (String) query("select slug from doc where id = " + id);
    return doc;
  }

  private static Object query(String sql) {
    try {
      return db.one(sql);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void a_collection_that_was_loaded_is_loaded_anew() throws Exception {
    rowlock.run(
        work -> {
          all(work);
          Doc first = work.entityManager().find(Doc.class, 1L);
          assertThat(first.parts).hasSize(1);
          db.execute("insert into part values (10, 1, 'more')");
          work.lock(Doc.class, List.of(1L, 2L, 3L));
          assertThat(first.parts).hasSize(2);
        });
  }

  @Test
  void who_is_told_of_loading_is_told_of_it() throws Exception {
    rowlock.run(
        work -> {
          List<Heard> heard =
              work.entityManager()
                  .createQuery("from heard order by id", Heard.class)
                  .getResultList();
          db.execute("update heard set title = 'new' where id = 1");
          work.lock(Heard.class, List.of(1L, 2L, 3L));
          assertThat(heard).extracting(one -> one.loads).containsExactly(2, 2, 2);
          assertThat(heard).extracting(one -> one.title).containsExactly("new", "t", "t");
        });
  }

  @Test
  void a_part_knows_its_owner() throws Exception {
    rowlock.run(
        work -> {
          List<Box> boxes =
              work.entityManager().createQuery("from box order by id", Box.class).getResultList();
          db.execute("update box set label = 'new' where id = 1");
          work.lock(Box.class, List.of(1L, 2L, 3L));
          assertThat(boxes).extracting(box -> box.lid.label).containsExactly("new", "t", "t");
          assertThat(boxes).allMatch(box -> box.lid.box == box);
        });
  }

  @Test
  void read_only_instances_show_their_rows_too() throws Exception {
    rowlock.run(
        work -> {
          Session session = work.entityManager().unwrap(Session.class);
          session.setDefaultReadOnly(true);
          all(work);
          db.execute("update doc set title = 'new' where id = 1");
          Map<Long, Doc> locked = work.lock(Doc.class, List.of(1L, 2L, 3L));
          assertThat(locked.values()).extracting(doc -> doc.title).containsExactly("new", "t", "t");
        });
  }

  @Test
  void an_instance_behind_a_proxy_shows_its_row() throws Exception {
    rowlock.run(
        work -> {
          List<Doc> references =
              LongStream.rangeClosed(1, 3)
                  .mapToObj(id -> work.entityManager().getReference(Doc.class, id))
                  .toList();
          references.forEach(Hibernate::initialize);
          db.execute("update doc set title = 'new' where id = 1");
          work.getOrCreateAll(docs("d1", "d2", "d3"));
          assertThat(references)
              .extracting(doc -> unproxied(doc).title)
              .containsExactly("new", "t", "t");
        });
  }

  private static Doc unproxied(Doc doc) {
    return (Doc) Objects.requireNonNull(Hibernate.unproxy(doc));
  }

  @Test
  void instances_with_composite_ids_show_their_rows() throws Exception {
    rowlock.run(
        work -> {
          work.entityManager().createQuery("from leaf", Leaf.class).getResultList();
          work.entityManager().createQuery("from cell", Cell.class).getResultList();
          db.execute(
              "update leaf set text = 'new' where page = 1",
              "update cell set text = 'new' where y = 1");
          List<LeafId> leaves =
              LongStream.rangeClosed(1, 3).mapToObj(i -> new LeafId("b", i)).toList();
          List<CellId> cells =
              LongStream.rangeClosed(1, 3).mapToObj(i -> new CellId(1L, i)).toList();
          List<String> sent =
              sent(
                  () -> {
                    assertThat(work.lock(Leaf.class, leaves).values())
                        .extracting(leaf -> leaf.text)
                        .containsExactly("new", "t", "t");
                    assertThat(work.lock(Cell.class, cells).values())
                        .extracting(cell -> cell.text)
                        .containsExactly("new", "t", "t");
                  });
          assertThat(sent).hasSize(2 * (1 + 1));
        });
  }

  @Test
  void hibernate_knows_no_lock_that_is_not_held() throws Exception {
    rowlock.run(
        work -> {
          all(work);
          Doc first = work.entityManager().find(Doc.class, 1L);
          db.execute("update doc set title = 'new' where id = 1");
          work.getOrCreateAll(docs("d1", "d2", "d3"));
          assertThat(first.title).isEqualTo("new");
          assertThat(sent(() -> work.entityManager().lock(first, LockModeType.PESSIMISTIC_WRITE)))
              .hasSize(1);
        });
  }

  private static void all(UnitOfWork work) {
    work.entityManager().createQuery("from doc", Doc.class).getResultList();
  }

  /** What an instance that is loaded now shows. */
  private static List<Object> stored(long id) {
    return unit.factory().callInTransaction(em -> em.find(Doc.class, id).shown());
  }

  private static List<String> sent(Runnable work) {
    unit.log().clear();
    work.run();
    return List.copyOf(unit.log().work());
  }

  private static List<Doc> docs(String... slugs) {
    return Arrays.stream(slugs).map(slug -> new Doc(slug, "t")).toList();
  }
}
