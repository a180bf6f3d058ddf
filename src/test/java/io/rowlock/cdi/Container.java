package io.rowlock.cdi;

import io.rowlock.testing.Await;
import io.rowlock.testing.Postgres;
import io.rowlock.testing.TcpProxy;
import jakarta.enterprise.inject.se.SeContainer;
import jakarta.enterprise.inject.se.SeContainerInitializer;
import jakarta.persistence.EntityManagerFactory;
import jakarta.transaction.Status;
import java.lang.annotation.Annotation;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Weld with Narayana's {@code @Transactional} over a {@link JtaUnit}, started once for a test
 * class. Rowlock's interceptors are found as they are in an application: by the bean archive's
 * descriptor.
 *
 * <p>After every test it fails the test if a connection of the pool is in use or a transaction is
 * left on the thread.
 */
final class Container implements BeforeAllCallback, AfterEachCallback, AfterAllCallback {

  private final Postgres db;
  private final List<Class<?>> beans = new ArrayList<>();
  private final Map<String, Object> properties = new LinkedHashMap<>();
  private Class<?>[] entities = {Account.class};
  private UnaryOperator<String> route = UnaryOperator.identity();
  private JtaUnit unit;
  private SeContainer weld;

  Container(Postgres db, Class<?>... beans) {
    this.db = db;
    beans(beans);
  }

  /** More beans. */
  Container beans(Class<?>... more) {
    beans.addAll(List.of(more));
    return this;
  }

  /** Leads the connections through a proxy. */
  Container through(TcpProxy proxy) {
    route = proxy::through;
    return this;
  }

  /** A property of the persistence unit. */
  Container property(String name, Object value) {
    properties.put(name, value);
    return this;
  }

  /** Other entities than {@link Account}. */
  Container entities(Class<?>... types) {
    entities = types;
    return this;
  }

  @Override
  public void beforeAll(ExtensionContext context) {
    unit = JtaUnit.open(route.apply(db.url()), properties, entities);
    Persistence.factory = unit.factory();
    weld =
        SeContainerInitializer.newInstance()
            .addBeanClasses(Persistence.class)
            .addBeanClasses(beans.toArray(Class<?>[]::new))
            .initialize();
  }

  @Override
  public void afterEach(ExtensionContext context) throws Exception {
    int left = JtaUnit.transactionManager().getStatus();
    if (left != Status.STATUS_NO_TRANSACTION) {
      JtaUnit.transactionManager().suspend();
      throw new AssertionError("The test left a transaction on its thread, status " + left);
    }
    Await.until("no connection of the JTA pool is in use", () -> unit.inUse() == 0);
  }

  @Override
  public void afterAll(ExtensionContext context) {
    if (weld != null) {
      weld.close();
    }
    Persistence.factory = null;
    unit.close();
  }

  /** A bean. */
  <T> T bean(Class<T> type, Annotation... qualifiers) {
    return weld.select(type, qualifiers).get();
  }

  JtaUnit unit() {
    return unit;
  }

  EntityManagerFactory factory() {
    return unit.factory();
  }
}
