package io.rowlock.faults;

import java.util.List;

/**
 * A line of the report.
 *
 * @param fault what broke
 * @param injected how often
 * @param felt how many attempts it made fail
 * @param units how many units were run
 * @param reruns how many attempts were made after a first one
 * @param failed how many units failed
 * @param unanswered how many COMMITs were not answered
 * @param unknown how many ended with an unknown outcome
 * @param unknownButCommitted how many of those were there all the same
 * @param wrong what was not as promised
 */
record Result(
    String fault,
    long injected,
    long felt,
    long units,
    long reruns,
    long failed,
    long unanswered,
    long unknown,
    long unknownButCommitted,
    List<String> wrong) {}
