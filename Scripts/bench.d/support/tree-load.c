// The load: clients of the realtime tree, as its SDKs speak, in one thread.
//
// tree-load PORT listen CONNS RATE  SECONDS PID   the first writes so often a second, and all listen
// tree-load PORT write  CONNS DEPTH SECONDS PID   each keeps DEPTH writes of its own on the way
// tree-load PORT query  CONNS DEPTH SECONDS PID   each keeps DEPTH questions for the last 25 of /list on the way
//
// Prints one line of JSON; the server's CPU time is that of all threads of PID within the measured time.
#include "load.h"

enum { HOLD = 1 << 17, ON_THE_WAY = 64 };
static int conn_count, depth;
static char mode;
struct client {
    int fd;
    size_t held;
    uint8_t *hold;
    long number;
    /// When each request on the way was sent, by its number.
    uint64_t asked_at[ON_THE_WAY];
};
static struct client *clients;
static uint64_t written_at[1 << 16];
static uint8_t input[1 << 20];

static void say(struct client *c, const char *text) {
    static uint8_t frame[4096];
    uint32_t mask = 0x12345678;
    size_t length = strlen(text), size = frame_header(frame, 1, length);
    frame[1] |= 0x80;
    memcpy(frame + size, &mask, 4);
    size += 4;
    memcpy(frame + size, text, length);
    unmask(frame + size, length, mask);
    write_all(c->fd, frame, size + length);
}

static void ask(struct client *c) {
    char text[512];
    long number = ++c->number;
    if (mode == 'l') {
        written_at[number & 0xFFFF] = now_ns();
        snprintf(text, sizeof text, "{\"t\":\"d\",\"d\":{\"r\":%ld,\"a\":\"p\",\"b\":{\"p\":\"/bench/%ld\",\"d\":"
                 "{\"senderId\":\"user-0\",\"number\":%ld,\"text\":\"%0*d\"}}}}", number, number % 1000, number, 80, 0);
    } else if (mode == 'w') {
        snprintf(text, sizeof text, "{\"t\":\"d\",\"d\":{\"r\":%ld,\"a\":\"p\",\"b\":{\"p\":\"/write/%d/%ld\",\"d\":"
                 "{\"senderId\":\"user-0\",\"text\":\"%0*d\"}}}}", number, (int)(c - clients), number % 100, 100, 0);
    } else {
        snprintf(text, sizeof text, "{\"t\":\"d\",\"d\":{\"r\":%ld,\"a\":\"g\",\"b\":{\"p\":\"/list\",\"q\":"
                 "{\"l\":25,\"vf\":\"r\",\"i\":\".key\"}}}}", number);
    }
    c->asked_at[number % ON_THE_WAY] = now_ns();
    say(c, text);
}

static void take(struct client *c, const char *text, size_t length) {
    static const char answer[] = "{\"t\":\"d\",\"d\":{\"r\":", news[] = "{\"t\":\"d\",\"d\":{\"a\":\"d\"";
    if (length > sizeof news && !memcmp(text, news, sizeof news - 1)) {
        deliveries++;
        const char *number = memmem(text, length, "\"number\":", 9);
        if (number) note_latency(written_at[strtol(number + 9, NULL, 10) & 0xFFFF]);
    } else if (length > sizeof answer && !memcmp(text, answer, sizeof answer - 1)) {
        if (!memmem(text, length, "\"s\":\"ok\"", 8)) die("refused");
        messages++;
        if (mode == 'l') return;
        note_latency(c->asked_at[strtol(text + sizeof answer - 1, NULL, 10) % ON_THE_WAY]);
        ask(c);
    }
}

/// Hands on each whole message.
static int receive(struct client *c) {
    memcpy(input, c->hold, c->held);
    ssize_t n = read(c->fd, input + c->held, sizeof input - c->held - 1);
    if (n < 0 && errno == EAGAIN) return 0;
    if (n <= 0) die("the server closed a connection");
    size_t count = c->held + (size_t)n, used = 0, length;
    uint32_t mask;
    int whole = 0;
    for (;; whole++) {
        size_t head = parse_header(input + used, count - used, &length, &mask);
        if (head == 0 || used + head + length > count) break;
        take(c, (const char *)input + used + head, length);
        used += head + length;
    }
    c->held = count - used;
    if (c->held > HOLD) die("a message larger than the hold");
    memcpy(c->hold, input + used, c->held);
    return whole;
}

/// Signs in, and listens where that is what is measured. Answers come one by one while the socket blocks.
static void join(struct client *c) {
    receive(c);
    say(c, "{\"t\":\"d\",\"d\":{\"r\":1,\"a\":\"gauth\",\"b\":{\"cred\":\"owner\"}}}");
    c->number = 1;
    for (char kept = mode; messages == 0; mode = kept) {
        mode = 'l';
        receive(c);
    }
    messages = 0;
    if (mode != 'l') return;
    say(c, "{\"t\":\"d\",\"d\":{\"r\":2,\"a\":\"q\",\"b\":{\"p\":\"/bench\",\"h\":\"\"}}}");
    c->number = 2;
    while (messages == 0) receive(c);
    messages = deliveries = 0;
}

static struct measurement pump(int ep) {
    struct epoll_event events[512];
    struct measurement measurement = begin_measurement();
    uint64_t start = now_ns();
    long said = 0;
    if (mode != 'l')
        for (int i = 0; i < conn_count * depth; i++) ask(&clients[i % conn_count]);
    for (;;) {
        int n = epoll_wait(ep, events, 512, 1);
        if (!goes_on(&measurement)) return measurement;
        for (; mode == 'l' && (double)said < (double)(now_ns() - start) * depth / 1e9; said++) ask(&clients[0]);
        for (int i = 0; i < n; i++) receive(&clients[events[i].data.fd]);
    }
}

int main(int argc, char **argv) {
    if (argc != 7) return fprintf(stderr, "usage: tree-load PORT MODE CONNS DEPTH SECONDS PID\n"), 64;
    raise_descriptor_limit();
    mode = argv[2][0];
    conn_count = atoi(argv[3]);
    depth = atoi(argv[4]);
    if (mode != 'l' && depth > ON_THE_WAY) die("too many on the way");
    seconds = atof(argv[5]);
    pid = atoi(argv[6]);
    clients = calloc((size_t)conn_count, sizeof *clients);
    int ep = epoll_create1(0);
    for (int i = 0; i < conn_count; i++) {
        struct client *c = &clients[i];
        c->hold = malloc(HOLD);
        c->fd = connect_websocket(atoi(argv[1]), "/.ws?v=5&ns=bench");
        join(c);
        set_nonblocking(c->fd);
        struct epoll_event event = {.events = EPOLLIN, .data.fd = i};
        epoll_ctl(ep, EPOLL_CTL_ADD, c->fd, &event);
    }
    return report_load(pump(ep));
}
