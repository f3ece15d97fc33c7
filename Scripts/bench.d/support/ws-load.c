// The load: many WebSocket clients in one thread.
//
// ws-load PORT PATH echo      CONNS DEPTH SECONDS SIZE PID   every client keeps DEPTH messages on the way
// ws-load PORT PATH broadcast CONNS DEPTH SECONDS SIZE PID   one sender, the next message when all have the last (DEPTH 1),
//                                                            or ten senders with DEPTH messages each on the way
// ws-load PORT PATH idle      CONNS -     SECONDS -    PID   connects and stays
//
// Prints one line of JSON; the server's CPU time is that of all threads of PID within the measured time.
#include "common.h"
#include "process.h"

static int conn_count, depth, size_of_message, pid;
static double seconds;
static char mode;
static int *fds;
struct client {
    size_t held;
    uint8_t hold[256];
    uint64_t received;
};
static struct client *clients;
static uint8_t input[1 << 20], frame[70000];
static size_t frame_size;
static uint64_t deliveries, messages, latency_count;
static uint32_t latencies[1 << 22];
static uint64_t *sent_at;

static int connect_one(int port, const char *path) {
    char request[512], answer[1024];
    struct sockaddr_in address = loopback(port);
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof address)) die("connect");
    int n = snprintf(request, sizeof request,
                     "GET %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                     "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n",
                     path, port);
    if (write(fd, request, (size_t)n) != n) die("write");
    size_t got = 0;
    while (got < sizeof answer - 1) {
        // Byte by byte at the end of the head, so that no frame behind it is swallowed.
        ssize_t m = read(fd, answer + got, 1);
        if (m <= 0) die("handshake");
        got += (size_t)m;
        answer[got] = 0;
        if (got > 4 && !memcmp(answer + got - 4, "\r\n\r\n", 4)) break;
    }
    if (strncmp(answer, "HTTP/1.1 101", 12)) {
        fprintf(stderr, "refused: %s\n", answer);
        exit(1);
    }
    return fd;
}

static void make_frame(void) {
    uint32_t mask = 0x12345678;
    frame_size = frame_header(frame, 1, (size_t)size_of_message);
    frame[1] |= 0x80;
    memcpy(frame + frame_size, &mask, 4);
    frame_size += 4;
    memset(frame + frame_size, 'x', (size_t)size_of_message);
    unmask(frame + frame_size, (size_t)size_of_message, mask);
    frame_size += (size_t)size_of_message;
}

static void send_messages(int client, int count) {
    static uint8_t batch[1 << 20];
    size_t total = 0;
    for (int i = 0; i < count; i++, total += frame_size) memcpy(batch + total, frame, frame_size);
    for (size_t done = 0; done < total;) {
        ssize_t n = write(fds[client], batch + done, total - done);
        if (n < 0 && errno != EAGAIN) die("send");
        if (n > 0) done += (size_t)n;
    }
    sent_at[client] = now_ns();
}

static void note_latency(int client) {
    if (latency_count < sizeof latencies / sizeof *latencies)
        latencies[latency_count++] = (uint32_t)((now_ns() - sent_at[client]) / 1000);
}

/// How many whole messages came for this client.
static int read_messages(int client) {
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
        used += head + length;
        whole++;
    }
    c->held = count - used;
    if (c->held > sizeof c->hold) die("a message larger than the hold");
    memcpy(c->hold, input + used, c->held);
    return whole;
}

static int by_value(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/// Warms up for a tenth of the time, then forgets what it counted and begins to measure.
static double pump(int ep, double *cpu) {
    struct epoll_event events[512];
    uint64_t begin = now_ns() + (uint64_t)(seconds * 1e8), end = begin + (uint64_t)(seconds * 1e9), time;
    int is_measuring = 0;
    int senders = mode == 'b' ? (depth == 1 ? 1 : 10) : 0;
    uint64_t round = 0;
    for (int i = 0; mode == 'b' ? i < senders : i < conn_count; i++) send_messages(i, depth);
    for (;;) {
        int n = epoll_wait(ep, events, 512, 100);
        time = now_ns();
        if (time >= end) {
            *cpu = cpu_seconds(pid) - *cpu;
            return (double)(time - begin) / 1e9;
        }
        if (!is_measuring && time >= begin) {
            is_measuring = 1;
            begin = time;
            deliveries = messages = latency_count = 0;
            *cpu = cpu_seconds(pid);
        }
        for (int i = 0; i < n; i++) {
            int client = events[i].data.fd, whole = read_messages(client);
            deliveries += (uint64_t)whole;
            if (whole == 0) continue;
            if (mode == 'e') {
                messages += (uint64_t)whole;
                note_latency(client);
                send_messages(client, whole);
            } else if (depth == 1) {
                round += (uint64_t)whole;
                if (round < (uint64_t)conn_count) continue;
                round = 0;
                messages++;
                note_latency(0);
                send_messages(0, 1);
            } else if (client < senders) {
                // A sender hears all ten; a tenth of what it hears is its own.
                clients[client].received += (uint64_t)whole;
                int due = (int)(clients[client].received / (uint64_t)senders);
                if (due == 0) continue;
                clients[client].received -= (uint64_t)(due * senders);
                messages += (uint64_t)due;
                note_latency(client);
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
    sent_at = calloc((size_t)conn_count, sizeof *sent_at);
    make_frame();
    int ep = epoll_create1(0);
    long before_kib = resident_kib(pid);
    double before_cpu = cpu_seconds(pid);
    uint64_t start = now_ns();
    for (int i = 0; i < conn_count; i++) {
        fds[i] = connect_one(port, argv[2]);
        set_nonblocking(fds[i]);
        struct epoll_event event = {.events = EPOLLIN, .data.fd = i};
        epoll_ctl(ep, EPOLL_CTL_ADD, fds[i], &event);
    }
    double connect_cpu = cpu_seconds(pid) - before_cpu, connect_seconds = (double)(now_ns() - start) / 1e9;
    if (mode == 'i') {
        usleep((useconds_t)(seconds * 1e6));
        printf("{\"connections\":%d,\"kib_each\":%.3f,\"cpu_us_each\":%.2f,\"connect_seconds\":%.3f}\n", conn_count,
               (double)(resident_kib(pid) - before_kib) / conn_count, connect_cpu * 1e6 / conn_count, connect_seconds);
        return 0;
    }
    double cpu = 0, measured = pump(ep, &cpu);
    qsort(latencies, latency_count, sizeof *latencies, by_value);
    printf("{\"messages\":%llu,\"deliveries\":%llu,\"seconds\":%.3f,\"cpu\":%.6f,\"p50_us\":%u,\"p99_us\":%u}\n",
           (unsigned long long)messages, (unsigned long long)deliveries, measured, cpu,
           latency_count ? latencies[latency_count / 2] : 0, latency_count ? latencies[latency_count * 99 / 100] : 0);
    return 0;
}
