package io.rowlock.internal.hibernate;

import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * What is known of some instances, told apart by identity, for as long as somebody else keeps them.
 * Not safe for use by several threads.
 *
 * @param <V> what is known of an instance
 */
final class WeakIdentityMap<V> {

  private final Map<Key, V> values = new HashMap<>();
  private final ReferenceQueue<Object> gone = new ReferenceQueue<>();

  void put(Object instance, V value) {
    for (Reference<?> dead = gone.poll(); dead != null; dead = gone.poll()) {
      values.remove(dead);
    }
    values.put(new Key(instance, gone), value);
  }

  @Nullable V get(Object instance) {
    return values.get(new Key(instance, null));
  }

  boolean isEmpty() {
    return values.isEmpty();
  }

  void forEach(BiConsumer<Object, V> use) {
    values.forEach(
        (key, value) -> {
          Object instance = key.get();
          if (instance != null) {
            use.accept(instance, value);
          }
        });
  }

  private static final class Key extends WeakReference<Object> {

    private final int hash;

    Key(Object instance, @Nullable ReferenceQueue<Object> queue) {
      super(instance, queue);
      this.hash = System.identityHashCode(instance);
    }

    @Override
    public int hashCode() {
      return hash;
    }

    @Override
    public boolean equals(Object other) {
      if (this == other) {
        return true;
      }
      Object instance = get();
      return instance != null && other instanceof Key key && key.get() == instance;
    }
  }
}
