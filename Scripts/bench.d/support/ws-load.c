// The load: many WebSocket clients in one thread.
//
// ws-load PORT PATH echo      CONNS DEPTH SECONDS SIZE PID   every client keeps DEPTH messages on the way
// ws-load PORT PATH broadcast CONNS DEPTH SECONDS SIZE PID   one sender, the next message when all have the last (DEPTH 1),
//                                                            or ten senders with DEPTH messages each on the way, timed at
//                                                            each 64th receiver
// ws-load PORT PATH idle      CONNS -     SECONDS -    PID   connects and stays
//
// Prints one line of JSON; the server's CPU time is that of all threads of PID within the measured time.
#include "load.h"

static int conn_count, depth, size_of_message;
static char mode;
static int *fds;
/// Written in hexadecimal in front of each message: when it was sent, so that its time is its own however many are on the way.
enum { STAMP = 16, SAMPLED = 64 };
struct client {
    size_t held;
    uint8_t hold[256];
    uint64_t received;
};
static struct client *clients;
static uint8_t input[1 << 20], frame[70000];
static size_t frame_size, frame_head;
static const uint32_t mask_of_frames = 0x12345678;

static void make_frame(void) {
    frame_head = frame_header(frame, 1, (size_t)size_of_message);
    frame[1] |= 0x80;
    memcpy(frame + frame_head, &mask_of_frames, 4);
    frame_head += 4;
    memset(frame + frame_head, 'x', (size_t)size_of_message);
    unmask(frame + frame_head, (size_t)size_of_message, mask_of_frames);
    frame_size = frame_head + (size_t)size_of_message;
}

static void stamp_frame(void) {
    char text[STAMP + 1];
    snprintf(text, sizeof text, "%016llx", (unsigned long long)now_ns());
    unmask((uint8_t *)text, STAMP, mask_of_frames);
    memcpy(frame + frame_head, text, STAMP);
}

static void send_messages(int client, int count) {
    static uint8_t batch[1 << 20];
    size_t total = 0;
    stamp_frame();
    for (int i = 0; i < count; i++, total += frame_size) memcpy(batch + total, frame, frame_size);
    write_all(fds[client], batch, total);
}

/// How many whole messages came for this client. With `is_timed` each of their times is noted.
static int read_messages(int client, int is_timed, uint64_t *last_sent) {
    struct client *c = &clients[client];
    memcpy(input, c->hold, c->held);
    ssize_t n = read(fds[client], input + c->held, 65536);
    if (n < 0 && errno == EAGAIN) return 0;
    if (n <= 0) die("the server closed a connection");
    size_t count = c->held + (size_t)n, used = 0, length;
    uint32_t mask;
    int whole = 0;
    for (;;) {
        size_t head = parse_header(input + used, count - used, &length, &mask);
        if (head == 0 || used + head + length > count) break;
        char stamp[STAMP + 1] = {0};
        memcpy(stamp, input + used + head, STAMP);
        *last_sent = strtoull(stamp, NULL, 16);
        if (is_timed) note_latency(*last_sent);
        used += head + length;
        whole++;
    }
    c->held = count - used;
    if (c->held > sizeof c->hold) die("a message larger than the hold");
    memcpy(c->hold, input + used, c->held);
    return whole;
}

static struct measurement pump(int ep) {
    struct epoll_event events[512];
    struct measurement measurement = begin_measurement();
    int senders = mode == 'b' ? (depth == 1 ? 1 : 10) : 0;
    uint64_t round = 0;
    for (int i = 0; mode == 'b' ? i < senders : i < conn_count; i++) send_messages(i, depth);
    for (;;) {
        int n = epoll_wait(ep, events, 512, 100);
        if (!goes_on(&measurement)) return measurement;
        for (int i = 0; i < n; i++) {
            uint64_t sent = 0;
            int client = events[i].data.fd, is_pipeline = mode == 'b' && depth > 1;
            int whole = read_messages(client, mode == 'e' || (is_pipeline && client % SAMPLED == 0), &sent);
            deliveries += (uint64_t)whole;
            if (whole == 0) continue;
            if (mode == 'e') {
                messages += (uint64_t)whole;
                send_messages(client, whole);
            } else if (depth == 1) {
                round += (uint64_t)whole;
                if (round < (uint64_t)conn_count) continue;
                round = 0;
                messages++;
                note_latency(sent);
                send_messages(0, 1);
            } else if (client < senders) {
                // A sender hears all ten; a tenth of what it hears is its own.
                clients[client].received += (uint64_t)whole;
                int due = (int)(clients[client].received / (uint64_t)senders);
                if (due == 0) continue;
                clients[client].received -= (uint64_t)(due * senders);
                messages += (uint64_t)due;
                send_messages(client, due);
            }
        }
    }
}

int main(int argc, char **argv) {
    if (argc != 9) return fprintf(stderr, "usage: ws-load PORT PATH MODE CONNS DEPTH SECONDS SIZE PID\n"), 64;
    raise_descriptor_limit();
    int port = atoi(argv[1]);
    mode = argv[3][0];
    conn_count = atoi(argv[4]);
    depth = atoi(argv[5]);
    seconds = atof(argv[6]);
    size_of_message = atoi(argv[7]);
    pid = atoi(argv[8]);
    fds = calloc((size_t)conn_count, sizeof *fds);
    clients = calloc((size_t)conn_count, sizeof *clients);
    if (mode != 'i' && size_of_message < STAMP) return fprintf(stderr, "a message has at least %d bytes\n", STAMP), 64;
    if (mode != 'i') make_frame();
    int ep = epoll_create1(0);
    struct baseline before = take_baseline();
    for (int i = 0; i < conn_count; i++) {
        fds[i] = connect_websocket(port, argv[2]);
        set_nonblocking(fds[i]);
        struct epoll_event event = {.events = EPOLLIN, .data.fd = i};
        epoll_ctl(ep, EPOLL_CTL_ADD, fds[i], &event);
    }
    return mode == 'i' ? report_idle(before, conn_count) : report_load(pump(ep));
}
