// The load for chat: people who write to one other each, every message acknowledged when it is on the disk.
//
// chat-load PORT SENDERS DEPTH SECONDS PID TOKENS [RATE]
//
//   DEPTH  messages of each sender on the way, unless RATE messages a second are sent by all together, whatever comes of
//          them; times then count from the moment at which a message was due
//
// Prints one line of JSON; a message counts when it is acknowledged, a delivery when the other one hears of it. The
// server's CPU time is that of all threads of PID within the measured time.
#include "sio.h"

enum { RING = 1 << 16 };

struct sender {
    uint64_t sent_at[RING];
    unsigned first, last;
    long number;
};

static int count, depth, joined;
static double rate;
static struct client *clients;
static struct sender *senders;
static char text[101];

static void take_joining(struct client *c, char *bytes, size_t length) {
    (void)length;
    if (bytes[0] == '0') send_format(c, "40{\"token\":\"%s\",\"recover\":false}", tokens[c - clients]);
    else if (!strncmp(bytes, "40", 2)) send_format(c, "420[\"chat.sync\",{\"echo\":false}]");
    else if (!strncmp(bytes, "430", 3)) joined++;
    else if (!strncmp(bytes, "44", 2)) {
        fprintf(stderr, "refused: %s\n", bytes);
        exit(1);
    }
}

static void say(int index, uint64_t due) {
    struct sender *sender = &senders[index];
    if (sender->last - sender->first >= RING) return;
    sender->sent_at[sender->last++ % RING] = due;
    send_format(&clients[index * 2], "421[\"chat.send\",{\"user\":\"user-%d\",\"id\":\"%d-%d-%ld\",\"body\":{\"text\":\"%s\"}}]",
                index * 2 + 1, (int)getpid(), index, sender->number++, text);
}

static void take(struct client *c, char *bytes, size_t length) {
    int index = (int)(c - clients);
    (void)length;
    if (bytes[1] == '2') deliveries++;
    else if (bytes[1] == '3') {
        struct sender *sender = &senders[index / 2];
        if (strstr(bytes, "{\"error\"")) {
            fprintf(stderr, "not taken: %s\n", bytes);
            exit(1);
        }
        note_latency(sender->sent_at[sender->first++ % RING]);
        messages++;
        if (rate == 0) say(index / 2, now_ns());
    }
}

/// Sends what is due by now.
static void keep_pace(uint64_t start, long *sent) {
    uint64_t time = now_ns();
    long due = (long)((double)(time - start) * rate / 1e9);
    for (; *sent < due; ++*sent) say((int)(*sent % count), start + (uint64_t)((double)*sent * 1e9 / rate));
}

int main(int argc, char **argv) {
    if (argc < 7) return fprintf(stderr, "usage: chat-load PORT SENDERS DEPTH SECONDS PID TOKENS [RATE]\n"), 64;
    raise_descriptor_limit();
    count = atoi(argv[2]);
    depth = atoi(argv[3]);
    seconds = atof(argv[4]);
    read_servers(argv[1], argv[5]);
    read_tokens(argv[6], count * 2);
    rate = argc > 7 ? atof(argv[7]) : 0;
    clients = calloc((size_t)count * 2, sizeof *clients);
    senders = calloc((size_t)count, sizeof *senders);
    memset(text, 'x', sizeof text - 1);
    int ep = epoll_create1(0);
    for (int i = 0; i < count * 2; i++) {
        struct client *c = &clients[i];
        c->fd = connect_websocket(ports[i % port_count], "/socket.io/?EIO=4&transport=websocket");
        for (int before = joined; joined == before;) receive(c, take_joining);
        set_nonblocking(c->fd);
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = c};
        epoll_ctl(ep, EPOLL_CTL_ADD, c->fd, &event);
    }
    struct measurement m = begin_measurement();
    for (int i = 0; i < count && rate == 0; i++)
        for (int d = 0; d < depth; d++) say(i, now_ns());
    struct epoll_event events[512];
    uint64_t start = now_ns();
    long sent = 0;
    while (goes_on(&m)) {
        int n = epoll_wait(ep, events, 512, rate > 0 ? 1 : 100);
        for (int i = 0; i < n; i++) receive(events[i].data.ptr, take);
        if (rate > 0) keep_pace(start, &sent);
    }
    return report_load(m);
}
