// The limit: a relay of one thread that asks nobody who they are, and looks up no more than client and channel. It reads and
// answers its clients in batches of 64; what comes from a peer is read until nothing is left. turn-limit PORT
#include "turn.h"

enum { BATCH = 64, SIZE = 2048, MAXIMUM = 8192, SLOTS = 1 << 16 };

static struct relay {
    int fd;
    struct sockaddr_in client, peer;
    uint8_t channel[2];
} relays[MAXIMUM];
static int count, door, slots[SLOTS];
static uint8_t input[BATCH][SIZE], output[BATCH][SIZE];
static struct sockaddr_in peers[BATCH], clients[BATCH];
static struct iovec in[BATCH], out[BATCH];
static struct mmsghdr incoming[BATCH], outgoing[BATCH];
static int leaving;

static unsigned slot(struct sockaddr_in *a) {
    unsigned at = (ntohl(a->sin_addr.s_addr) * 31u + a->sin_port * 7919u) % SLOTS;
    while (slots[at] && (relays[slots[at] - 1].client.sin_port != a->sin_port ||
                         relays[slots[at] - 1].client.sin_addr.s_addr != a->sin_addr.s_addr))
        at = (at + 1) % SLOTS;
    return at;
}

static struct relay *relay_of(struct sockaddr_in *client, int poll) {
    unsigned at = slot(client);
    if (slots[at] || poll < 0) return slots[at] ? &relays[slots[at] - 1] : NULL;
    int size = 1 << 20;
    struct relay *relay = &relays[count];
    struct sockaddr_in address = loopback(0);
    struct epoll_event event = {.events = EPOLLIN, .data.u32 = (uint32_t)++count};
    relay->fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
    setsockopt(relay->fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
    if (bind(relay->fd, (struct sockaddr *)&address, sizeof address)) die("bind");
    epoll_ctl(poll, EPOLL_CTL_ADD, relay->fd, &event);
    relay->client = *client;
    slots[at] = count;
    return relay;
}

static void answer(const uint8_t *request, size_t length, struct sockaddr_in *client, int poll) {
    struct message m;
    struct relay *relay = relay_of(client, poll);
    size_t size = 0;
    begin(&m, get16(request) | SUCCESS, request + 8);
    if (get16(request) == ALLOCATE) {
        struct sockaddr_in address;
        socklen_t space = sizeof address;
        getsockname(relay->fd, (struct sockaddr *)&address, &space);
        add_address(&m, XOR_RELAYED, address);
        add(&m, LIFETIME, "\0\0\2\130", 4);
    } else {
        relay->peer = find_address(request, length, XOR_PEER);
        memcpy(relay->channel, find(request, length, CHANNEL_NUMBER, &size), 2);
    }
    sendto(door, m.bytes, m.length, 0, (struct sockaddr *)client, sizeof *client);
}

static void flush(void) {
    for (int sent = 0; sent < leaving;) {
        int n = sendmmsg(door, outgoing + sent, (unsigned)(leaving - sent), 0);
        sent += n > 0 ? n : 1;
    }
    leaving = 0;
}

static int hear_clients(int poll) {
    for (int i = 0; i < BATCH; i++) incoming[i].msg_hdr.msg_namelen = sizeof peers[i];
    int heard = recvmmsg(door, incoming, BATCH, MSG_DONTWAIT, NULL);
    for (int i = 0; i < heard; i++) {
        if (input[i][0] < 0x40) {
            answer(input[i], incoming[i].msg_len, &peers[i], poll);
            continue;
        }
        struct relay *relay = relay_of(&peers[i], -1);
        if (relay && !memcmp(relay->channel, input[i], 2))
            sendto(relay->fd, input[i] + 4, get16(input[i] + 2), 0, (struct sockaddr *)&relay->peer, sizeof relay->peer);
    }
    return heard;
}

static void hear_peer(struct relay *relay) {
    for (;;) {
        struct sockaddr_in from;
        socklen_t space = sizeof from;
        if (leaving == BATCH) flush();
        uint8_t *bytes = output[leaving];
        ssize_t length = recvfrom(relay->fd, bytes + 4, SIZE - 4, 0, (struct sockaddr *)&from, &space);
        if (length < 0) return;
        if (from.sin_port != relay->peer.sin_port || from.sin_addr.s_addr != relay->peer.sin_addr.s_addr) continue;
        memcpy(bytes, relay->channel, 2);
        put16(bytes + 2, (unsigned)length);
        out[leaving].iov_len = (size_t)length + 4;
        clients[leaving++] = relay->client;
    }
}

int main(int argc, char **argv) {
    int size = 4 << 20, knock = socket(AF_INET, SOCK_STREAM, 0), poll = epoll_create1(0);
    struct sockaddr_in address = loopback(argc > 1 ? atoi(argv[1]) : 0);
    struct epoll_event event = {.events = EPOLLIN}, events[256];
    raise_descriptor_limit();
    door = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
    setsockopt(door, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
    setsockopt(door, SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
    if (bind(door, (struct sockaddr *)&address, sizeof address)) die("bind");
    // Whoever waits for the server knocks here.
    if (bind(knock, (struct sockaddr *)&address, sizeof address) || listen(knock, 8)) die("listen");
    epoll_ctl(poll, EPOLL_CTL_ADD, door, &event);
    for (int i = 0; i < BATCH; i++) {
        in[i] = (struct iovec){input[i], SIZE}, out[i] = (struct iovec){output[i], 0};
        incoming[i].msg_hdr = (struct msghdr){.msg_iov = &in[i], .msg_iovlen = 1, .msg_name = &peers[i]};
        outgoing[i].msg_hdr = (struct msghdr){.msg_iov = &out[i], .msg_iovlen = 1, .msg_name = &clients[i]};
        outgoing[i].msg_hdr.msg_namelen = sizeof clients[i];
    }
    for (;;) {
        int ready = epoll_wait(poll, events, 256, -1);
        for (int i = 0; i < ready; i++) {
            if (events[i].data.u32) hear_peer(&relays[events[i].data.u32 - 1]);
            else while (hear_clients(poll) == BATCH) continue;
        }
        flush();
    }
}
