// The load for signalling: many clients of Socket.IO, or of Centrifuge, over WebSocket in one thread.
//
// sio-load KIND PORT MODE COUNT DEPTH SECONDS PID [TOKENS]
//
//   KIND  parley   our own events; TOKENS is a file with one access token a line
//         plain    a Socket.IO server with the events join, offer and say (the peers)
//         centrifuge  a Centrifuge server: a channel for each room, or for each client where they are in pairs
//         limit    ws-limit: the same bytes without Socket.IO
//   MODE  relay      COUNT pairs, each with DEPTH offers of 3 KB on the way, acknowledged
//         broadcast  COUNT members of one room; DEPTH 1: one sender, the next when all have the last;
//                    else ten senders with DEPTH messages each on the way
//         paced      COUNT pairs that together send DEPTH offers a second, whatever comes of them; times count from
//                    the moment at which an offer was due
//         idle       COUNT members of one room, and nothing else
//         couples    COUNT rooms of two, and nothing else
//
// PORT and PID may be lists with commas: clients come to one server after the other, and the time of all counts.
// Prints one line of JSON; the server's CPU time is that of all threads of PID within the measured time.
#include "sio.h"

enum kind { PARLEY, PLAIN, CENTRIFUGE, LIMIT };

static enum kind kind;
static char mode;
static int has_pairs(void) { return mode == 'r' || mode == 'p' || mode == 'c'; }
static int count, depth;
static struct client *clients;
static char offer[3072];
/// In front of what is said: when it was sent or due, in hexadecimal. So its time is its own, however many are on the way.
enum { STAMP = 16, SAMPLED = 64 };

static int joined;

/// The channel on which a client listens.
static int channel(struct client *c) { return has_pairs() ? (int)(c - clients) : 0; }

static void take_subscribing(struct client *c, char *text) {
    if (strstr(text, "\"error\"")) fprintf(stderr, "refused: %s\n", text), exit(1);
    if (!strncmp(text, "{\"id\":1", 7))
        send_format(c, "{\"id\":2,\"method\":1,\"params\":{\"channel\":\"channel-%d\"}}", channel(c));
    else if (!strncmp(text, "{\"id\":2", 7)) joined++;
}

static void take_joining(struct client *c, char *text, size_t length) {
    (void)length;
    int index = (int)(c - clients), room = has_pairs() ? index / 2 : 0;
    if (kind == CENTRIFUGE) return take_subscribing(c, text);
    if (text[0] == '0') {
        if (kind == PARLEY) send_format(c, "40{\"token\":\"%s\",\"recover\":true}", tokens[index]);
        else send_text(c, "40", 2);
    } else if (!strncmp(text, "40", 2)) {
        char *sid = strstr(text, "\"sid\":\"");
        if (sid) sscanf(sid + 7, "%31[^\"]", c->member);
        if (kind == PARLEY) send_format(c, "420[\"room.join\",{\"room\":\"room-%d\"}]", room);
        else send_format(c, "420[\"join\",{\"room\":\"room-%d\"}]", room);
    } else if (!strncmp(text, "430", 3)) {
        joined++;
    } else if (!strncmp(text, "44", 2)) {
        fprintf(stderr, "refused: %s\n", text);
        exit(1);
    }
}

static void connect_one(struct client *c) {
    const char *path = kind == LIMIT ? (has_pairs() ? "/relay" : "/broadcast")
                       : kind == CENTRIFUGE ? "/connection/websocket" : "/socket.io/?EIO=4&transport=websocket";
    c->fd = connect_websocket(ports[(c - clients) % port_count], path);
    int before = joined;
    if (kind == CENTRIFUGE) send_format(c, "{\"id\":1,\"params\":{}}");
    while (kind != LIMIT && joined == before) receive(c, take_joining);
    set_nonblocking(c->fd);
}

static void stamp(char *text, uint64_t time) {
    char digits[STAMP + 1];
    snprintf(digits, sizeof digits, "%016llx", (unsigned long long)time);
    memcpy(text, digits, STAMP);
}

/// What stands behind `key`; nothing where it is missing.
static uint64_t stamp_of(char *text, const char *key) {
    char *found = strstr(text, key), digits[STAMP + 1] = {0};
    if (!found) return 0;
    memcpy(digits, found + strlen(key), STAMP);
    return strtoull(digits, NULL, 16);
}

static void send_offer(struct client *c, uint64_t since) {
    struct client *peer = c + 1;
    stamp(offer, since);
    if (kind == LIMIT) send_format(c, "421[\"signal\",{\"to\":\"%20s\",\"description\":{\"sdp\":\"%s\"}}]", "", offer);
    else if (kind == PARLEY)
        send_format(c,
                    "421[\"signal\",{\"room\":\"room-%d\",\"to\":\"%s\",\"description\":{\"type\":\"offer\",\"sdp\":\"%s\"}}]",
                    (int)(c - clients) / 2, peer->member, offer);
    else if (kind == CENTRIFUGE)
        send_format(c, "{\"id\":3,\"method\":3,\"params\":{\"channel\":\"channel-%d\",\"data\":{\"type\":\"offer\",\"sdp\":\"%s\"}}}",
                    channel(peer), offer);
    else
        send_format(c, "421[\"offer\",{\"room\":\"room-%d\",\"to\":\"%s\",\"description\":{\"type\":\"offer\",\"sdp\":\"%s\"}}]",
                    (int)(c - clients) / 2, peer->member, offer);
}

static void send_word(struct client *c) {
    static char words[] = "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx";
    c->sent_at = now_ns();
    stamp(words, c->sent_at);
    if (kind == PARLEY) send_format(c, "421[\"signal\",{\"room\":\"room-0\",\"data\":\"%s\"}]", words);
    else if (kind == PLAIN) send_format(c, "421[\"say\",{\"room\":\"room-0\",\"data\":\"%s\"}]", words);
    else if (kind == CENTRIFUGE)
        send_format(c, "{\"id\":3,\"method\":3,\"params\":{\"channel\":\"channel-0\",\"data\":{\"data\":\"%s\"}}}", words);
    else send_format(c, "42[\"signal\",{\"room\":\"room-0\",\"data\":\"%s\"}]", words);
}

static int is_ack(const char *text) {
    if (kind != CENTRIFUGE) return text[1] == '3';
    if (strncmp(text, "{\"id\":3", 7)) return 0;
    if (strstr(text, "\"error\"")) fprintf(stderr, "refused: %s\n", text), exit(1);
    return 1;
}

static int is_news(const char *text) { return kind == CENTRIFUGE ? !strncmp(text, "{\"result\":{\"ch", 14) : text[1] == '2'; }

static void take_relayed(struct client *c, char *text, size_t length) {
    int index = (int)(c - clients);
    (void)length;
    if (is_ack(text) && index % 2 == 0) c->acked++;
    else if (is_news(text) && index % 2 == 1) {
        c[-1].delivered++;
        deliveries++;
        note_latency(stamp_of(text, "\"sdp\":\""));
    }
    struct client *sender = index % 2 ? c - 1 : c;
    while (sender->acked > 0 && sender->delivered > 0) {
        sender->acked--, sender->delivered--;
        messages++;
        if (mode == 'r') send_offer(sender, now_ns());
    }
}

static uint64_t round_deliveries;

static void take_broadcast(struct client *c, char *text, size_t length) {
    int index = (int)(c - clients), echoes = kind == LIMIT || kind == CENTRIFUGE, has_acks = kind != LIMIT;
    (void)length;
    if (is_ack(text)) {
        if (depth > 1) {
            messages++;
            send_word(c);
        } else c->acked = 1;
    } else if (is_news(text)) {
        deliveries++, round_deliveries++;
        if (depth > 1 && index % SAMPLED == 0) note_latency(stamp_of(text, "\"data\":\""));
        if (!has_acks && depth > 1 && index < 10 && ++c->delivered == 10) {
            // The limit has no acks: a sender hears all ten and sends one for every ten it hears.
            c->delivered = 0;
            messages++;
            send_word(c);
        }
    }
    uint64_t wanted = (uint64_t)(echoes ? count : count - 1);
    if (depth == 1 && round_deliveries >= wanted && (!has_acks || clients[0].acked)) {
        round_deliveries = 0;
        clients[0].acked = 0;
        messages++;
        note_latency(clients[0].sent_at);
        send_word(&clients[0]);
    }
}

/// Centrifuge sends several replies in one frame, a line each.
static void take_lines(struct client *c, char *text, size_t length) {
    void (*take)(struct client *, char *, size_t) = has_pairs() ? take_relayed : take_broadcast;
    for (char *end; length > 0 && (end = memchr(text, '\n', length)); length -= (size_t)(end + 1 - text), text = end + 1) {
        *end = 0;
        take(c, text, (size_t)(end - text));
    }
    if (length > 0) take(c, text, length);
}

static void take_any(struct client *c, char *text, size_t length) {
    if (kind == CENTRIFUGE) take_lines(c, text, length);
    else if (has_pairs()) take_relayed(c, text, length);
    else take_broadcast(c, text, length);
}

static struct measurement pump_paced(int ep) {
    struct epoll_event events[512];
    struct measurement m = begin_measurement();
    uint64_t due = now_ns(), step = 1000000000u / (uint64_t)depth;
    for (int whose = 0; goes_on(&m);) {
        for (; due <= now_ns(); due += step, whose = (whose + 1) % count) {
            send_offer(&clients[2 * whose], due);
        }
        int n = epoll_wait(ep, events, 512, 1);
        for (int i = 0; i < n; i++) receive(events[i].data.ptr, take_any);
    }
    return m;
}

static struct measurement pump(int ep) {
    struct epoll_event events[512];
    struct measurement measurement = begin_measurement();
    if (mode == 'p') return pump_paced(ep);
    if (mode == 'r')
        for (int i = 0; i < count * 2; i += 2)
            for (int d = 0; d < depth; d++) send_offer(&clients[i], now_ns());
    else
        for (int i = 0; i < (depth == 1 ? 1 : 10); i++)
            for (int d = 0; d < depth; d++) send_word(&clients[i]);
    for (;;) {
        int n = epoll_wait(ep, events, 512, 100);
        if (!goes_on(&measurement)) return measurement;
        for (int i = 0; i < n; i++) receive(events[i].data.ptr, take_any);
    }
}

int main(int argc, char **argv) {
    if (argc < 8) return fprintf(stderr, "usage: sio-load KIND PORT MODE COUNT DEPTH SECONDS PID [TOKENS]\n"), 64;
    raise_descriptor_limit();
    kind = argv[1][0] == 'l' ? LIMIT : argv[1][0] == 'c' ? CENTRIFUGE : argv[1][1] == 'a' ? PARLEY : PLAIN;
    mode = argv[3][0];
    count = atoi(argv[4]);
    depth = atoi(argv[5]);
    seconds = atof(argv[6]);
    read_servers(argv[2], argv[7]);
    int total = has_pairs() ? count * 2 : count;
    if (kind == PARLEY) read_tokens(argv[8], total);
    clients = calloc((size_t)total, sizeof *clients);
    memset(offer, 'o', sizeof offer - 1);
    int ep = epoll_create1(0);
    struct baseline before = take_baseline();
    for (int i = 0; i < total; i++) {
        connect_one(&clients[i]);
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = &clients[i]};
        epoll_ctl(ep, EPOLL_CTL_ADD, clients[i].fd, &event);
    }
    return mode == 'i' || mode == 'c' ? report_idle(before, total) : report_load(pump(ep));
}
