// The limit for the store of conversations: the same tables and rows, written by nothing but SQLite.
//
// sqlite-limit FILE SCHEMA full|normal BATCH SECONDS
//
//   SCHEMA  the statements that make the tables
//
// Prints one line of JSON: messages, seconds, commits.
#include "common.h"
#include <sqlite3.h>

static sqlite3 *database;

static void check(int code, int wanted) {
    if (code == wanted) return;
    fprintf(stderr, "sqlite: %s\n", sqlite3_errmsg(database));
    exit(1);
}

static void run(const char *sql) { check(sqlite3_exec(database, sql, NULL, NULL, NULL), SQLITE_OK); }

static sqlite3_stmt *prepare(const char *sql) {
    sqlite3_stmt *statement;
    check(sqlite3_prepare_v3(database, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL), SQLITE_OK);
    return statement;
}

static char *contents(const char *path) {
    FILE *file = fopen(path, "r");
    static char text[1 << 16];
    if (!file) die(path);
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    return text;
}

static void text(sqlite3_stmt *statement, int place, const char *value) {
    check(sqlite3_bind_text(statement, place, value, -1, SQLITE_TRANSIENT), SQLITE_OK);
}

int main(int argc, char **argv) {
    if (argc < 6) return fprintf(stderr, "usage: sqlite-limit FILE SCHEMA full|normal BATCH SECONDS\n"), 64;
    int batch = atoi(argv[4]);
    double seconds = atof(argv[5]);
    check(sqlite3_open(argv[1], &database), SQLITE_OK);
    run("PRAGMA journal_mode = WAL");
    run(argv[3][0] == 'f' ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL");
    run(contents(argv[2]));
    char sender[64], client[64], body[256];
    sqlite3_stmt *insert = prepare(
        "INSERT INTO entries (id, counted, sort, sender, time, client, kind, body) VALUES (?, ?, 0, ?, ?, ?, 'text', ?) "
        "ON CONFLICT (sender, client) WHERE client IS NOT NULL DO NOTHING");
    sqlite3_stmt *update = prepare("UPDATE members SET read = ?, read_counted = ? WHERE conversation = ? AND user = ?");
    run("BEGIN");
    for (int i = 0; i < 64; i++) {
        char sql[512];
        snprintf(sql, sizeof sql,
                 "INSERT INTO members (conversation, user, role, since, read, read_counted) VALUES (%d, 'sender-%d', 0, 0, 0, 0),"
                 " (%d, 'peer-%d', 0, 0, 0, 0)", i + 1, i, i + 1, i);
        run(sql);
    }
    run("COMMIT");
    snprintf(body, sizeof body, "{\"text\":\"%0100d\"}", 0);
    uint64_t begin = now_ns(), end = begin + (uint64_t)(seconds * 1e9);
    long messages = 0, commits = 0;
    while (now_ns() < end) {
        run("BEGIN IMMEDIATE");
        for (int i = 0; i < batch; i++) {
            int64_t conversation = messages % 64 + 1, number = messages / 64 + 1;
            snprintf(sender, sizeof sender, "sender-%d", (int)(messages % 64));
            snprintf(client, sizeof client, "message-%ld", messages);
            sqlite3_bind_int64(insert, 1, conversation << 32 | number);
            sqlite3_bind_int64(insert, 2, number);
            text(insert, 3, sender);
            sqlite3_bind_int64(insert, 4, 1700000000000 + messages);
            text(insert, 5, client);
            check(sqlite3_bind_blob(insert, 6, body, (int)strlen(body), SQLITE_TRANSIENT), SQLITE_OK);
            check(sqlite3_step(insert), SQLITE_DONE);
            sqlite3_reset(insert);
            sqlite3_bind_int64(update, 1, number);
            sqlite3_bind_int64(update, 2, number);
            sqlite3_bind_int64(update, 3, conversation);
            text(update, 4, sender);
            check(sqlite3_step(update), SQLITE_DONE);
            sqlite3_reset(update);
            messages++;
        }
        run("COMMIT");
        commits++;
    }
    printf("{\"messages\":%ld,\"seconds\":%.4f,\"commits\":%ld}\n", messages, (double)(now_ns() - begin) / 1e9, commits);
    return 0;
}
