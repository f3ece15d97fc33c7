// The limit for the store of conversations over PostgreSQL: the same rows, a batch in two statements of arrays.
//
// postgres-limit URL BATCH SECONDS
//
// The database has the tables of `parley serve` (schema parley). One batch is written while the answer to the one before
// is on its way. Prints one line of JSON: messages, seconds, commits.
#include "common.h"
#include <libpq-fe.h>

static PGconn *connection;

static void check(int good) {
    if (good) return;
    fprintf(stderr, "postgresql: %s\n", PQerrorMessage(connection));
    exit(1);
}

static void run(const char *sql) {
    PGresult *result = PQexec(connection, sql);
    check(PQresultStatus(result) == PGRES_COMMAND_OK || PQresultStatus(result) == PGRES_TUPLES_OK);
    PQclear(result);
}

static void prepare(const char *name, const char *sql) {
    PGresult *result = PQprepare(connection, name, sql, 0, NULL);
    check(PQresultStatus(result) == PGRES_COMMAND_OK);
    PQclear(result);
}

static void send_prepared(const char *name, int count, const char *const *values) {
    check(PQsendQueryPrepared(connection, name, count, values, NULL, NULL, 0));
}

// The answers to one batch, up to its sync.
static void take_batch(void) {
    for (;;) {
        PGresult *result = PQgetResult(connection);
        if (!result) continue;
        ExecStatusType status = PQresultStatus(result);
        check(status == PGRES_PIPELINE_SYNC || status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK);
        PQclear(result);
        if (status == PGRES_PIPELINE_SYNC) return;
    }
}

int main(int argc, char **argv) {
    if (argc < 4) return fprintf(stderr, "usage: postgres-limit URL BATCH SECONDS\n"), 64;
    int batch = atoi(argv[2]);
    double seconds = atof(argv[3]);
    connection = PQconnectdb(argv[1]);
    check(PQstatus(connection) == CONNECTION_OK);
    run("SET search_path TO parley; SET plan_cache_mode TO force_generic_plan; SET enable_hashjoin TO off; "
        "SET enable_seqscan TO off");
    run("BEGIN");
    for (int i = 0; i < 64; i++) {
        char sql[512];
        snprintf(sql, sizeof sql,
                 "INSERT INTO conversations (number, id, kind, created) VALUES (%d, 'limit-%d', 'direct', 0);"
                 "INSERT INTO members (conversation, \"user\", role, since, read, read_counted) VALUES "
                 "(%d, 'sender-%d', 0, 0, 0, 0), (%d, 'peer-%d', 0, 0, 0, 0)", i + 1, i, i + 1, i, i + 1, i);
        run(sql);
    }
    run("COMMIT");
    prepare("begin", "BEGIN");
    prepare("insert",
            "INSERT INTO entries (id, counted, sort, sender, time, client, kind, body) SELECT i, c, 0, s, t, m, 'text', b "
            "FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::bigint[], $5::text[], $6::bytea[]) AS x (i, c, s, t, m, b)");
    prepare("update",
            "UPDATE members SET read = n, read_counted = n FROM (SELECT c, u, max(n) AS n FROM unnest($1::bigint[], "
            "$2::text[], $3::bigint[]) AS x (c, u, n) GROUP BY c, u) AS x WHERE conversation = c AND \"user\" = u");
    prepare("commit", "COMMIT");
    check(PQenterPipelineMode(connection));
    size_t room = (size_t)batch * 256 + 64;
    char *ids = malloc(room), *counted = malloc(room), *senders = malloc(room), *times = malloc(room), *clients = malloc(room),
         *bodies = malloc(room), *places = malloc(room);
    char body[256];
    for (int i = 0; i < 112; i++) sprintf(body + 2 * i, "%02x", i < 9 ? "{\"text\":\""[i] : i < 109 ? 'x' : i < 110 ? '"' : '}');
    body[222] = 0;
    uint64_t begin = now_ns(), end = begin + (uint64_t)(seconds * 1e9);
    long messages = 0, commits = 0;
    int owed = 0;
    while (now_ns() < end) {
        char *i = ids, *n = counted, *s = senders, *t = times, *c = clients, *b = bodies, *p = places;
        for (int k = 0; k < batch; k++, messages++) {
            int64_t conversation = messages % 64 + 1, number = messages / 64 + 1;
            char mark = k ? ',' : '{';
            i += sprintf(i, "%c%lld", mark, (long long)(conversation << 32 | number));
            n += sprintf(n, "%c%lld", mark, (long long)number);
            s += sprintf(s, "%csender-%d", mark, (int)(messages % 64));
            t += sprintf(t, "%c%lld", mark, 1700000000000LL + messages);
            c += sprintf(c, "%cmessage-%ld", mark, messages);
            b += sprintf(b, "%c\"\\\\x%s\"", mark, body);
            p += sprintf(p, "%c%lld", mark, (long long)conversation);
        }
        strcpy(i, "}"), strcpy(n, "}"), strcpy(s, "}"), strcpy(t, "}"), strcpy(c, "}"), strcpy(b, "}"), strcpy(p, "}");
        send_prepared("begin", 0, NULL);
        send_prepared("insert", 6, (const char *[]){ids, counted, senders, times, clients, bodies});
        send_prepared("update", 3, (const char *[]){places, senders, counted});
        send_prepared("commit", 0, NULL);
        check(PQpipelineSync(connection));
        if (owed) take_batch();
        owed = 1;
        commits++;
    }
    if (owed) take_batch();
    printf("{\"messages\":%ld,\"seconds\":%.4f,\"commits\":%ld}\n", messages, (double)(now_ns() - begin) / 1e9, commits);
    return 0;
}
