package io.rowlock.create;

import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.hibernate.type.descriptor.WrapperOptions;
import org.hibernate.type.descriptor.java.JavaType;
import org.hibernate.type.format.FormatMapper;

/** Enough JSON for the tests: text as it is, and flat maps of texts. */
final class PlainJson implements FormatMapper {

  @Override
  public <T> T fromString(CharSequence text, JavaType<T> type, WrapperOptions options) {
    if (type.getJavaTypeClass() == String.class) {
      return type.wrap(text.toString(), options);
    }
    Map<String, Object> map = new TreeMap<>();
    String inner = text.toString().replaceAll("[{}\" ]", "");
    if (!inner.isEmpty()) {
      Arrays.stream(inner.split(","))
          .map(entry -> entry.split(":"))
          .forEach(entry -> map.put(entry[0], entry[1]));
    }
    return type.getJavaTypeClass().cast(map);
  }

  @Override
  public <T> String toString(T value, JavaType<T> type, WrapperOptions options) {
    if (value instanceof Map<?, ?> map) {
      return map.entrySet().stream()
          .map(entry -> "\"" + entry.getKey() + "\": \"" + entry.getValue() + "\"")
          .collect(Collectors.joining(", ", "{", "}"));
    }
    return value.toString();
  }
}
