// What the load generators share: connecting, a measured time after a warm-up, and the line of JSON at the end.
#pragma once

#include "servers.h"

/// For how long.
static double seconds;

static uint64_t deliveries, messages;
static uint32_t latencies[1 << 22];
static size_t latency_count;

static void note_latency(uint64_t since) {
    if (latency_count < sizeof latencies / sizeof *latencies)
        latencies[latency_count++] = (uint32_t)((now_ns() - since) / 1000);
}

static void write_all(int fd, const uint8_t *bytes, size_t count) {
    for (size_t done = 0; done < count;) {
        ssize_t n = write(fd, bytes + done, count - done);
        if (n < 0 && errno != EAGAIN) die("send");
        if (n > 0) done += (size_t)n;
    }
}

/// A WebSocket that is still blocking.
static int connect_websocket(int port, const char *path) {
    char request[512], answer[2048];
    struct sockaddr_in address = loopback(port);
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof address)) die("connect");
    int n = snprintf(request, sizeof request,
                     "GET %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                     "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n",
                     path, port);
    if (write(fd, request, (size_t)n) != n) die("write");
    for (size_t got = 0; got < sizeof answer - 1;) {
        // Byte by byte, so that no frame behind the head is swallowed.
        if (read(fd, answer + got, 1) <= 0) die("handshake");
        answer[++got] = 0;
        if (got > 4 && !memcmp(answer + got - 4, "\r\n\r\n", 4)) break;
    }
    if (strncmp(answer, "HTTP/1.1 101", 12)) {
        fprintf(stderr, "refused: %s\n", answer);
        exit(1);
    }
    return fd;
}

/// What a server costs before anybody is there.
struct baseline {
    long kib;
    double cpu;
    uint64_t start;
};

static struct baseline take_baseline(void) { return (struct baseline){resident_kib(pid), cpu_of_all(), now_ns()}; }

/// Stays for a while, then says what each of those who connected costs.
static int report_idle(struct baseline before, int connections) {
    double cpu = cpu_of_all() - before.cpu, connecting = (double)(now_ns() - before.start) / 1e9;
    usleep((useconds_t)(seconds * 1e6));
    printf("{\"connections\":%d,\"kib_each\":%.3f,\"cpu_us_each\":%.2f,\"connect_seconds\":%.3f}\n", connections,
           (double)(resident_kib(pid) - before.kib) / connections, cpu * 1e6 / connections, connecting);
    return 0;
}

/// The measured time: it begins when a tenth of it has passed, and what was counted before is forgotten then.
struct measurement {
    uint64_t begin, end;
    int is_running;
    double cpu, length;
};

static struct measurement begin_measurement(void) {
    uint64_t begin = now_ns() + (uint64_t)(seconds * 1e8);
    return (struct measurement){.begin = begin, .end = begin + (uint64_t)(seconds * 1e9)};
}

/// Looks at the clock. False when the time is over, and `cpu` and `length` say what it took.
static int goes_on(struct measurement *m) {
    uint64_t time = now_ns();
    if (time >= m->end) {
        m->cpu = cpu_of_all() - m->cpu;
        m->length = (double)(time - m->begin) / 1e9;
        return 0;
    }
    if (!m->is_running && time >= m->begin) {
        m->is_running = 1;
        m->begin = time;
        deliveries = messages = latency_count = 0;
        m->cpu = cpu_of_all();
    }
    return 1;
}

static int by_value(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static int report_load(struct measurement m) {
    qsort(latencies, latency_count, sizeof *latencies, by_value);
    printf("{\"messages\":%llu,\"deliveries\":%llu,\"seconds\":%.3f,\"cpu\":%.6f,\"p50_us\":%u,\"p99_us\":%u}\n",
           (unsigned long long)messages, (unsigned long long)deliveries, m.length, m.cpu,
           latency_count ? latencies[latency_count / 2] : 0, latency_count ? latencies[latency_count * 99 / 100] : 0);
    return 0;
}
