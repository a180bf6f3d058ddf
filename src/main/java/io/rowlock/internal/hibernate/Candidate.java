package io.rowlock.internal.hibernate;

/**
 * A candidate, after all that is to run before an insert has run for it: once for each call.
 *
 * @param instance what the caller passed in
 * @param state what is to be stored, in the order of the entity's attributes
 */
@SuppressWarnings("ArrayRecordComponent") // Hibernate's form; candidates are never compared
record Candidate(Object instance, Object[] state) {}
