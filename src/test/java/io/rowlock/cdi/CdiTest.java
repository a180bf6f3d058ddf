package io.rowlock.cdi;

import io.rowlock.testing.Postgres;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A container with {@link Accounts} and two accounts of 10 each, for each test anew. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class CdiTest {

  @RegisterExtension
  @Order(1)
  final Postgres db = new Postgres(Account.TABLE);

  @RegisterExtension
  @Order(2)
  final Container container = new Container(db, Recorder.class, Accounts.class).beans(moreBeans());

  Class<?>[] moreBeans() {
    return new Class<?>[0];
  }

  @BeforeEach
  void fresh() throws Exception {
    db.execute("truncate account", "insert into account values (1, 10), (2, 10)");
    recorder().clear();
  }

  Accounts accounts() {
    return container.bean(Accounts.class);
  }

  Recorder recorder() {
    return container.bean(Recorder.class);
  }

  List<String> events() {
    return recorder().events();
  }

  long balance(long id) throws Exception {
    return db.number("select balance from account where id = ?", id);
  }

  long count(long id) throws Exception {
    return db.number("select count(*) from account where id = ?", id);
  }
}
