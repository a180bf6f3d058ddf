package io.rowlock.mixes;

/** The two entities, in the order in which a unit takes their locks. */
enum Kind {
  ACCOUNT(Account.class, "Account", "code", "0"),
  METER(Meter.class, "Meter", "slug", "version");

  final Class<? extends Counted> type;
  final String table;
  final String key;
  private final String version;

  Kind(Class<? extends Counted> type, String table, String key, String version) {
    this.type = type;
    this.table = table;
    this.key = key;
    this.version = version;
  }

  /** A row as {@link Counted#row()} writes it, in SQL. */
  String row() {
    return "concat_ws('|', "
        + key
        + ", added, raised, balance, seen, coalesce(note, 'null'), "
        + version
        + ")";
  }

  /** A new instance. */
  Counted candidate(String name, int value) {
    Counted candidate = this == ACCOUNT ? new Account(name) : new Meter(name);
    candidate.added = value;
    candidate.seen = value;
    candidate.note = "n" + value % 2;
    return candidate;
  }
}
