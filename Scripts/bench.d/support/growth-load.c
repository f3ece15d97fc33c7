// The load for how costs grow: one kind of work at a time, so many units of it, by people of whom each does one at a time.
//
// growth-load PORT WORK PEOPLE UNITS PID TOKENS FIRST [REQUEST]
//
//   WORK  join      leaves a room of two and joins it again, which the other one hears
//         presence  signs out and comes again, which the one hears who watches
//         watched   the same of one whom all others watch; a unit is one of them that hears of it
//         calls     rings another one, who takes it; then hangs up
//         say       writes to another one, in a conversation that the line of JSON names; REQUEST is a number N: each Nth message
//                   has a needle, and none where it is 0
//         ask       asks REQUEST, with a number from 1 to FIRST in the place of each #
//
// The people are those of TOKENS, and user-FIRST is the first of them. Prints one line of JSON; the server's CPU time is that of
// all units but the first tenth.
#include "sio.h"

enum work { JOIN, PRESENCE, WATCHED, CALLS, SAY, ASK };

static const char *const names[] = {"join", "presence", "watched", "calls", "say", "ask"};
static enum work work;
static int people, first, ready, needle, poll_fd;
static uint64_t units, begun, done, begun_at;
static double cpu;
static struct client *clients;
static const char *request;
static char conversation[64];

static struct client *other(struct client *c) { return &clients[(c - clients) ^ 1]; }
static int has_ended(void) { return done >= units; }

static void sign_in(struct client *c) { send_format(c, "40{\"token\":\"%s\"}", tokens[c - clients]); }

/// What a person asks before anything is measured.
static void prepare(struct client *c) {
    int index = (int)(c - clients);
    if (work == JOIN) send_format(c, "420[\"room.join\",{\"room\":\"pair-%d\"}]", first + index / 2);
    else if ((work == PRESENCE && index % 2) || (work == WATCHED && index))
        send_format(c, "420[\"presence.watch\",{\"users\":[\"user-%d\"]}]", work == WATCHED ? first : first + index - 1);
    else if (work == SAY) send_format(c, "420[\"chat.sync\",{\"echo\":false}]");
    else ready++;
}

static void take_joining(struct client *c, char *text, size_t length) {
    (void)length;
    if (text[0] == '0') sign_in(c);
    else if (!strncmp(text, "40", 2)) prepare(c);
    else if (!strncmp(text, "430", 3)) ready++;
    else if (!strncmp(text, "44", 2)) fprintf(stderr, "refused: %s\n", text), exit(1);
}

static void connect_anew(struct client *c) {
    if (c->fd) close(c->fd);
    c->held = 0;
    c->fd = connect_websocket(ports[0], "/socket.io/?EIO=4&transport=websocket");
}

static void watch(struct client *c) {
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = c};
    set_nonblocking(c->fd);
    epoll_ctl(poll_fd, EPOLL_CTL_ADD, c->fd, &event);
}

/// `#` stands for one of the messages.
static void ask(struct client *c) {
    char text[1024], *end = text;
    for (const char *next = request; *next && end < text + sizeof text - 16; next++)
        if (*next == '#') end += sprintf(end, "%d", 1 + (int)((unsigned)rand() % (unsigned)first));
        else *end++ = *next;
    *end = 0;
    send_format(c, "421%s", text);
}

static void begin(struct client *c) {
    int index = (int)(c - clients);
    unsigned long long number = ++begun;
    switch (work) {
    case JOIN: send_format(c, "421[\"room.leave\",{\"room\":\"pair-%d\"}]", first + index / 2); break;
    case PRESENCE: case WATCHED: send_format(c, "41"); connect_anew(c); watch(c); break;
    case CALLS: send_format(c, "421[\"call.invite\",{\"user\":\"user-%d\",\"kind\":\"audio\"}]", first + index + 1); break;
    case SAY:
        send_format(c, "421[\"chat.send\",{\"user\":\"user-%d\",\"id\":\"%d-%llu\",\"body\":{\"text\":\"hay of the %lluth day%s\"}}]",
                    first + 1, (int)getpid(), number, number, needle && number % (unsigned)needle == 0 ? " and a needle" : "");
        break;
    case ASK: ask(c); break;
    }
}

static void complete(struct client *c, uint64_t count) {
    uint64_t before = done;
    done += count;
    if (before < units / 10 && done >= units / 10) cpu = cpu_seconds(pid), begun_at = done;
    if (!has_ended()) begin(c);
}

static void send_call(struct client *c, const char *name, const char *text) {
    char *call = strstr(text, "\"call\":\"");
    if (call) send_format(c, "42[\"call.%s\",{\"call\":\"%.*s\"}]", name, (int)strcspn(call + 8, "\""), call + 8);
}

static void take_call(struct client *c, const char *text) {
    int is_caller = (c - clients) % 2 == 0;
    if (strstr(text, "[\"call.incoming\"")) send_call(c, "ringing", text), send_call(c, "accept", text);
    else if (strstr(text, "[\"call.connected\"") && is_caller) send_call(c, "hangup", text);
    else if (strstr(text, "[\"call.ended\"") && is_caller) complete(c, 1);
}

/// A unit of presence is over when the watched one is in again and who watches heard both.
static void take_presence(struct client *c, const char *text) {
    struct client *watched = work == WATCHED ? clients : (c - clients) % 2 ? other(c) : c;
    if (c == watched && text[0] == '0') sign_in(c);
    else if (c == watched && !strncmp(text, "40", 2)) watched->acked = 1;
    else if (c != watched && strstr(text, "[\"presence\"") && strstr(text, "\"online\":true")) watched->delivered++;
    int hearers = work == WATCHED ? people - 1 : 1;
    if (!watched->acked || watched->delivered < hearers) return;
    watched->acked = watched->delivered = 0;
    complete(watched, (uint64_t)hearers);
}

static void take_joined(struct client *c, const char *text) {
    if (!strncmp(text, "431", 3)) send_format(c, "422[\"room.join\",{\"room\":\"pair-%d\"}]", first + (int)(c - clients) / 2);
    else if (!strncmp(text, "432", 3)) complete(c, 1);
}

static void take(struct client *c, char *text, size_t length) {
    (void)length;
    if (!strncmp(text, "43", 2) && strstr(text, "{\"error\"")) fprintf(stderr, "not done: %s\n", text), exit(1);
    if (work == CALLS) return take_call(c, text);
    if (work == JOIN) return take_joined(c, text);
    if (work == PRESENCE || work == WATCHED) return take_presence(c, text);
    if (strncmp(text, "431", 3)) return;
    char *name = strstr(text, "\"conversation\":\"");
    if (work == SAY && name) sscanf(name + 16, "%63[^\"]", conversation);
    complete(c, 1);
}

static void connect_all(void) {
    for (int i = 0; i < people; i++) {
        connect_anew(&clients[i]);
        for (int before = ready; ready == before;) receive(&clients[i], take_joining);
        watch(&clients[i]);
    }
}

/// Those who begin: one of two, the one whom all watch, or one with many on the way.
static void begin_all(void) {
    if (work == WATCHED) return begin(&clients[0]);
    if (work == SAY || work == ASK)
        for (int i = 0; i < (work == SAY ? 64 : 1); i++) begin(&clients[0]);
    else
        for (int i = 0; i < people; i += 2) begin(&clients[i]);
}

int main(int argc, char **argv) {
    if (argc < 8) return fprintf(stderr, "usage: growth-load PORT WORK PEOPLE UNITS PID TOKENS FIRST [REQUEST]\n"), 64;
    raise_descriptor_limit();
    for (work = JOIN; strcmp(argv[2], names[work]); work++)
        if (work == ASK) return fprintf(stderr, "no such work: %s\n", argv[2]), 64;
    people = atoi(argv[3]);
    units = strtoull(argv[4], NULL, 10);
    read_servers(argv[1], argv[5]);
    read_tokens(argv[6], people);
    first = atoi(argv[7]);
    request = argc > 8 ? argv[8] : "";
    needle = work == SAY ? atoi(request) : 0;
    clients = calloc((size_t)people, sizeof *clients);
    poll_fd = epoll_create1(0);
    connect_all();
    cpu = cpu_seconds(pid);
    begin_all();
    for (struct epoll_event events[512]; !has_ended();) {
        int n = epoll_wait(poll_fd, events, 512, 100);
        for (int i = 0; i < n; i++) receive(events[i].data.ptr, take);
    }
    printf("{\"units\":%llu,\"cpu\":%.6f,\"conversation\":\"%s\"}\n", (unsigned long long)(done - begun_at),
           cpu_seconds(pid) - cpu, conversation);
    return 0;
}
