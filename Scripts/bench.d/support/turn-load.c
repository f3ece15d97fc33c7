// The load on a TURN server: allocations with a channel each, and packets both ways at an even pace, or as fast as they come
// back. Every packet carries its flow and its number.
//
// turn-load PORT PID SECRET KIND ALLOCATIONS BURSTS SIZE PACKETS SECONDS
//   KIND        peers: each allocation talks with a peer of its own; relays: with the next allocation
//   BURSTS      so many a second from each end; 0: SECONDS is a number of packets, sent as they come back
//   PACKETS     of a burst, equal ones handed to the kernel as one (UDP_SEGMENT), as a network card would hand them over
//
// Prints one line of JSON; the server's CPU time is that of all threads of PID within the measured time.
#include "turn.h"

#include <netinet/udp.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "process.h"

enum { MAXIMUM = 8192, SIZE = 2048, WINDOW = 2, CHANNEL = 0x4001 };

static struct end {
    int fd, flow;  // of what it sends
    int channel;   // whether it is a client
    struct sockaddr_in to;
    uint32_t sent, heard;
    uint64_t due;
} ends[2 * MAXIMUM];
static struct sockaddr_in server, relayed[MAXIMUM];
static const char *secret;
static int end_count, packets, packet_size;
static uint64_t sent, heard, foreign, total;

// MARK: One client's requests

static void sign(struct message *m, const char *user, const uint8_t *realm, size_t realm_size, const uint8_t *nonce, size_t nonce_size) {
    uint8_t code[20], key[16];
    char password[64], text[400];
    unsigned length = 20;
    HMAC(EVP_sha1(), secret, (int)strlen(secret), (const uint8_t *)user, strlen(user), code, &length);
    EVP_EncodeBlock((uint8_t *)password, code, 20);
    int size = snprintf(text, sizeof text, "%s:%.*s:%s", user, (int)realm_size, (const char *)realm, password);
    EVP_Digest(text, (size_t)size, key, NULL, EVP_md5(), NULL);
    add(m, USERNAME, user, strlen(user));
    add(m, REALM, realm, realm_size);
    add(m, NONCE, nonce, nonce_size);
    put16(m->bytes + 2, (unsigned)m->length - 20 + 24);
    HMAC(EVP_sha1(), key, 16, m->bytes, m->length, code, &length);
    add(m, INTEGRITY, code, 20);
}

static size_t ask(int fd, struct message *m, uint8_t *answer) {
    for (int attempt = 0; attempt < 5; attempt++) {
        if (send(fd, m->bytes, m->length, 0) < 0) continue;
        for (ssize_t n; (n = recv(fd, answer, SIZE, 0)) > 0;)
            if (n >= 20 && !memcmp(answer + 8, m->bytes + 8, 12)) return (size_t)n;
    }
    fprintf(stderr, "no answer from the server\n");
    exit(1);
}

static void transaction(uint8_t *bytes) {
    static uint32_t number;
    number++;
    memset(bytes, 7, 12);
    memcpy(bytes, &number, 4);
}

static void request(int fd, int index, unsigned method, struct sockaddr_in peer, uint8_t *answer, size_t *count) {
    static uint8_t realm[256], nonce[256];
    static size_t realm_size, nonce_size;
    static time_t expiry;
    uint8_t id[12];
    char user[64];
    if (!expiry) expiry = time(NULL) + 3600;
    snprintf(user, sizeof user, "%ld:user%d", (long)expiry, index);
    for (int attempt = 0; attempt < 2; attempt++) {
        struct message m;
        transaction(id);
        begin(&m, method, id);
        if (method == ALLOCATE) add(&m, TRANSPORT, "\21\0\0\0", 4);
        if (method == CHANNEL_BIND) add(&m, CHANNEL_NUMBER, "\100\1\0\0", 4), add_address(&m, XOR_PEER, peer);
        if (nonce_size && (attempt || method != ALLOCATE)) sign(&m, user, realm, realm_size, nonce, nonce_size);
        *count = ask(fd, &m, answer);
        if (get16(answer) == (method | SUCCESS)) return;
        const uint8_t *found = find(answer, *count, NONCE, &nonce_size);
        if (!found) break;
        memcpy(nonce, found, nonce_size);
        if ((found = find(answer, *count, REALM, &realm_size))) memcpy(realm, found, realm_size);
    }
    fprintf(stderr, "the server refused %#x\n", method);
    exit(1);
}

// MARK: Set-up

static int open_socket(uint32_t ip, struct sockaddr_in *address) {
    int fd = socket(AF_INET, SOCK_DGRAM, 0), size = 1 << 20;
    struct timeval patience = {.tv_sec = 1};
    socklen_t space = sizeof *address;
    *address = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(ip)};
    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    if (bind(fd, (struct sockaddr *)address, sizeof *address)) die("bind");
    getsockname(fd, (struct sockaddr *)address, &space);
    return fd;
}

static struct end *new_end(int fd, int channel, struct sockaddr_in to) {
    struct end *end = &ends[end_count];
    int segment = packet_size + (channel ? 4 : 0);
    *end = (struct end){.fd = fd, .flow = end_count, .channel = channel, .to = to};
    if (packets > 1) setsockopt(fd, SOL_UDP, UDP_SEGMENT, &segment, sizeof segment);
    if (connect(fd, (struct sockaddr *)&to, sizeof to)) die("connect");
    end_count++;
    return end;
}

static void set_up(int count, int pairs) {
    static int fds[MAXIMUM];
    uint8_t answer[SIZE];
    size_t size = 0;
    for (int i = 0; i < count; i++) {
        struct sockaddr_in own;
        // Every client has an address of its own, as in the world.
        fds[i] = open_socket(0x7f010101u + (uint32_t)((i / 250) << 8 | i % 250), &own);
        if (connect(fds[i], (struct sockaddr *)&server, sizeof server)) die("connect");
        request(fds[i], i, ALLOCATE, server, answer, &size);
        relayed[i] = find_address(answer, size, XOR_RELAYED);
    }
    for (int i = 0; i < count; i++) {
        struct sockaddr_in own = relayed[i ^ 1];
        int peer = pairs ? -1 : open_socket(0x7f000002, &own);
        request(fds[i], i, CHANNEL_BIND, own, answer, &size);
        new_end(fds[i], 1, server);
        if (!pairs) new_end(peer, 0, relayed[i]);
    }
}

// MARK: Packets

static void send_burst(struct end *end, int count) {
    static uint8_t bytes[65536];
    size_t stride = (size_t)packet_size + (end->channel ? 4 : 0);
    for (int i = 0; i < count; i++) {
        uint8_t *place = bytes + stride * (size_t)i;
        if (end->channel) put16(place, CHANNEL), put16(place + 2, (unsigned)packet_size), place += 4;
        uint32_t mark[2] = {(uint32_t)end->flow, end->sent++};
        memcpy(place, mark, sizeof mark);
    }
    sent += (uint64_t)count;
    // What the kernel does not take is lost, and counted as such.
    (void)!send(end->fd, bytes, stride * (size_t)count, MSG_DONTWAIT);
}

/// What comes to an end was sent by the other of its two.
static void hear(struct end *end) {
    static uint8_t bytes[16][SIZE];
    static struct iovec vectors[16];
    static struct mmsghdr batch[16];
    for (int i = 0; i < 16; i++) {
        vectors[i] = (struct iovec){bytes[i], SIZE};
        batch[i].msg_hdr = (struct msghdr){.msg_iov = &vectors[i], .msg_iovlen = 1};
    }
    int count = recvmmsg(end->fd, batch, 16, MSG_DONTWAIT, NULL);
    for (int i = 0; i < count; i++) {
        uint32_t mark[2];
        uint8_t *payload = bytes[i] + (end->channel ? 4 : 0);
        memcpy(mark, payload, sizeof mark);
        int right = (int)batch[i].msg_len == packet_size + (end->channel ? 4 : 0) && mark[0] == (uint32_t)(end->flow ^ 1);
        if (!right || mark[1] < end->heard) foreign++;
        else end->heard = mark[1] + 1, heard++;
        if (total && sent < total) send_burst(end, 1);
    }
}

static void hear_all(int poll) {
    struct epoll_event events[256];
    int ready = epoll_wait(poll, events, 256, 0);
    for (int i = 0; i < ready; i++) hear(&ends[events[i].data.u32]);
}

static void run(int poll, double seconds, double rate) {
    uint64_t now = now_ns(), end = now + (uint64_t)(seconds * 1e9), period = rate > 0 ? (uint64_t)(1e9 / rate) : 0;
    for (int i = 0; period && i < end_count; i++)
        if (!ends[i].due) ends[i].due = now + period * (uint64_t)(i * 7 % end_count) / (uint64_t)end_count;
    for (; (now = now_ns()) < end; hear_all(poll))
        for (int i = 0; period && i < end_count; i++)
            if (now >= ends[i].due) send_burst(&ends[i], packets), ends[i].due += period;
}

int main(int argc, char **argv) {
    if (argc < 10) return 64;
    int pid = atoi(argv[2]), count = atoi(argv[5]), poll = epoll_create1(0);
    double rate = atof(argv[6]), seconds = atof(argv[9]);
    raise_descriptor_limit();
    server = loopback(atoi(argv[1])), secret = argv[3], packet_size = atoi(argv[7]), packets = atoi(argv[8]);
    long memory = resident_kib(pid);
    set_up(count, !strcmp(argv[4], "relays"));
    memory = resident_kib(pid) - memory;
    for (int i = 0; i < end_count; i++) {
        struct epoll_event event = {.events = EPOLLIN, .data.u32 = (uint32_t)i};
        epoll_ctl(poll, EPOLL_CTL_ADD, ends[i].fd, &event);
    }
    if (rate > 0) run(poll, 0.5, rate);
    double cpu = cpu_seconds(pid);
    uint64_t start = now_ns(), before = heard;
    if (rate > 0) {
        run(poll, seconds, rate);
    } else {
        total = (uint64_t)seconds;
        for (int i = 0; i < end_count; i++) for (int k = 0; k < WINDOW; k++) send_burst(&ends[i], 1);
        for (uint64_t last = heard, at = now_ns(); heard < total; hear_all(poll)) {
            if (heard != last) last = heard, at = now_ns();
            if (now_ns() - at > 2000000000u) break;
        }
    }
    cpu = cpu_seconds(pid) - cpu;
    double took = (double)(now_ns() - start) / 1e9;
    uint64_t relayed_now = heard - before;
    run(poll, 0.3, 0);
    printf("{\"packets\": %llu, \"cpu\": %.6f, \"seconds\": %.4f, \"lost\": %lld, \"foreign\": %llu, \"memory\": %ld}\n",
           (unsigned long long)relayed_now, cpu, took, (long long)(sent - heard - foreign), (unsigned long long)foreign, memory);
}
