package io.rowlock.create;

import io.rowlock.create.Wide.KeyedTarget;
import io.rowlock.create.Wide.PairKey;
import io.rowlock.create.Wide.Target;
import io.rowlock.testing.Postgres;
import io.rowlock.testing.TestUnit;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/** The table of {@link Wide}, with the rows that its rows refer to. */
final class WideTable {

  /** What an update writes of no column of its own, or may find null before and after. */
  private static final Set<String> NOT_REPLACED =
      Set.of(
          "id",
          "slug",
          "version",
          "readOnly",
          "defaulted",
          "slugLength",
          "twice",
          "created",
          "changed",
          "clock",
          "prepared",
          "forgotten");

  private final TestUnit unit;
  private final Target target = new Target();
  private final KeyedTarget keyed = new KeyedTarget();

  private WideTable(TestUnit unit) {
    this.unit = unit;
    target.id = 1L;
    keyed.id = new PairKey();
    keyed.id.area = "a";
    keyed.id.number = 7;
  }

  /** Makes the tables from the mapping. */
  static WideTable in(Postgres db) throws SQLException {
    TestUnit unit =
        db.unit(Wide.class, Target.class, KeyedTarget.class)
            .property("hibernate.hbm2ddl.auto", "create-only")
            .property(
                "hibernate.physical_naming_strategy",
                "org.hibernate.boot.model.naming.PhysicalNamingStrategySnakeCaseImpl")
            .property("hibernate.type.json_format_mapper", new PlainJson())
            .open();
    // the one-to-one makes a column unique that all rows here share
    db.execute(
        "do $$ begin execute (select 'alter table wide drop constraint ' || quote_ident(conname)"
            + " from pg_constraint where conrelid = 'wide'::regclass and contype = 'u'"
            + " and pg_get_constraintdef(oid) like '%(single_id)%'); end $$");
    WideTable table = new WideTable(unit);
    unit.factory()
        .runInTransaction(
            em -> {
              em.persist(table.target);
              em.persist(table.keyed);
            });
    return table;
  }

  TestUnit unit() {
    return unit;
  }

  /** One with a value in each attribute. */
  Wide filled(String slug) {
    return fill(new Wide(slug));
  }

  void persist(Wide row) {
    unit.factory().runInTransaction(em -> em.persist(row));
  }

  /** Stores one without values, and gives it all of them by Hibernate's update. */
  void persistThenFill(String slug) {
    unit.factory()
        .runInTransaction(
            em -> {
              Wide persisted = new Wide(slug);
              em.persist(persisted);
              em.flush();
              fill(persisted);
            });
  }

  /** The attributes of which an upsert replaces what a row without values has. */
  static List<String> replaced() {
    return Arrays.stream(Wide.class.getDeclaredFields())
        .filter(field -> !Modifier.isStatic(field.getModifiers()))
        .map(Field::getName)
        .filter(name -> !NOT_REPLACED.contains(name))
        .toList();
  }

  private Wide fill(Wide row) {
    try {
      return row.fill(target, keyed);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }
}
