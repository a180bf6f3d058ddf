package io.rowlock;

import org.junit.jupiter.api.Test;

class ArchitectureTest {
  @Test
  void builds() {}
}
