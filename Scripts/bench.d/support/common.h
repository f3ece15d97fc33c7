// What the limit servers and the load generator share: a WebSocket's bytes with nothing around them.
#pragma once

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static void die(const char *what) {
    perror(what);
    exit(1);
}

static inline uint64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void raise_descriptor_limit(void) {
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

static void set_nonblocking(int fd) {
    int on = 1;
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

static struct sockaddr_in loopback(int port) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

/// The header of a server's frame; payloads here stay under 64 KiB.
static inline size_t frame_header(uint8_t *out, int opcode, size_t length) {
    out[0] = (uint8_t)(0x80 | opcode);
    if (length < 126) {
        out[1] = (uint8_t)length;
        return 2;
    }
    out[1] = 126;
    out[2] = (uint8_t)(length >> 8);
    out[3] = (uint8_t)length;
    return 4;
}

/// Reads a frame's header. 0: not all there yet.
static inline size_t parse_header(const uint8_t *bytes, size_t count, size_t *length, uint32_t *mask) {
    size_t used = 2;
    if (count < 2) return 0;
    *length = bytes[1] & 127;
    if (*length == 126) {
        if (count < 4) return 0;
        *length = (size_t)bytes[2] << 8 | bytes[3];
        used = 4;
    }
    *mask = 0;
    if (bytes[1] & 0x80) {
        if (count < used + 4) return 0;
        memcpy(mask, bytes + used, 4);
        used += 4;
    }
    return used;
}

static inline void unmask(uint8_t *bytes, size_t count, uint32_t mask) {
    uint64_t wide = (uint64_t)mask << 32 | mask;
    size_t i = 0;
    for (; i + 8 <= count; i += 8) {
        uint64_t word;
        memcpy(&word, bytes + i, 8);
        word ^= wide;
        memcpy(bytes + i, &word, 8);
    }
    for (; i < count; i++) bytes[i] ^= ((uint8_t *)&mask)[i & 3];
}
