/**
 * Breaks things for real, under a workload whose truth can be checked: a PostgreSQL of its own that
 * can be killed and started again, faults drawn from a seed, and an audit that holds every answer
 * against the rows.
 */
package io.rowlock.faults;
