package io.rowlock.example.demo;

/** One part of the demo. */
interface Part {

  /** What it shows. */
  String title();

  /**
   * Shows it, and checks it.
   *
   * @return one line for the summary
   * @throws DemoFailure if something is not as promised
   */
  String run() throws Exception;
}
