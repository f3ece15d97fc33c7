// The limit: a WebSocket server of one thread and one epoll that checks nothing. Nothing real reaches it.
// ws-limit PORT; the path of the request chooses: …/echo sends back, …/broadcast sends to all, each in a write of its own; …/relay sends to
// the other one of a pair (first and second, third and fourth, …) and acknowledges.
#include "common.h"
#include <openssl/evp.h>
#include <openssl/sha.h>

struct conn {
    int fd;
    int open, broadcast;
    struct conn *peer;
    size_t held;
    uint8_t *hold;
    size_t member;
};

static struct conn *conns[1 << 20];
static struct conn *members[1 << 20];
static size_t member_count;
static struct conn *single;
static uint8_t input[1 << 17], output[1 << 18];

static void drop(struct conn *c) {
    if (c->peer) c->peer->peer = NULL;
    if (single == c) single = NULL;
    if (c->broadcast) {
        members[c->member] = members[--member_count];
        members[c->member]->member = c->member;
    }
    close(c->fd);
    free(c->hold);
    conns[c->fd] = NULL;
    free(c);
}

static void write_all(int fd, const uint8_t *bytes, size_t count) {
    while (count > 0) {
        ssize_t n = send(fd, bytes, count, MSG_NOSIGNAL);
        if (n < 0 && errno != EAGAIN) return;
        if (n > 0) bytes += n, count -= (size_t)n;
    }
}

static void shake_hands(struct conn *c, char *request) {
    char *key = strcasestr(request, "Sec-WebSocket-Key: "), text[128], accept[64], answer[256];
    uint8_t digest[20];
    if (!key) die("handshake");
    key += 19;
    snprintf(text, sizeof text, "%.24s258EAFA5-E914-47DA-95CA-C5AB0DC85B11", key);
    SHA1((uint8_t *)text, strlen(text), digest);
    EVP_EncodeBlock((uint8_t *)accept, digest, 20);
    int n = snprintf(answer, sizeof answer,
                     "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                     "Sec-WebSocket-Accept: %s\r\n\r\n",
                     accept);
    write_all(c->fd, (uint8_t *)answer, (size_t)n);
    c->open = 1;
    if (strstr(request, "/relay ")) {
        c->peer = single;
        if (single) single->peer = c;
        single = single ? NULL : c;
    }
    if (strstr(request, "/broadcast ")) {
        c->broadcast = 1;
        c->member = member_count;
        members[member_count++] = c;
    }
}

/// Each message goes out alone.
static void broadcast(const uint8_t *payload, size_t length) {
    static uint8_t frame[1 << 17];
    size_t head = frame_header(frame, 1, length);
    memcpy(frame + head, payload, length);
    for (size_t i = 0; i < member_count; i++) write_all(members[i]->fd, frame, head + length);
}

static void relay(struct conn *c, const uint8_t *payload, size_t length) {
    static const uint8_t ack[] = {0x81, 6, '4', '3', '1', '[', '{', ']'};
    static uint8_t frame[1 << 17];
    size_t head = frame_header(frame, 1, length);
    memcpy(frame + head, payload, length);
    write_all(c->peer->fd, frame, head + length);
    write_all(c->fd, ack, sizeof ack);
}

static size_t serve(struct conn *c, uint8_t *bytes, size_t count) {
    size_t used = 0, out = 0, length;
    uint32_t mask;
    for (;;) {
        size_t head = parse_header(bytes + used, count - used, &length, &mask);
        if (head == 0 || used + head + length > count) break;
        uint8_t *payload = bytes + used + head;
        int opcode = bytes[used] & 15;
        used += head + length;
        if (opcode == 8) {
            drop(c);
            return SIZE_MAX;
        }
        unmask(payload, length, mask);
        if (c->peer) {
            relay(c, payload, length);
            continue;
        }
        if (c->broadcast) {
            broadcast(payload, length);
            continue;
        }
        out += frame_header(output + out, opcode, length);
        memcpy(output + out, payload, length);
        out += length;
    }
    if (out > 0) write_all(c->fd, output, out);
    return used;
}

static void ready(struct conn *c) {
    memcpy(input, c->hold, c->held);
    ssize_t n = read(c->fd, input + c->held, 65536);
    if (n < 0 && errno == EAGAIN) return;
    if (n <= 0) return drop(c);
    size_t count = c->held + (size_t)n, used;
    if (!c->open) {
        input[count] = 0;
        char *end = strstr((char *)input, "\r\n\r\n");
        used = end ? (size_t)(end + 4 - (char *)input) : 0;
        if (end) shake_hands(c, (char *)input);
    } else {
        used = serve(c, input, count);
        if (used == SIZE_MAX) return;
    }
    c->held = count - used;
    if (c->held > 0) {
        c->hold = realloc(c->hold, c->held);
        memcpy(c->hold, input + used, c->held);
    }
}

int main(int argc, char **argv) {
    if (argc != 2) return fprintf(stderr, "usage: ws-limit PORT\n"), 64;
    raise_descriptor_limit();
    struct sockaddr_in address = loopback(atoi(argv[1]));
    int listener = socket(AF_INET, SOCK_STREAM, 0), on = 1, ep = epoll_create1(0);
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, 4096)) die("listen");
    set_nonblocking(listener);
    struct epoll_event event = {.events = EPOLLIN, .data.fd = listener}, events[512];
    epoll_ctl(ep, EPOLL_CTL_ADD, listener, &event);
    for (;;) {
        int n = epoll_wait(ep, events, 512, -1);
        for (int i = 0; i < n; i++) {
            if (events[i].data.fd != listener) {
                if (conns[events[i].data.fd]) ready(conns[events[i].data.fd]);
                continue;
            }
            for (int fd; (fd = accept(listener, NULL, NULL)) >= 0;) {
                set_nonblocking(fd);
                conns[fd] = calloc(1, sizeof(struct conn));
                conns[fd]->fd = fd;
                event.data.fd = fd;
                epoll_ctl(ep, EPOLL_CTL_ADD, fd, &event);
            }
        }
    }
}
