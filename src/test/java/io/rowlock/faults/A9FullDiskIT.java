package io.rowlock.faults;

import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Promise A9 on a full disk, where a small one can be mounted. */
@ExtendWith(FaultSuite.class)
@Timeout(value = 1, unit = TimeUnit.DAYS) // each round has an end of its own
class A9FullDiskIT {

  @Test
  void the_disk_may_be_full() throws Exception {
    OwnServer server = FaultSuite.server();
    Optional<SmallDisk> disk = SmallDisk.mount(server.folder(), 4);
    if (disk.isPresent()) {
      FaultSuite.run(new FullDisk(server, disk.get()));
    } else {
      FaultSuite.report().notPossible("full disk", "no file system may be mounted");
    }
  }
}
