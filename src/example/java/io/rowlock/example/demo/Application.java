package io.rowlock.example.demo;

import io.rowlock.Rowlock;
import io.rowlock.example.ArticleStore;
import jakarta.persistence.EntityManagerFactory;

/** One process of the application. */
final class Application implements AutoCloseable {

  private final EntityManagerFactory factory;
  private final Reruns reruns = new Reruns();
  private final Rowlock rowlock;
  private final ArticleStore store;

  Application(EntityManagerFactory factory) {
    this.factory = factory;
    rowlock = Rowlock.builder(factory).listener(reruns).build();
    store = new ArticleStore(rowlock);
  }

  Rowlock rowlock() {
    return rowlock;
  }

  ArticleStore store() {
    return store;
  }

  Reruns reruns() {
    return reruns;
  }

  @Override
  public void close() {
    factory.close();
  }
}
