// The limit of an echo of calls: receive, open, protect, send (RFC 7714), with OpenSSL's AES and nothing else. All calls share a
// socket and a key, and nobody keeps time, notes what came before, or reports.
//
// srtp-limit server PORT
// srtp-limit load PORT CALLS SECONDS PID     50 packets a second and call, each call at a moment of its own
#include "common.h"
#include "process.h"

#include <openssl/evp.h>
#include <time.h>

enum { SIZE = 2048, PAYLOAD = 60, HEADER = 12, TAG = 16 };

static EVP_CIPHER_CTX *session(uint8_t fill) {
    uint8_t key[16];
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    memset(key, fill + 1, sizeof key);
    if (!context || EVP_CipherInit_ex(context, EVP_aes_128_gcm(), NULL, key, NULL, 1) != 1) die("EVP_CipherInit_ex");
    return context;
}

/// The source and the number of a packet, over a salt of zeros.
static void begin(EVP_CIPHER_CTX *context, const uint8_t *packet, int encrypts) {
    uint8_t vector[12] = {0};
    int count;
    memcpy(vector + 2, packet + 8, 4);
    memcpy(vector + 10, packet + 2, 2);
    if (EVP_CipherInit_ex(context, NULL, NULL, NULL, vector, encrypts) != 1 ||
        EVP_CipherUpdate(context, NULL, &count, packet, HEADER) != 1)
        die("EVP_CipherUpdate");
}

static int protect(EVP_CIPHER_CTX *context, uint8_t *packet, int count) {
    int done;
    begin(context, packet, 1);
    if (EVP_CipherUpdate(context, packet + HEADER, &done, packet + HEADER, count - HEADER) != 1 ||
        EVP_CipherFinal_ex(context, packet + count, &done) != 1 ||
        EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, TAG, packet + count) != 1)
        die("EVP_CipherFinal_ex");
    return count + TAG;
}

/// How long the packet is without its tag; 0 when it is not authentic.
static int unprotect(EVP_CIPHER_CTX *context, uint8_t *packet, int count) {
    int done, length = count - TAG;
    if (length < HEADER) return 0;
    begin(context, packet, 0);
    if (EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, TAG, packet + length) != 1 ||
        EVP_CipherUpdate(context, packet + HEADER, &done, packet + HEADER, length - HEADER) != 1 ||
        EVP_CipherFinal_ex(context, packet + length, &done) != 1)
        return 0;
    return length;
}

static void serve(int port) {
    int fd = socket(AF_INET, SOCK_DGRAM, 0), door = socket(AF_INET, SOCK_STREAM, 0), size = 4 << 20;
    struct sockaddr_in address = loopback(port);
    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
    if (bind(fd, (struct sockaddr *)&address, sizeof address)) die("bind");
    // Whoever waits for the server knocks here.
    if (bind(door, (struct sockaddr *)&address, sizeof address) || listen(door, 8)) die("listen");
    EVP_CIPHER_CTX *in = session(0), *out = session(1);
    for (;;) {
        static uint8_t packet[SIZE];
        struct sockaddr_in peer;
        socklen_t length = sizeof peer;
        int count = (int)recvfrom(fd, packet, SIZE - 64, 0, (struct sockaddr *)&peer, &length);
        if (count < 0 || !(count = unprotect(in, packet, count))) continue;
        count = protect(out, packet, count);
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
    EVP_CIPHER_CTX *out = session(0);
    double start = now(), cpu = cpu_seconds(pid);
    long sent = 0, heard = 0;
    for (long tick = 0; now() - start < seconds;) {
        static uint8_t packet[SIZE];
        while (recv(fd, packet, SIZE, MSG_DONTWAIT) > 0) heard++;
        if (now() < start + (double)tick * 0.02 / calls) continue;
        long call = tick % calls, sequence = tick / calls;
        uint16_t number = htons((uint16_t)sequence);
        uint32_t stamp = htonl((uint32_t)(sequence * 960)), source = htonl((uint32_t)call + 1);
        packet[0] = 0x80, packet[1] = 111;
        memcpy(packet + 2, &number, 2);
        memcpy(packet + 4, &stamp, 4);
        memcpy(packet + 8, &source, 4);
        int count = protect(out, packet, HEADER + PAYLOAD);
        sent += send(fd, packet, (size_t)count, 0) == count;
        tick++;
    }
    printf("{\"cpu\":%f,\"sent\":%ld,\"heard\":%ld,\"seconds\":%f}\n", cpu_seconds(pid) - cpu, sent, heard,
           now() - start);
}

int main(int argc, char **argv) {
    if (argc == 3 && !strcmp(argv[1], "server")) serve(atoi(argv[2]));
    if (argc != 6) return 64;
    load(atoi(argv[2]), atoi(argv[3]), atof(argv[4]), atoi(argv[5]));
    return 0;
}
