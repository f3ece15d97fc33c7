// The limit of an echo of calls: receive, open, protect, send, with libsrtp and nothing else. All calls share a socket and a
// key, and nobody keeps time or reports.
//
// srtp-limit server PORT
// srtp-limit load PORT CALLS SECONDS PID     50 packets a second and call, spread over each 20 ms
#include "common.h"
#include "process.h"

#include <poll.h>
#include <srtp2/srtp.h>
#include <time.h>

enum { SIZE = 2048, PAYLOAD = 60 };

static srtp_t session(srtp_ssrc_type_t type, uint8_t fill) {
    static uint8_t keys[4][28];
    uint8_t *key = keys[fill];
    srtp_policy_t policy = {0};
    srtp_t made;
    memset(key, fill + 1, 28);
    srtp_crypto_policy_set_aes_gcm_128_16_auth(&policy.rtp);
    srtp_crypto_policy_set_aes_gcm_128_16_auth(&policy.rtcp);
    policy.ssrc.type = type;
    policy.key = key;
    policy.window_size = 1024;
    if (srtp_create(&made, &policy)) die("srtp_create");
    return made;
}

static void serve(int port) {
    int fd = socket(AF_INET, SOCK_DGRAM, 0), door = socket(AF_INET, SOCK_STREAM, 0), size = 4 << 20;
    struct sockaddr_in address = loopback(port);
    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
    if (bind(fd, (struct sockaddr *)&address, sizeof address)) die("bind");
    // Whoever waits for the server knocks here.
    if (bind(door, (struct sockaddr *)&address, sizeof address) || listen(door, 8)) die("listen");
    srtp_t in = session(ssrc_any_inbound, 0), out = session(ssrc_any_outbound, 1);
    for (;;) {
        static uint8_t packet[SIZE];
        struct sockaddr_in peer;
        socklen_t length = sizeof peer;
        int count = (int)recvfrom(fd, packet, SIZE - 64, 0, (struct sockaddr *)&peer, &length);
        if (count < 0 || srtp_unprotect(in, packet, &count) || srtp_protect(out, packet, &count)) continue;
        sendto(fd, packet, (size_t)count, 0, (struct sockaddr *)&peer, length);
    }
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void load(int port, int calls, double seconds, int pid) {
    int fd = socket(AF_INET, SOCK_DGRAM, 0), size = 4 << 20;
    struct sockaddr_in server = loopback(port);
    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
    if (connect(fd, (struct sockaddr *)&server, sizeof server)) die("connect");
    srtp_t out = session(ssrc_any_outbound, 0);
    double start = now(), cpu = cpu_seconds(pid);
    long sent = 0, heard = 0;
    for (long tick = 0; now() - start < seconds; tick++) {
        for (int call = (int)(tick % 10); call < calls; call += 10) {
            uint8_t packet[SIZE] = {0x80, 111};
            uint16_t number = htons((uint16_t)(tick / 10));
            uint32_t stamp = htonl((uint32_t)(tick / 10 * 960)), source = htonl((uint32_t)call + 1);
            memcpy(packet + 2, &number, 2);
            memcpy(packet + 4, &stamp, 4);
            memcpy(packet + 8, &source, 4);
            int count = 12 + PAYLOAD;
            if (srtp_protect(out, packet, &count)) die("srtp_protect");
            sent += send(fd, packet, (size_t)count, 0) == count;
        }
        double next = start + (double)(tick + 1) * 0.002;
        for (double left; (left = next - now()) > 0;) {
            struct pollfd wait = {fd, POLLIN, 0};
            uint8_t packet[SIZE];
            if (poll(&wait, 1, (int)(left * 1000) + 1) > 0)
                while (recv(fd, packet, SIZE, MSG_DONTWAIT) > 0) heard++;
        }
    }
    printf("{\"cpu\":%f,\"sent\":%ld,\"heard\":%ld,\"seconds\":%f}\n", cpu_seconds(pid) - cpu, sent, heard,
           now() - start);
}

int main(int argc, char **argv) {
    if (srtp_init()) die("srtp_init");
    if (argc == 3 && !strcmp(argv[1], "server")) serve(atoi(argv[2]));
    if (argc != 6) return 64;
    load(atoi(argv[2]), atoi(argv[3]), atof(argv[4]), atoi(argv[5]));
    return 0;
}
