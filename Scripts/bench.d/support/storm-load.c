// A reconnect storm: COUNT clients in rooms of ten are cut at the same moment and come back to what they missed.
//
// storm-load PORT COUNT PID TOKENS
//
// PORT and PID may be lists with commas: then all COUNT clients are with the first server, which is killed, and come back to the
// others, where everybody else is.
//
// Each room has a narrator besides, who is not cut and says one numbered sentence a second, before, during and after the
// storm; in the end everybody must have heard every sentence of their room, once and in order. Of a server that was killed:
// nothing twice, but what was said while a client was away is not kept there. A room of twenty in a
// process of its own stands by: how long its words take is told before and during the storm, from the sender's clock to
// the kernel's stamp on what arrives.
//
// Prints one line of JSON.
#include "servers.h"
#include <signal.h>
#include <sys/wait.h>

enum { ROOM = 10, BYSTANDERS = 20 };
enum state { GONE, CONNECTING, SHAKING, OPENING, JOINING, HERE };

struct client {
    int fd, port, room, heard, lost, doubled, is_narrator;
    enum state state;
    uint64_t again;
    size_t held;
    char hold[8192];
    char sid[32], key[64], offset[32], instead[32];
    const char *token;
};

static int count, rooms, ep, present, recovered, replaced, refused, put_off, away;
static struct client *clients;
static int *said;

static uint64_t wall_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void send_text(struct client *c, const char *text, size_t length) {
    uint8_t frame[4096];
    size_t head = frame_header(frame, 1, length);
    frame[1] |= 0x80;
    memset(frame + head, 0, 4);
    memcpy(frame + head + 4, text, length);
    if (write(c->fd, frame, head + 4 + length) != (ssize_t)(head + 4 + length)) die("send");
}

static void watch(struct client *c, uint32_t events, int operation) {
    struct epoll_event event = {.events = events, .data.ptr = c};
    if (epoll_ctl(ep, operation, c->fd, &event)) die("epoll_ctl");
}

/// A server that is not the first, where there are several.
static int other_port(int number) { return port_count > 1 ? ports[1 + number % (port_count - 1)] : ports[0]; }

static void begin(struct client *c) {
    struct sockaddr_in address = loopback(c->port);
    c->fd = socket(AF_INET, SOCK_STREAM, 0);
    if (c->fd < 0) die("socket");
    set_nonblocking(c->fd);
    if (connect(c->fd, (struct sockaddr *)&address, sizeof address) && errno != EINPROGRESS) die("connect");
    c->state = CONNECTING;
    c->held = 0;
    watch(c, EPOLLOUT, EPOLL_CTL_ADD);
}

static void cut(struct client *c) {
    struct linger none = {.l_onoff = 1};
    setsockopt(c->fd, SOL_SOCKET, SO_LINGER, &none, sizeof none);
    close(c->fd);
    c->fd = -1;
    c->state = GONE;
    present--;
}

static void tcp_connected(struct client *c) {
    int error = 0;
    socklen_t size = sizeof error;
    getsockopt(c->fd, SOL_SOCKET, SO_ERROR, &error, &size);
    if (error) {
        close(c->fd);
        return begin(c);
    }
    char request[512];
    int n = snprintf(request, sizeof request,
                     "GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nUpgrade: websocket\r\n"
                     "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                     "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n",
                     c->port);
    if (write(c->fd, request, (size_t)n) != n) die("write");
    c->state = SHAKING;
    watch(c, EPOLLIN, EPOLL_CTL_MOD);
}

static void opened(struct client *c) {
    char text[2048];
    int n = c->key[0] ? snprintf(text, sizeof text, "40{\"token\":\"%s\",\"recover\":true,\"pid\":\"%s\"%s%s%s}", c->token, c->key,
                                 c->offset[0] ? ",\"offset\":\"" : "", c->offset, c->offset[0] ? "\"" : "")
                      : snprintf(text, sizeof text, "40{\"token\":\"%s\",\"recover\":true}", c->token);
    send_text(c, text, (size_t)n);
}

static void arrive(struct client *c) {
    c->state = HERE;
    present++;
}

static void socket_connected(struct client *c, const char *text) {
    char sid[32] = "";
    const char *at = strstr(text, "\"sid\":\""), *key = strstr(text, "\"pid\":\"");
    if (at) sscanf(at + 7, "%31[^\"]", sid);
    if (key) sscanf(key + 7, "%63[^\"]", c->key);
    int is_same = !strcmp(sid, c->sid);
    strcpy(c->sid, sid);
    if (!is_same) return;
    recovered++;
    arrive(c);
}

/// Comes anew, or in the place that it had on a server that died.
static void welcomed(struct client *c, const char *text) {
    if (c->state == HERE) return;
    const char *instead = strstr(text, "\"instead\":\"");
    c->instead[0] = 0;
    if (instead) sscanf(instead + 11, "%31[^\"]", c->instead);
    int replaces = c->instead[0] != 0;
    char request[192];
    int n = snprintf(request, sizeof request, "420[\"room.join\",{\"room\":\"storm-%d\"%s%s%s}]", c->room,
                     replaces ? ",\"replaces\":\"" : "", c->instead, replaces ? "\"" : "");
    c->state = JOINING;
    send_text(c, request, (size_t)n);
}

static void joined(struct client *c, const char *text) {
    if (strstr(text, "\"error\"")) {
        refused++;
        fprintf(stderr, "%s\n", text);
        return;
    }
    if (c->instead[0]) replaced++;
    arrive(c);
}

static void heard(struct client *c, const char *text) {
    const char *number = strstr(text, "\"data\":"), *end = strrchr(text, '"');
    const char *offset = end;
    while (offset > text && offset[-1] != '"') offset--;
    size_t length = (size_t)(end - offset);
    if (length < sizeof c->offset) {
        memcpy(c->offset, offset, length);
        c->offset[length] = 0;
    }
    if (!number) return;
    int said_now = atoi(number + 7);
    if (said_now <= c->heard) c->doubled++;
    else c->lost += said_now - c->heard - 1;
    if (said_now > c->heard) c->heard = said_now;
}

static void take(struct client *c, char *text) {
    if (!strcmp(text, "2")) send_text(c, "3", 1);
    else if (text[0] == '0') opened(c);
    else if (!strncmp(text, "40", 2)) socket_connected(c, text);
    else if (!strncmp(text, "430", 3)) joined(c, text);
    else if (!strncmp(text, "42[\"welcome\"", 12)) welcomed(c, text);
    else if (!strncmp(text, "42", 2)) heard(c, text);
    else if (!strncmp(text, "44", 2)) refused++, fprintf(stderr, "%s\n", text);
}

static void take_messages(struct client *c) {
    size_t used = 0, length;
    uint32_t mask;
    for (;;) {
        size_t head = parse_header((uint8_t *)c->hold + used, c->held - used, &length, &mask);
        if (head == 0 || used + head + length > c->held) break;
        char *text = c->hold + used + head, after = text[length];
        text[length] = 0;
        take(c, text);
        text[length] = after;
        used += head + length;
    }
    memmove(c->hold, c->hold + used, c->held - used);
    c->held -= used;
}

/// Too many arrive at once: comes again when it was told to.
static void stay_away(struct client *c) {
    const char *wait = strstr(c->hold, "\"retryAfter\":");
    if (strncmp(c->hold, "HTTP/1.1 503", 12) || !wait) fprintf(stderr, "refused: %.60s\n", c->hold), exit(1);
    c->again = now_ns() + strtoull(wait + 13, NULL, 10) * 1000000u;
    close(c->fd);
    c->fd = -1;
    c->state = GONE;
    put_off++, away++;
}

static void come_again(void) {
    for (int i = 0; away && i < count + rooms; i++) {
        if (!clients[i].again || clients[i].again > now_ns()) continue;
        clients[i].again = 0;
        away--;
        begin(&clients[i]);
    }
}

static void readable(struct client *c) {
    ssize_t n = read(c->fd, c->hold + c->held, sizeof c->hold - 1 - c->held);
    if (n < 0 && errno == EAGAIN) return;
    if (n <= 0) {
        if (c->state == HERE) die("the server closed a connection");
        close(c->fd);
        return begin(c);
    }
    c->held += (size_t)n;
    if (c->state == SHAKING) {
        c->hold[c->held] = 0;
        char *end = strstr(c->hold, "\r\n\r\n");
        if (!end) return;
        if (strncmp(c->hold, "HTTP/1.1 101", 12)) return stay_away(c);
        size_t used = (size_t)(end + 4 - c->hold);
        memmove(c->hold, end + 4, c->held - used);
        c->held -= used;
        c->state = OPENING;
    }
    take_messages(c);
}

static void turn(int milliseconds) {
    struct epoll_event events[1024];
    come_again();
    int n = epoll_wait(ep, events, 1024, milliseconds);
    for (int i = 0; i < n; i++) {
        struct client *c = events[i].data.ptr;
        if (c->state == CONNECTING) tcp_connected(c);
        else if (c->state != GONE) readable(c);
    }
}

static void say(struct client *c, int number) {
    char text[128];
    int n = snprintf(text, sizeof text, "42[\"signal\",{\"room\":\"storm-%d\",\"data\":%d}]", c->room, number);
    send_text(c, text, (size_t)n);
}

/// Every narrator speaks once a second, one after the other. Ends when `isOver` says so, at the latest after `limit`.
static double narrate(int (*is_over)(void), double limit) {
    static uint64_t next;
    static int whose;
    uint64_t start = now_ns(), step = 1000000000u / (uint64_t)rooms;
    if (!next) next = start;
    while (!is_over() && (double)(now_ns() - start) / 1e9 < limit) {
        turn(1);
        for (uint64_t now = now_ns(); next <= now; next += step) {
            say(&clients[count + whose], ++said[whose]);
            whose = (whose + 1) % rooms;
        }
    }
    return (double)(now_ns() - start) / 1e9;
}

static void kill_first(void) {
    kill(pids[0], SIGKILL);
    pids[0] = pids[--pid_count];
}

static int never(void) { return 0; }
static int all_here(void) { return present == count + rooms; }

static int all_heard(void) {
    for (int i = 0; i < count; i++)
        if (clients[i].heard < said[clients[i].room]) return 0;
    return 1;
}

static void read_tokens(const char *path, const char **tokens, int wanted) {
    FILE *file = fopen(path, "r");
    char line[4096];
    if (!file) die(path);
    for (int i = 0; i < wanted; i++) {
        if (!fgets(line, sizeof line, file)) fprintf(stderr, "%s has too few tokens\n", path), exit(1);
        line[strcspn(line, "\n")] = 0;
        tokens[i] = strdup(line);
    }
    fclose(file);
}

// MARK: - The bystanders

static uint32_t waits[2][1 << 20];
static size_t wait_count[2];

static int by_value(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/// Reads with the kernel's own time of arrival.
static ssize_t read_stamped(int fd, char *bytes, size_t size, uint64_t *stamp) {
    char control[256];
    struct iovec vector = {bytes, size};
    struct msghdr message = {.msg_iov = &vector, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
    ssize_t n = recvmsg(fd, &message, 0);
    *stamp = wall_ns();
    for (struct cmsghdr *c = CMSG_FIRSTHDR(&message); n > 0 && c; c = CMSG_NXTHDR(&message, c)) {
        if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SO_TIMESTAMPNS) continue;
        struct timespec t;
        memcpy(&t, CMSG_DATA(c), sizeof t);
        *stamp = (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
    }
    return n;
}

static void overhear(struct client *c, int phase) {
    uint64_t stamp;
    ssize_t n = read_stamped(c->fd, c->hold + c->held, sizeof c->hold - 1 - c->held, &stamp);
    if (n <= 0) return;
    c->held += (size_t)n;
    c->hold[c->held] = 0;
    for (char *at = c->hold, *end = c->hold + c->held; at < end; at++) {
        if (strncmp(at, "\"data\":\"", 8)) continue;
        uint64_t sent = strtoull(at + 8, NULL, 10);
        if (sent && wait_count[phase] < sizeof waits[0] / sizeof **waits)
            waits[phase][wait_count[phase]++] = stamp > sent ? (uint32_t)((stamp - sent) / 1000) : 0;
    }
    take_messages(c);
}

static volatile sig_atomic_t phase = -1;
static void next_phase(int signal) { phase = signal == SIGUSR1 ? 0 : signal == SIGUSR2 ? 1 : 2; }

static void stand_by(const char **tokens, int out) {
    static struct client people[BYSTANDERS];
    signal(SIGUSR1, next_phase), signal(SIGUSR2, next_phase), signal(SIGTERM, next_phase);
    ep = epoll_create1(0);
    clients = people, count = BYSTANDERS, rooms = 0, present = 0;
    for (int i = 0; i < BYSTANDERS; i++) {
        people[i] = (struct client){.port = other_port(i), .room = 1000000, .token = tokens[i]};
        begin(&people[i]);
    }
    while (!all_here()) turn(10);
    int on = 1;
    for (int i = 0; i < BYSTANDERS; i++) setsockopt(people[i].fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on);
    if (write(out, "r", 1) != 1) die("pipe");
    for (uint64_t next = now_ns(); phase < 2; next += 5000000) {
        char text[128];
        int n = snprintf(text, sizeof text, "42[\"signal\",{\"room\":\"storm-1000000\",\"data\":\"%llu\"}]",
                         (unsigned long long)wall_ns());
        if (phase >= 0) send_text(&people[0], text, (size_t)n);
        while (now_ns() < next) {
            struct epoll_event events[64];
            int ready = epoll_wait(ep, events, 64, 1);
            for (int i = 0; i < ready; i++) overhear(events[i].data.ptr, phase < 0 ? 0 : phase > 1 ? 1 : phase);
        }
    }
    uint32_t result[4] = {0};
    for (int p = 0; p < 2; p++) {
        qsort(waits[p], wait_count[p], sizeof **waits, by_value);
        if (!wait_count[p]) continue;
        result[2 * p] = waits[p][wait_count[p] / 2];
        result[2 * p + 1] = waits[p][wait_count[p] * 99 / 100];
    }
    if (write(out, result, sizeof result) != sizeof result) die("pipe");
    exit(0);
}

/// In a process of their own; they write into `out` what they have seen.
static pid_t start_bystanders(const char **tokens, int *out) {
    int ends[2];
    char ready;
    if (pipe(ends)) die("pipe");
    pid_t bystanders = fork();
    if (bystanders == 0) stand_by(tokens, ends[1]);
    if (read(ends[0], &ready, 1) != 1) die("bystanders");
    *out = ends[0];
    return bystanders;
}

static void come_in(const char **tokens) {
    said = calloc((size_t)rooms, sizeof *said);
    clients = calloc((size_t)(count + rooms), sizeof *clients);
    ep = epoll_create1(0);
    for (int i = 0; i < count + rooms; i++) {
        int port = i < count ? ports[0] : other_port(i);
        clients[i] = (struct client){.port = port, .room = i % rooms, .is_narrator = i >= count, .token = tokens[i]};
        begin(&clients[i]);
        while (i + 1 - present > 100) turn(10);
    }
    while (!all_here()) turn(10);
}

struct storm {
    double back, cpu;
    long missing, lost, doubled;
};

/// All are cut and come back.
static struct storm raise_storm(void) {
    recovered = replaced = refused = put_off = 0;
    if (port_count > 1) kill_first();
    double cpu = cpu_of_all();
    for (int i = 0; i < count; i++) cut(&clients[i]);
    for (int i = 0; i < count; i++) clients[i].port = other_port(i), begin(&clients[i]);
    double back = narrate(all_here, 60);
    return (struct storm){.back = back, .cpu = cpu_of_all() - cpu, .missing = count + rooms - present};
}

static void count_what_was_heard(struct storm *storm) {
    uint64_t end = now_ns() + 5000000000u;
    while (!all_heard() && now_ns() < end) turn(10);
    for (int i = 0; i < count; i++) {
        storm->lost += clients[i].lost + said[clients[i].room] - clients[i].heard;
        storm->doubled += clients[i].doubled;
    }
}

static void report(struct storm storm, const uint32_t *waits_us) {
    printf("{\"count\":%d,\"missing\":%ld,\"back_seconds\":%.3f,\"recovered\":%d,\"replaced\":%d,\"refused\":%d,\"put_off\":%d,", count,
           storm.missing, storm.back, recovered, replaced, refused, put_off);
    printf("\"lost\":%ld,\"doubled\":%ld,\"cpu_us_each\":%.1f,", storm.lost, storm.doubled, storm.cpu * 1e6 / count);
    printf("\"before_p50_us\":%u,\"before_p99_us\":%u,\"storm_p50_us\":%u,\"storm_p99_us\":%u}\n", waits_us[0], waits_us[1], waits_us[2],
           waits_us[3]);
}

int main(int argc, char **argv) {
    if (argc != 5) return fprintf(stderr, "usage: storm-load PORT COUNT PID TOKENS\n"), 64;
    raise_descriptor_limit();
    read_servers(argv[1], argv[3]);
    count = atoi(argv[2]);
    rooms = count / ROOM;
    const char **tokens = calloc((size_t)(count + rooms + BYSTANDERS), sizeof *tokens);
    read_tokens(argv[4], tokens, count + rooms + BYSTANDERS);
    int out;
    pid_t bystanders = start_bystanders(tokens + count + rooms, &out);
    come_in(tokens);
    kill(bystanders, SIGUSR1);
    narrate(never, 4);
    kill(bystanders, SIGUSR2);
    struct storm storm = raise_storm();
    kill(bystanders, SIGTERM);
    narrate(never, 1);
    count_what_was_heard(&storm);
    uint32_t waits_us[4];
    if (read(out, waits_us, sizeof waits_us) != sizeof waits_us) die("bystanders");
    report(storm, waits_us);
    return 0;
}
