// A crowd: people who are there and do nothing. They come over long polling and take turns on one connection, so that no limit
// of descriptors keeps them out.
//
// crowd PORT PID TOKENS MOST
//
// Reads lines with a number from its input: so many are there then, and a line of JSON says what that took. Each watches the one
// who came before, and two share a room.
#include "sio.h"

static int port, fd = -1, there;
static char (*sids)[32];
static char head[1024], body[1 << 16];

/// A connection for each line: a server ends those on which nothing is asked for long.
static void connect_anew(void) {
    struct sockaddr_in address = loopback(port);
    int on = 1;
    if (fd >= 0) close(fd);
    fd = socket(AF_INET, SOCK_STREAM, 0);
    if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof address)) die("connect");
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

/// An answer whose length is told stands in `body` then.
static void read_answer(void) {
    size_t got = 0;
    for (char *end = NULL; !end;) {
        ssize_t n = read(fd, body + got, sizeof body - 1 - got);
        if (n <= 0) die("answer");
        body[got += (size_t)n] = 0;
        if (!(end = strstr(body, "\r\n\r\n"))) continue;
        char *size = strcasestr(body, "content-length:");
        size_t start = (size_t)(end - body) + 4, length = size && size < end ? strtoul(size + 15, NULL, 10) : 0;
        while (got < start + length && (n = read(fd, body + got, sizeof body - 1 - got)) > 0) got += (size_t)n;
        if (strncmp(body, "HTTP/1.1 200", 12)) fprintf(stderr, "refused: %s\n", body), exit(1);
        memmove(body, body + start, length);
        body[length] = 0;
    }
}

static void exchange(const char *sid, const char *text) {
    int n = snprintf(head, sizeof head, "%s /socket.io/?EIO=4&transport=polling%s%s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n",
                     text ? "POST" : "GET", sid ? "&sid=" : "", sid ? sid : "", port);
    char request[8192];
    if (text)
        n = snprintf(request, sizeof request, "%sContent-Type: text/plain\r\nContent-Length: %zu\r\n\r\n%s", head, strlen(text), text);
    else n = snprintf(request, sizeof request, "%s\r\n", head);
    write_all(fd, (uint8_t *)request, (size_t)n);
    read_answer();
}

static void wait_for(const char *sid, const char *text) {
    do exchange(sid, NULL);
    while (!strstr(body, text));
}

static void come(int index) {
    char text[4096];
    exchange(NULL, NULL);
    if (sscanf(body, "0{\"sid\":\"%31[^\"]", sids[index]) != 1) fprintf(stderr, "no session: %s\n", body), exit(1);
    snprintf(text, sizeof text, "40{\"token\":\"%s\"}", tokens[index]);
    exchange(sids[index], text);
    wait_for(sids[index], "40{");
    snprintf(text, sizeof text, "420[\"room.join\",{\"room\":\"crowd-%d\"}]\x1e" "421[\"presence.watch\",{\"users\":[\"user-%d\"]}]",
             index / 2, index ? index - 1 : 0);
    exchange(sids[index], text);
    wait_for(sids[index], "431");
}

int main(int argc, char **argv) {
    if (argc < 5) return fprintf(stderr, "usage: crowd PORT PID TOKENS MOST\n"), 64;
    port = atoi(argv[1]);
    pid = atoi(argv[2]);
    read_tokens(argv[3], atoi(argv[4]));
    sids = calloc((size_t)atoi(argv[4]), sizeof *sids);
    long rest = resident_kib(pid);
    for (int wanted; scanf("%d", &wanted) == 1; fflush(stdout)) {
        double cpu = cpu_seconds(pid);
        int before = there;
        connect_anew();
        for (; there < wanted; there++) come(there);
        for (; there > wanted; there--) exchange(sids[there - 1], "1");
        int moved = there > before ? there - before : before - there;
        printf("{\"people\":%d,\"moved\":%d,\"cpu\":%.6f,\"kib\":%ld}\n", there, moved, cpu_seconds(pid) - cpu, resident_kib(pid) - rest);
    }
    return 0;
}
