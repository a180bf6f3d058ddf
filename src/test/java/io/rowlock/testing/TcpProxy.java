package io.rowlock.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Stands between the driver and the server, and breaks their connections for real: at the next
 * statement of the test's choice, in the middle of what the server answers, all at once, or by
 * accepting no more of them. It reads the protocol, so that what it breaks is broken at a known
 * place; encryption is declined on the server's behalf.
 *
 * <pre>{@code
 * TcpProxy proxy = TcpProxy.open();
 * TestUnit unit = db.unit(Tag.class).through(proxy).open();
 * Planned cut = proxy.atCommit(Fault.CUT_ANSWERED);
 * ...
 * assertThat(cut.happened()).isTrue();
 * }</pre>
 *
 * <p>Safe for use by any thread.
 */
public final class TcpProxy implements AutoCloseable {

  private static final Pattern URL = Pattern.compile("jdbc:postgresql://([^:/]+)(?::(\\d+))?/.*");
  private static final int DEFAULT_PORT = 5432;
  private static final int FIRST_PORT = 15_000;
  private static final int LAST_PORT = 32_000;

  /** What can happen to a statement and the connection that carries it. */
  public enum Fault {
    /** The server never sees it, and both sides are cut: the server rolls back at once. */
    CUT_BEFORE,
    /**
     * The server never sees it, and the client is cut; the server learns nothing of that, and its
     * transaction stays open, until {@link Planned#release()}.
     */
    LOSE_BEFORE,
    /** The server gets it, and the client is cut at once, while the server is at work. */
    CUT_DELIVERED,
    /** The server gets it and answers; the client is cut before it sees a byte of the answer. */
    CUT_ANSWERED,
    /** The client is cut in the middle of the first row of the answer. */
    CUT_IN_RESULT,
    /** Nothing more passes in either direction until {@link Planned#release()}; nothing is cut. */
    STALL
  }

  /** A fault that waits for its statement. */
  public static final class Planned {

    private final Predicate<String> statement;
    private final Fault fault;
    private final CountDownLatch hit = new CountDownLatch(1);
    private final CountDownLatch released = new CountDownLatch(1);

    private Planned(Predicate<String> statement, Fault fault) {
      this.statement = statement;
      this.fault = fault;
    }

    /** Whether it has happened. */
    public boolean happened() {
      return hit.getCount() == 0;
    }

    /** Lets a stalled connection go on; ends one that only the client has lost. */
    public void release() {
      released.countDown();
    }

    Fault fault() {
      return fault;
    }

    void awaitRelease() throws InterruptedException {
      released.await();
    }
  }

  private final String host;
  private final int serverPort;
  private final int port;
  private final List<ProxyLink> links = new CopyOnWriteArrayList<>();
  private final List<Planned> planned = new CopyOnWriteArrayList<>();
  private final List<Planned> past = new CopyOnWriteArrayList<>();
  private ServerSocket listening;
  private Thread accepting;

  private TcpProxy(String host, int serverPort) throws IOException {
    this.host = host;
    this.serverPort = serverPort;
    this.listening = free();
    this.port = listening.getLocalPort();
    this.accepting = accept(listening);
  }

  /**
   * A free port below those that operating systems choose from themselves: while the proxy refuses
   * connections, they could give its port to a connection of somebody else.
   */
  private static ServerSocket free() throws IOException {
    while (true) {
      int candidate = ThreadLocalRandom.current().nextInt(FIRST_PORT, LAST_PORT);
      try {
        return new ServerSocket(candidate, 50, InetAddress.getLoopbackAddress());
      } catch (BindException e) {
        // somebody has it: another one
      }
    }
  }

  /** A proxy before the {@link TestServer}. */
  public static TcpProxy open() {
    return before(TestServer.get().url());
  }

  /** A proxy before the server of a JDBC URL. */
  public static TcpProxy before(String jdbcUrl) {
    Matcher parts = URL.matcher(jdbcUrl);
    if (!parts.matches()) {
      throw new IllegalArgumentException("Not the URL of one server: " + jdbcUrl);
    }
    try {
      return new TcpProxy(
          parts.group(1), parts.group(2) == null ? DEFAULT_PORT : Integer.parseInt(parts.group(2)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The URL that leads through this proxy instead of directly to the server. */
  public String through(String jdbcUrl) {
    Matcher parts = URL.matcher(jdbcUrl);
    if (!parts.matches()) {
      throw new IllegalArgumentException("Not the URL of one server: " + jdbcUrl);
    }
    int end = parts.group(2) == null ? parts.end(1) : parts.end(2);
    return "jdbc:postgresql://"
        + InetAddress.getLoopbackAddress().getHostAddress()
        + ":"
        + port
        + jdbcUrl.substring(end);
  }

  /** Does that to the next statement that matches, on whichever connection it comes; once. */
  public Planned at(Predicate<String> statement, Fault fault) {
    Planned plan = new Planned(statement, fault);
    planned.add(plan);
    return plan;
  }

  /** Does that to the next COMMIT. */
  public Planned atCommit(Fault fault) {
    return at("commit"::equalsIgnoreCase, fault);
  }

  /** Forgets what is planned, and lets everything go that is held. */
  public void calm() {
    planned.clear();
    past.forEach(Planned::release);
    past.clear();
  }

  /** Cuts all connections that there are. */
  public void cutAll() {
    links.forEach(ProxyLink::cut);
  }

  /** How many connections there are. */
  public int connections() {
    return links.size();
  }

  /** Refuses new connections, as a machine does on which no server listens. */
  public synchronized void refuse() {
    try {
      listening.close();
      // until then the socket may live on
      accepting.join();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Takes new connections again, on the same port. */
  public synchronized void admit() {
    if (listening.isClosed()) {
      try {
        listening = new ServerSocket(port, 50, InetAddress.getLoopbackAddress());
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      accepting = accept(listening);
    }
  }

  @Override
  public void close() {
    refuse();
    calm();
    cutAll();
  }

  /** The fault that this statement is to meet, or null; it then has happened. */
  Planned hit(String statement) {
    for (Planned plan : planned) {
      if (plan.statement.test(statement) && planned.remove(plan)) {
        past.add(plan);
        plan.hit.countDown();
        return plan;
      }
    }
    return null;
  }

  void ended(ProxyLink link) {
    links.remove(link);
  }

  private Thread accept(ServerSocket socket) {
    return daemon(
        "proxy-" + port,
        () -> {
          while (!socket.isClosed()) {
            try {
              link(socket.accept());
            } catch (IOException e) {
              // closed: nothing more is accepted
            }
          }
        });
  }

  private void link(Socket client) throws IOException {
    try {
      ProxyLink link = new ProxyLink(this, client, new Socket(host, serverPort));
      links.add(link);
      link.start();
    } catch (IOException e) {
      // the server itself refuses: so does the proxy
      client.close();
    }
  }

  static Thread daemon(String name, Runnable work) {
    Thread thread = new Thread(work, name);
    thread.setDaemon(true);
    thread.start();
    return thread;
  }
}
