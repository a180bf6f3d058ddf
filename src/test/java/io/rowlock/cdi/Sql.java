package io.rowlock.cdi;

import jakarta.persistence.EntityManager;

/** Statements that the tests have their units send. */
final class Sql {

  private Sql() {}

  /** Has the server abort the transaction with this SQLSTATE. */
  static void raise(EntityManager em, String sqlState) {
    em.createNativeQuery("do $$ begin raise exception using errcode = '" + sqlState + "'; end $$")
        .executeUpdate();
  }

  static String transactionId(EntityManager em) {
    return text(em, "select pg_current_xact_id()::text");
  }

  static int pid(EntityManager em) {
    return (Integer) em.createNativeQuery("select pg_backend_pid()").getSingleResult();
  }

  static String setting(EntityManager em, String name) {
    return text(em, "select current_setting('" + name + "')");
  }

  private static String text(EntityManager em, String sql) {
    return (String) em.createNativeQuery(sql).getSingleResult();
  }
}
