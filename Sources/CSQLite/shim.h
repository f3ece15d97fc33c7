#pragma once

#include <sqlite3.h>

// `SQLITE_TRANSIENT` is a cast that Swift does not see: SQLite takes a copy of what is bound.
// Text without an address would be NULL.
static inline int parley_sqlite_bind_text(sqlite3_stmt *statement, int index, const void *text, sqlite3_uint64 count) {
    return sqlite3_bind_text64(statement, index, count == 0 ? "" : text, count, SQLITE_TRANSIENT, SQLITE_UTF8);
}

static inline int parley_sqlite_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 count) {
    return count == 0 ? sqlite3_bind_zeroblob(statement, index, 0)
                      : sqlite3_bind_blob64(statement, index, bytes, count, SQLITE_TRANSIENT);
}

// SQLite is never asked how much memory it has, so it need not take a lock to count it. Variadic, so Swift does not see it.
static inline int parley_sqlite_do_not_count_memory(void) { return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }
