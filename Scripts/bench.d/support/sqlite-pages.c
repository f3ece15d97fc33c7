// The limit for a page of history: the same rows, found by nothing but SQLite, and handed to nobody.
//
// sqlite-pages FILE ENTRIES SECONDS
//
// Prints one line of JSON: pages, seconds, bytes, p50_us, p99_us.
#include "common.h"
#include <sqlite3.h>

enum { MOST = 1 << 20, MESSAGES = 1000000 };
static uint32_t times[MOST];

static int smaller_first(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static long read_page(sqlite3_stmt *page, long before, int entries) {
    long bytes = 0;
    sqlite3_bind_int64(page, 1, (1ll << 32) + 1);
    sqlite3_bind_int64(page, 2, (1ll << 32) + before - 1);
    sqlite3_bind_int(page, 3, entries);
    while (sqlite3_step(page) == SQLITE_ROW)
        for (int column = 0; column < sqlite3_column_count(page); column++) {
            sqlite3_column_blob(page, column);
            bytes += sqlite3_column_bytes(page, column);
        }
    sqlite3_reset(page);
    return bytes;
}

int main(int argc, char **argv) {
    if (argc < 4) return fprintf(stderr, "usage: sqlite-pages FILE ENTRIES SECONDS\n"), 64;
    sqlite3 *database;
    sqlite3_stmt *page;
    const char *sql = "SELECT id, counted, sort, sender, time, client, kind, target, mentions, forwarded, body, edited, recalled, pinned "
                      "FROM entries WHERE id BETWEEN ? AND ? ORDER BY id DESC LIMIT ?";
    if (sqlite3_open_v2(argv[1], &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL)
        || sqlite3_prepare_v3(database, sql, -1, SQLITE_PREPARE_PERSISTENT, &page, NULL))
        return fprintf(stderr, "sqlite: %s\n", sqlite3_errmsg(database)), 1;
    int entries = atoi(argv[2]);
    uint64_t begin = now_ns(), end = begin + (uint64_t)(atof(argv[3]) * 1e9), before = begin;
    long pages = 0, bytes = 0;
    while (before < end && pages < MOST) {
        bytes += read_page(page, 200 + random() % (MESSAGES - 200), entries);
        uint64_t after = now_ns();
        times[pages++] = (uint32_t)(after - before);
        before = after;
    }
    qsort(times, (size_t)pages, sizeof *times, smaller_first);
    printf("{\"pages\":%ld,\"seconds\":%.4f,\"bytes\":%ld,\"p50_us\":%.1f,\"p99_us\":%.1f}\n", pages, (double)(before - begin) / 1e9,
           bytes, times[pages / 2] / 1e3, times[pages * 99 / 100] / 1e3);
    return 0;
}
