package io.rowlock.create;

import io.rowlock.UnitOfWork;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The six operations that create pages, each as a call with any number of candidates. */
final class Operations {

  /** One of them; of those that take a single candidate, one call for each. */
  interface Operation {
    List<?> on(UnitOfWork work, List<Page> candidates);
  }

  private static final Map<String, Operation> ALL = new LinkedHashMap<>();

  static {
    ALL.put("getOrCreate", (work, pages) -> pages.stream().map(work::getOrCreate).toList());
    ALL.put("insertIfAbsent", (work, pages) -> pages.stream().map(work::insertIfAbsent).toList());
    ALL.put("upsert", (work, pages) -> pages.stream().map(work::upsert).toList());
    ALL.put("getOrCreateAll", UnitOfWork::getOrCreateAll);
    ALL.put("insertIfAbsentAll", UnitOfWork::insertIfAbsentAll);
    ALL.put("upsertAll", UnitOfWork::upsertAll);
  }

  private Operations() {}

  static Map<String, Operation> all() {
    return ALL;
  }

  /** Those that take many candidates. */
  static Map<String, Operation> batches() {
    Map<String, Operation> batches = new LinkedHashMap<>(ALL);
    batches.keySet().removeIf(name -> !name.endsWith("All"));
    return batches;
  }

  /** Whether the answer says that the row is new. */
  static boolean created(Object answer) {
    if (answer instanceof GetOrCreateResult<?> result) {
      return result.created();
    }
    return answer instanceof UpsertResult<?> result
        ? result.outcome() == UpsertResult.Outcome.CREATED
        : ((InsertResult<?>) answer).inserted();
  }
}
