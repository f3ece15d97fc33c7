// The load: four sockets with 64 Binding requests on the way on each. stun-load PORT SECONDS PID
//
// Prints one line of JSON; the server's CPU time is that of all threads of PID within the measured time.
#include "common.h"
#include "process.h"

enum { SOCKETS = 4, DEPTH = 64 };

static int fds[SOCKETS];
static uint8_t request[20] = {0, 1, 0, 0, 0x21, 0x12, 0xa4, 0x42};
static uint64_t answers, wrong, lost;
static uint64_t heard_at[SOCKETS];

static void ask(int i, int count) {
    struct mmsghdr batch[DEPTH];
    struct iovec vector = {request, sizeof request};
    memset(batch, 0, sizeof batch);
    for (int k = 0; k < count; k++) batch[k].msg_hdr = (struct msghdr){.msg_iov = &vector, .msg_iovlen = 1};
    for (int sent = 0; sent < count;) {
        int n = sendmmsg(fds[i], batch + sent, (unsigned)(count - sent), 0);
        if (n <= 0) die("sendmmsg");
        sent += n;
    }
}

static int hear(int i) {
    static uint8_t bytes[DEPTH][512];
    struct mmsghdr batch[DEPTH];
    struct iovec vectors[DEPTH];
    memset(batch, 0, sizeof batch);
    for (int k = 0; k < DEPTH; k++) {
        vectors[k] = (struct iovec){bytes[k], sizeof bytes[k]};
        batch[k].msg_hdr = (struct msghdr){.msg_iov = &vectors[k], .msg_iovlen = 1};
    }
    int count = recvmmsg(fds[i], batch, DEPTH, MSG_DONTWAIT, NULL);
    for (int k = 0; k < count; k++) wrong += batch[k].msg_len < 32 || bytes[k][0] != 1 || bytes[k][1] != 1;
    return count < 0 ? 0 : count;
}

static void run(double seconds) {
    uint64_t end = now_ns() + (uint64_t)(seconds * 1e9), now;
    while ((now = now_ns()) < end) {
        for (int i = 0; i < SOCKETS; i++) {
            int count = hear(i);
            answers += (uint64_t)count;
            if (count > 0) heard_at[i] = now, ask(i, count);
            // What was lost on the way is asked for again.
            if (now - heard_at[i] > 200000000) heard_at[i] = now, lost += DEPTH, ask(i, DEPTH);
        }
    }
}

int main(int argc, char **argv) {
    if (argc < 4) return 64;
    int pid = atoi(argv[3]);
    struct sockaddr_in address = loopback(atoi(argv[1]));
    for (int i = 0; i < SOCKETS; i++) {
        int size = 4 << 20;
        fds[i] = socket(AF_INET, SOCK_DGRAM, 0);
        setsockopt(fds[i], SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
        if (connect(fds[i], (struct sockaddr *)&address, sizeof address)) die("connect");
        heard_at[i] = now_ns();
        ask(i, DEPTH);
    }
    run(0.3);
    double cpu = cpu_seconds(pid);
    uint64_t start = now_ns(), before = answers;
    run(atof(argv[2]));
    cpu = cpu_seconds(pid) - cpu;
    uint64_t count = answers - before;
    printf("{\"answers\": %llu, \"cpu\": %.6f, \"seconds\": %.4f, \"wrong\": %llu, \"lost\": %llu}\n",
           (unsigned long long)count, cpu, (double)(now_ns() - start) / 1e9, (unsigned long long)wrong,
           (unsigned long long)lost);
}
