package io.rowlock.mixes;

import io.rowlock.create.Pin;
import java.util.List;

/** One call of an operation. */
sealed interface Operation {

  /** A key with the value that its candidate carries. */
  record Given(String key, int value) {
    @Override
    public String toString() {
      return key + "=" + value;
    }
  }

  /** The entity. */
  Kind kind();

  /** Get-or-create, of one or as a batch. */
  record Get(Kind kind, List<Given> given, boolean batch, Pin pin) implements Operation {}

  /** Insert-if-absent, of one or as a batch. */
  record Insert(Kind kind, List<Given> given, boolean batch) implements Operation {}

  /** An upsert that adds the value, of one or as a batch. */
  record Add(Kind kind, List<Given> given, boolean batch) implements Operation {}

  /** An upsert that keeps the greatest value, of one or as a batch. */
  record Latest(Kind kind, List<Given> given, boolean batch) implements Operation {}

  /** Locks the rows and adds the value to each. */
  record Raise(Kind kind, List<String> keys, int value) implements Operation {}

  /** Locks two rows and moves the value from one to the other. */
  record Move(Kind kind, String from, String to, int value) implements Operation {}

  /** Raises the versions. */
  record Versions(Kind kind, List<String> keys) implements Operation {}

  /** Locks the row for UPDATE and removes it. */
  record Delete(Kind kind, String key) implements Operation {}
}
