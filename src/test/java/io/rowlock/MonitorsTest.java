package io.rowlock;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.thirdparty.org.objectweb.asm.ClassReader;
import com.tngtech.archunit.thirdparty.org.objectweb.asm.ClassVisitor;
import com.tngtech.archunit.thirdparty.org.objectweb.asm.MethodVisitor;
import com.tngtech.archunit.thirdparty.org.objectweb.asm.Opcodes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Up to JDK 23 a virtual thread that waits inside of a monitor holds its carrier: no class may wait
 * for the database, for another unit or for a connection in one.
 */
class MonitorsTest {

  /** Each remembers factories that it has seen, and does nothing else meanwhile. */
  private static final Set<String> REGISTERS =
      Set.of(
          "io/rowlock/internal/hibernate/ReuseListener",
          "io/rowlock/internal/hibernate/SeenFactories",
          "io/rowlock/internal/hibernate/TableOrder");

  @Test
  void only_registers_of_factories_use_monitors() throws Exception {
    Path classes =
        Path.of(Rowlock.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    Set<String> users = new TreeSet<>();
    try (Stream<Path> files = Files.walk(classes)) {
      for (Path file : files.filter(path -> path.toString().endsWith(".class")).toList()) {
        find(file, users);
      }
    }

    assertThat(users).containsExactlyInAnyOrderElementsOf(REGISTERS);
  }

  private static void find(Path file, Set<String> users) throws IOException {
    ClassReader reader = new ClassReader(Files.readAllBytes(file));
    reader.accept(
        new ClassVisitor(Opcodes.ASM9) {
          @Override
          public MethodVisitor visitMethod(
              int access, String name, String descriptor, String signature, String[] exceptions) {
            if ((access & Opcodes.ACC_SYNCHRONIZED) != 0) {
              users.add(reader.getClassName());
            }
            return new MethodVisitor(Opcodes.ASM9) {
              @Override
              public void visitInsn(int opcode) {
                if (opcode == Opcodes.MONITORENTER) {
                  users.add(reader.getClassName());
                }
              }
            };
          }
        },
        ClassReader.SKIP_DEBUG);
  }
}
