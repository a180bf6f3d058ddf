/**
 * The test kit: a real PostgreSQL, entity manager factories with a pool on it, rival connections,
 * waits for states, a log of the statements sent, and the checks made after every test.
 */
package io.rowlock.testing;
