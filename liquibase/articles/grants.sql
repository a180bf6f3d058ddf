-- The identity column's sequence needs no grant of its own.
grant select, insert, update, delete on articles to ${application.role};
