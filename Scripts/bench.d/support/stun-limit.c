// The limit: a STUN server of one thread that checks no more than the length and answers up to 64 requests with two
// system calls. stun-limit PORT
#include "common.h"

enum { BATCH = 64, SIZE = 2048 };

static uint8_t input[BATCH][SIZE], output[BATCH][32];
static struct sockaddr_in peers[BATCH];
static struct iovec in[BATCH], out[BATCH];
static struct mmsghdr incoming[BATCH], outgoing[BATCH];

static void answer(int i) {
    const uint8_t *request = input[i];
    uint8_t *answer = output[i];
    static const uint8_t head[] = {0x01, 0x01, 0, 12, 0x21, 0x12, 0xa4, 0x42};
    static const uint8_t attribute[] = {0, 0x20, 0, 8, 0, 1};
    uint16_t port = peers[i].sin_port ^ htons(0x2112);
    uint32_t ip = peers[i].sin_addr.s_addr ^ htonl(0x2112a442);
    memcpy(answer, head, 8);
    memcpy(answer + 8, request + 8, 12);
    memcpy(answer + 20, attribute, 6);
    memcpy(answer + 26, &port, 2);
    memcpy(answer + 28, &ip, 4);
}

int main(int argc, char **argv) {
    int port = argc > 1 ? atoi(argv[1]) : 0, size = 4 << 20;
    int fd = socket(AF_INET, SOCK_DGRAM, 0), door = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in address = loopback(port);
    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
    setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
    if (bind(fd, (struct sockaddr *)&address, sizeof address)) die("bind");
    // Whoever waits for the server knocks here.
    if (bind(door, (struct sockaddr *)&address, sizeof address) || listen(door, 8)) die("listen");
    for (int i = 0; i < BATCH; i++) {
        in[i] = (struct iovec){input[i], SIZE}, out[i] = (struct iovec){output[i], 32};
        incoming[i].msg_hdr = (struct msghdr){.msg_iov = &in[i], .msg_iovlen = 1, .msg_name = &peers[i]};
        outgoing[i].msg_hdr = (struct msghdr){.msg_iov = &out[i], .msg_iovlen = 1, .msg_name = &peers[i]};
        outgoing[i].msg_hdr.msg_namelen = sizeof peers[i];
    }
    for (;;) {
        for (int i = 0; i < BATCH; i++) incoming[i].msg_hdr.msg_namelen = sizeof peers[i];
        int count = recvmmsg(fd, incoming, BATCH, MSG_WAITFORONE, NULL), sent = 0;
        if (count < 0) die("recvmmsg");
        for (int i = 0; i < count; i++) answer(i);
        while (sent < count) {
            int n = sendmmsg(fd, outgoing + sent, (unsigned)(count - sent), 0);
            sent += n > 0 ? n : 1;
        }
    }
}
