package io.rowlock.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.rowlock.Rowlock;
import io.rowlock.UnsupportedMappingException;
import io.rowlock.testing.Postgres;
import io.rowlock.testing.TestUnit;
import jakarta.persistence.ElementCollection;
import jakarta.persistence.Embeddable;
import jakarta.persistence.Embedded;
import jakarta.persistence.Entity;
import jakarta.persistence.FetchType;
import jakarta.persistence.Id;
import jakarta.persistence.Inheritance;
import jakarta.persistence.InheritanceType;
import jakarta.persistence.JoinColumn;
import jakarta.persistence.JoinTable;
import jakarta.persistence.ManyToMany;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.OneToMany;
import jakarta.persistence.OneToOne;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.hibernate.annotations.Any;
import org.hibernate.annotations.AnyKeyJavaClass;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** C5: which order it is: as declared, else parents before children, else by name; no cycles. */
class C5TableOrderIT {

  private static final String SETTING = "rowlock.lock-order";

  @RegisterExtension
  static final Postgres db =
      new Postgres(
          "create table alpha (id bigint primary key, zulu_id bigint, self_id bigint)",
          "create table beta (id bigint primary key)",
          "create table zulu (id bigint primary key)",
          "create table leaf (id bigint primary key, owner_id bigint)",
          "create table owner (id bigint primary key)",
          "create table hen (id bigint primary key, egg_id bigint)",
          "create table egg (id bigint primary key, hen_id bigint)",
          "create table nest (id bigint primary key, egg_id bigint)",
          "create table first_marked (id bigint primary key, second_id bigint)",
          "create table second_marked (id bigint primary key)",
          "create table node (id bigint primary key, favourite_id bigint)",
          "create table twig (id bigint primary key references node, n int)");

  @Entity(name = "Alpha")
  static class Alpha {
    @Id Long id;

    @ManyToOne(fetch = FetchType.LAZY)
    Zulu zulu;

    @ManyToOne(fetch = FetchType.LAZY)
    Alpha self;
  }

  @Entity(name = "Beta")
  static class Beta {
    @Id Long id;
  }

  @Entity(name = "Zulu")
  static class Zulu {
    @Id Long id;
  }

  @Entity(name = "Leaf")
  static class Leaf {
    @Id Long id;
  }

  @Entity(name = "Owner")
  static class Owner {
    @Id Long id;

    @OneToMany
    @JoinColumn(name = "owner_id")
    List<Leaf> leaves;
  }

  @Entity(name = "Hen")
  static class Hen {
    @Id Long id;

    @ManyToOne(fetch = FetchType.LAZY)
    Egg egg;
  }

  @Entity(name = "Egg")
  static class Egg {
    @Id Long id;

    @ManyToOne(fetch = FetchType.LAZY)
    Hen hen;
  }

  @Entity(name = "Nest")
  static class Nest {
    @Id Long id;

    @ManyToOne(fetch = FetchType.LAZY)
    Egg egg;
  }

  @Entity(name = "first_marked")
  @LockOrder(1)
  static class FirstMarked {
    @Id Long id;

    @ManyToOne(fetch = FetchType.LAZY)
    SecondMarked second;
  }

  @Entity(name = "second_marked")
  @LockOrder(2)
  static class SecondMarked {
    @Id Long id;
  }

  @Entity(name = "Node")
  @Inheritance(strategy = InheritanceType.JOINED)
  static class Node {
    @Id Long id;

    @ManyToOne(fetch = FetchType.LAZY)
    Twig favourite;
  }

  @Entity(name = "Twig")
  static class Twig extends Node {
    int n;
  }

  @Entity(name = "Bad")
  @LockOrder(1)
  static class BadTwig extends Node {
    int m;
  }

  @Entity(name = "Fig")
  @Inheritance(strategy = InheritanceType.TABLE_PER_CLASS)
  abstract static class Fig {
    @Id Long id;
  }

  @Entity(name = "Disc")
  static class Disc extends Fig {
    @ManyToOne(fetch = FetchType.LAZY)
    Zulu zulu;
  }

  @Embeddable
  static class Place {
    String name;

    @ManyToOne(fetch = FetchType.LAZY)
    Owner keeper;
  }

  /** Its name comes first; refers to others in every way there is. */
  @Entity(name = "A_Zoo")
  static class Zoo {
    @Id Long id;
    @ManyToMany Set<Beta> betas;
    @ElementCollection Map<String, String> labels;
    @ElementCollection Set<Place> places;
    @Embedded Place main;

    @ManyToOne(fetch = FetchType.LAZY)
    @JoinTable(name = "zoo_alpha")
    Alpha alpha;

    @OneToOne(mappedBy = "zoo", fetch = FetchType.LAZY)
    Cage cage;

    @ManyToOne(fetch = FetchType.LAZY)
    Fig fig;

    @Any
    @AnyKeyJavaClass(Long.class)
    @JoinColumn(name = "any_id")
    Object any;
  }

  @Entity(name = "A_Cage")
  static class Cage {
    @Id Long id;

    @OneToOne(fetch = FetchType.LAZY)
    Zoo zoo;
  }

  @Test
  void every_way_to_refer_to_another_entity_is_followed_or_means_nothing() {
    Rowlock rowlock =
        rowlock(
            null,
            Zoo.class,
            Cage.class,
            Fig.class,
            Disc.class,
            Owner.class,
            Leaf.class,
            Beta.class,
            Alpha.class,
            Zulu.class);
    assertThat(order(rowlock, Cage.class, Zoo.class, Disc.class, Owner.class, Zulu.class))
        .as("the keys: of the disc, of the embeddable, of the union, of the cage")
        .containsExactly(Owner.class, Zulu.class, Disc.class, Zoo.class, Cage.class);
  }

  @Test
  void parents_come_before_children_and_otherwise_names_decide() {
    Rowlock rowlock = rowlock(null, Alpha.class, Beta.class, Zulu.class, Leaf.class, Owner.class);
    assertThat(order(rowlock, Alpha.class, Leaf.class, Owner.class, Zulu.class, Beta.class))
        .as("zulu is alpha's parent, owner is leaf's, by the key that only the list maps")
        .containsExactly(Beta.class, Owner.class, Leaf.class, Zulu.class, Alpha.class);
  }

  @Test
  void what_the_annotations_declare_wins_over_foreign_keys() {
    Rowlock rowlock = rowlock(null, FirstMarked.class, SecondMarked.class);
    assertThat(order(rowlock, SecondMarked.class, FirstMarked.class))
        .containsExactly(FirstMarked.class, SecondMarked.class);
  }

  @Test
  void what_the_setting_declares_wins_over_annotations_and_foreign_keys() {
    Rowlock rowlock =
        rowlock(
            "second_marked, first_marked,Alpha , " + Zulu.class.getName(),
            FirstMarked.class,
            SecondMarked.class,
            Alpha.class,
            Zulu.class,
            Beta.class);
    assertThat(
            order(
                rowlock,
                Zulu.class,
                Beta.class,
                Alpha.class,
                FirstMarked.class,
                SecondMarked.class))
        .containsExactly(
            Beta.class, SecondMarked.class, FirstMarked.class, Alpha.class, Zulu.class);
  }

  @Test
  void a_cycle_is_shown_with_its_remedy_at_the_first_plan_that_needs_an_order() {
    Rowlock rowlock = rowlock(null, Hen.class, Egg.class, Nest.class);
    assertThat(order(rowlock, Nest.class, Egg.class)).containsExactly(Egg.class, Nest.class);
    assertThat(order(rowlock, Hen.class)).containsExactly(Hen.class);
    rowlock.run(
        work ->
            assertThatExceptionOfType(UnsupportedMappingException.class)
                .isThrownBy(
                    () ->
                        work.lock(LockPlan.of(Hen.class, List.of(1L)).and(Egg.class, List.of(1L))))
                .withMessageContaining("(table egg) -> ")
                .withMessageContaining("(table hen) -> ")
                .withMessageContaining("@LockOrder")
                .withMessageContaining(SETTING));
  }

  @Test
  void a_declared_order_breaks_the_cycle() {
    Rowlock rowlock = rowlock("Hen,Egg", Hen.class, Egg.class, Nest.class);
    assertThat(order(rowlock, Nest.class, Egg.class, Hen.class))
        .containsExactly(Hen.class, Egg.class, Nest.class);
  }

  @Test
  void a_reference_to_the_own_hierarchy_is_no_cycle() {
    Rowlock rowlock = rowlock(null, Node.class, Twig.class, Beta.class);
    assertThat(order(rowlock, Twig.class, Beta.class)).containsExactly(Beta.class, Twig.class);
  }

  @Test
  void a_wrong_setting_is_refused_when_rowlock_is_built() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> rowlock("Alpha,Gamma", Alpha.class, Zulu.class))
        .withMessageContaining(SETTING)
        .withMessageContaining("'Gamma'")
        .withMessageContaining("[Alpha, Zulu]");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> rowlock("Alpha,Zulu,Alpha", Alpha.class, Zulu.class))
        .withMessageContaining("'Alpha' twice");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> rowlock("Twig", Node.class, Twig.class))
        .withMessageContaining(Node.class.getName());
    assertThatIllegalArgumentException()
        .isThrownBy(() -> rowlock("", Alpha.class, Zulu.class))
        .withMessageContaining("''");
  }

  @Test
  void an_annotation_below_the_root_is_refused_when_rowlock_is_built() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> rowlock(null, Node.class, Twig.class, BadTwig.class))
        .withMessageContaining("@LockOrder")
        .withMessageContaining(Node.class.getName());
  }

  private static Rowlock rowlock(String setting, Class<?>... entities) {
    TestUnit.Builder unit = db.unit(entities);
    if (setting != null) {
      unit.property(SETTING, setting);
    }
    return Rowlock.of(unit.open().factory());
  }

  /** The types in the order in which a plan, given in this order, locks them. */
  private static List<Class<?>> order(Rowlock rowlock, Class<?>... types) {
    LockPlan plan = LockPlan.of(types[0], List.of());
    for (Class<?> type : types) {
      plan = plan.and(type, List.of());
    }
    LockPlan whole = plan;
    Set<Class<?>> order =
        rowlock.<Set<Class<?>>, RuntimeException>call(work -> work.lock(whole).types());
    return List.copyOf(order);
  }
}
