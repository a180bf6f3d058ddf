package io.rowlock.testing;

import io.rowlock.testing.TcpProxy.Planned;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * One connection through a {@link TcpProxy}, message by message of PostgreSQL's protocol: a byte
 * for its kind, a length that counts itself, the rest. The client's first ones have no kind.
 */
final class ProxyLink {

  private static final int CANCEL_REQUEST = 80877102;
  private static final int SSL_REQUEST = 80877103;
  private static final int GSS_REQUEST = 80877104;
  private static final int NO_KIND = -1;

  private final TcpProxy proxy;
  private final Socket client;
  private final Socket server;
  private final Map<String, String> prepared = new HashMap<>();

  /** How often the server has been asked to say that it is ready, the start included. */
  private final AtomicInteger asked = new AtomicInteger(1);

  private final AtomicInteger ready = new AtomicInteger();
  private volatile Planned fault;

  /** The answer that is to be lost is complete when the server is ready for the so-manieth time. */
  private volatile int lostUntil = Integer.MAX_VALUE;

  ProxyLink(TcpProxy proxy, Socket client, Socket server) throws IOException {
    this.proxy = proxy;
    this.client = client;
    this.server = server;
    client.setTcpNoDelay(true);
    server.setTcpNoDelay(true);
  }

  void start() {
    TcpProxy.daemon("proxy-to-server", () -> pump(this::requests));
    TcpProxy.daemon("proxy-to-client", () -> pump(this::answers));
  }

  /** Closes both sides. */
  void cut() {
    closeQuietly(client);
    closeQuietly(server);
    proxy.ended(this);
  }

  private interface Pump {
    void run() throws IOException, InterruptedException;
  }

  private void pump(Pump work) {
    try {
      work.run();
    } catch (IOException | InterruptedException e) {
      // one side is gone: so will be the other
    }
    if (!isServerHeld()) {
      cut();
    }
  }

  /** The client alone has lost the connection; what becomes of the server's side is planned. */
  private boolean isServerHeld() {
    Planned met = fault;
    return met != null
        && (met.fault() == TcpProxy.Fault.LOSE_BEFORE
            || met.fault() == TcpProxy.Fault.CUT_DELIVERED);
  }

  private void requests() throws IOException, InterruptedException {
    DataInputStream in = new DataInputStream(new BufferedInputStream(client.getInputStream()));
    OutputStream out = server.getOutputStream();
    if (!startsUp(in, out)) {
      return;
    }
    while (true) {
      int kind = in.readUnsignedByte();
      byte[] body = body(in);
      meet(kind, body);
      Planned met = fault;
      if (met != null) {
        switch (met.fault()) {
          case CUT_BEFORE -> {
            cut();
            return;
          }
          case LOSE_BEFORE -> {
            closeQuietly(client);
            met.awaitRelease();
            cut();
            return;
          }
          case STALL -> {
            met.awaitRelease();
            fault = null;
          }
          default -> {}
        }
      }
      boolean ends = kind == 'S' || kind == 'Q';
      if (ends) {
        int nth = asked.incrementAndGet();
        lostUntil = fault == null ? Integer.MAX_VALUE : Math.min(lostUntil, nth);
      }
      send(out, kind, body);
      if (ends && met != null && met.fault() == TcpProxy.Fault.CUT_DELIVERED) {
        closeQuietly(client);
        return;
      }
    }
  }

  /** Answers false if there will be nothing more. */
  private boolean startsUp(DataInputStream in, OutputStream out) throws IOException {
    while (true) {
      byte[] body = body(in);
      int code = ByteBuffer.wrap(body).getInt();
      if (code == SSL_REQUEST || code == GSS_REQUEST) {
        client.getOutputStream().write('N');
        continue;
      }
      send(out, NO_KIND, body);
      return code != CANCEL_REQUEST;
    }
  }

  /** Looks whether the message runs a statement that something is planned for. */
  private void meet(int kind, byte[] body) {
    String[] texts;
    switch (kind) {
      case 'P' -> {
        texts = texts(body);
        prepared.put(texts[0], texts[1]);
        meet(texts[1]);
      }
      case 'B' -> {
        texts = texts(body);
        meet(prepared.getOrDefault(texts[1], ""));
      }
      case 'Q' -> meet(texts(body)[0]);
      default -> {}
    }
  }

  private void meet(String statement) {
    Planned met = fault == null ? proxy.hit(statement) : null;
    if (met != null) {
      fault = met;
    }
  }

  private void answers() throws IOException, InterruptedException {
    DataInputStream in = new DataInputStream(new BufferedInputStream(server.getInputStream()));
    OutputStream out = client.getOutputStream();
    while (true) {
      int kind = in.readUnsignedByte();
      byte[] body = body(in);
      Planned met = fault;
      boolean complete = kind == 'Z' && ready.incrementAndGet() >= lostUntil;
      if (met == null) {
        send(out, kind, body);
        continue;
      }
      switch (met.fault()) {
        case STALL -> {
          met.awaitRelease();
          send(out, kind, body);
        }
        case CUT_ANSWERED -> {
          if (complete) {
            return;
          }
        }
        case CUT_DELIVERED -> {
          if (complete) {
            cut();
            return;
          }
        }
        case CUT_IN_RESULT -> {
          if (kind == 'D' || complete) {
            out.write(message(kind, body), 0, body.length / 2 + 1);
            out.flush();
            return;
          }
          send(out, kind, body);
        }
        default -> {}
      }
    }
  }

  private static byte[] body(DataInputStream in) throws IOException {
    byte[] body = new byte[in.readInt() - Integer.BYTES];
    in.readFully(body);
    return body;
  }

  private static void send(OutputStream out, int kind, byte[] body) throws IOException {
    out.write(message(kind, body));
    out.flush();
  }

  private static byte[] message(int kind, byte[] body) {
    ByteBuffer message = ByteBuffer.allocate(1 + Integer.BYTES + body.length);
    if (kind != NO_KIND) {
      message.put((byte) kind);
    }
    message.putInt(Integer.BYTES + body.length).put(body);
    byte[] bytes = new byte[message.position()];
    message.flip().get(bytes);
    return bytes;
  }

  /** The first two texts of a message; each ends with a zero. */
  private static String[] texts(byte[] body) {
    String[] found = {"", ""};
    int start = 0;
    for (int i = 0; i < found.length && start < body.length; i++) {
      int end = start;
      while (end < body.length && body[end] != 0) {
        end++;
      }
      found[i] = new String(body, start, end - start, StandardCharsets.UTF_8);
      start = end + 1;
    }
    return found;
  }

  private static void closeQuietly(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      // then it is closed
    }
  }
}
