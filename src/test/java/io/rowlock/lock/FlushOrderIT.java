package io.rowlock.lock;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.Rowlock;
import io.rowlock.testing.Postgres;
import io.rowlock.testing.TestUnit;
import jakarta.persistence.Column;
import jakarta.persistence.ElementCollection;
import jakarta.persistence.Entity;
import jakarta.persistence.FetchType;
import jakarta.persistence.Id;
import jakarta.persistence.Inheritance;
import jakarta.persistence.InheritanceType;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.SecondaryTable;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** C5: where Hibernate's flush takes locks in another order, that is said once for each factory. */
class FlushOrderIT {

  @RegisterExtension static final Postgres db = new Postgres(Tag.TABLE);

  @Entity(name = "a_child")
  static class AChild {
    @Id Long id;

    @ManyToOne(fetch = FetchType.LAZY)
    BParent parent;
  }

  @Entity(name = "b_parent")
  static class BParent {
    @Id Long id;
  }

  @Entity(name = "by_uuid")
  static class ByUuid {
    @Id UUID id;
  }

  @Entity(name = "sec")
  @SecondaryTable(name = "sec2")
  static class Twofold {
    @Id Long id;

    @Column(table = "sec2")
    String b;
  }

  @Entity(name = "base")
  @Inheritance(strategy = InheritanceType.JOINED)
  static class Base {
    @Id Long id;
  }

  @Entity(name = "sub")
  static class Sub extends Base {
    String sn;
  }

  @Entity(name = "boxed")
  static class Boxed {
    @Id Long id;
    @ElementCollection List<String> labels = new ArrayList<>();
  }

  @Test
  void settings_that_are_off_are_named_with_the_remedy() {
    assertThat(said(db.unit(Tag.class).open(), 1))
        .satisfiesExactly(
            updates ->
                assertThat(updates)
                    .contains("hibernate.order_updates is off")
                    .contains("Set it to true")
                    .contains("UnitOfWork.lock"),
            inserts -> assertThat(inserts).contains("hibernate.order_inserts is off"));
  }

  @Test
  void nothing_is_said_of_a_plain_entity_when_both_are_on() {
    assertThat(said(ordered(Tag.class, BParent.class), 1)).isEmpty();
  }

  @Test
  void it_is_said_once_for_a_factory() {
    assertThat(said(db.unit(Tag.class).open(), 3)).hasSize(2);
  }

  @Test
  void names_that_are_not_in_the_order_of_the_locks_are_pointed_out() {
    assertThat(said(ordered(AChild.class, BParent.class), 1))
        .singleElement()
        .asString()
        .contains("updates " + AChild.class.getName() + " before " + BParent.class.getName())
        .contains("rowlock.lock-order");
  }

  @Test
  void ids_that_java_compares_otherwise_are_pointed_out() {
    assertThat(said(ordered(ByUuid.class, Tag.class), 1))
        .singleElement()
        .asString()
        .contains(ByUuid.class.getName())
        .contains("not the database's")
        .doesNotContain(Tag.class.getName());
  }

  @Test
  void entities_of_several_tables_are_pointed_out_with_their_tables() {
    assertThat(said(ordered(Base.class, Sub.class, Twofold.class), 1))
        .singleElement()
        .asString()
        .contains(Base.class.getName() + " (tables base, sub)")
        .contains(Twofold.class.getName() + " (tables sec, sec2)");
  }

  @Test
  void collections_with_a_table_of_their_own_are_pointed_out() {
    assertThat(said(ordered(Boxed.class), 1))
        .singleElement()
        .asString()
        .contains(Boxed.class.getName() + ".labels")
        .contains("after all entities");
  }

  @Test
  void that_deletes_have_no_order_holds_for_every_factory_and_is_no_warning() {
    assertThat(said(ordered(Tag.class), 1, Level.INFO))
        .singleElement()
        .asString()
        .contains("deletes")
        .contains("LockStrength.UPDATE");
  }

  private static TestUnit ordered(Class<?>... entities) {
    return db.unit(entities)
        .property("hibernate.order_updates", "true")
        .property("hibernate.order_inserts", "true")
        .open();
  }

  /** What is logged while so many Rowlocks are built on the unit. */
  private static List<String> said(TestUnit unit, int times) {
    return said(unit, times, Level.WARNING);
  }

  private static List<String> said(TestUnit unit, int times, Level level) {
    List<String> said = new ArrayList<>();
    Handler handler =
        new Handler() {
          @Override
          public void publish(LogRecord record) {
            said.add(record.getMessage());
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    Logger logger = Logger.getLogger("io.rowlock.internal.hibernate.FlushOrder");
    Level before = logger.getLevel();
    logger.setUseParentHandlers(false);
    logger.setLevel(level);
    logger.addHandler(handler);
    try {
      for (int i = 0; i < times; i++) {
        Rowlock.of(unit.factory());
      }
    } finally {
      logger.removeHandler(handler);
      logger.setLevel(before);
      logger.setUseParentHandlers(true);
    }
    return said;
  }
}
