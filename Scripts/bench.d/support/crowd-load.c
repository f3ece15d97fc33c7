// The load for pushes to a crowd: a group in which some are there and thousands sleep, and the push service of those who
// sleep, which takes so long for each push.
//
// crowd-load PORT MEMBERS SECONDS PID TOKENS SERVICE-PORT DELAY-MS CONVERSATION DEVICES
//
// All who are there listen. One of them says something in "small", where only they are, a hundred times a second, and at the
// beginning of the measured time one thing in CONVERSATION. A time is from the sending of a message to each of its receivers.
// The load ends when DEVICES pushes came, but not before SECONDS are over. Prints one line of JSON.
#include "sio.h"
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>

enum { RATE = 100, SERVICE = 1 << 14, QUEUE = 1 << 14 };

/// A connection to the push service.
struct visit {
    int fd, in_use;
    size_t held;
    char request[8192];
};

static struct client *clients;
static int members, joined, listener, poll_fd;
static struct visit *visits;
static struct { int visit; uint64_t due; } answers[QUEUE];
static unsigned first_answer, last_answer;
static uint64_t delay;
static int under_way;
/// What the push service, a process of its own, tells of itself.
static volatile struct { uint64_t pushes, first, last; int peak; } *told;
static uint32_t of_wave[1 << 12];
static size_t wave_count;

static void take_joining(struct client *c, char *bytes, size_t length) {
    (void)length;
    if (bytes[0] == '0') send_format(c, "40{\"token\":\"%s\",\"recover\":false}", tokens[c - clients]);
    else if (!strncmp(bytes, "40", 2)) send_format(c, "420[\"chat.sync\",{\"echo\":false}]");
    else if (!strncmp(bytes, "430", 3)) joined++;
    else if (!strncmp(bytes, "44", 2)) {
        fprintf(stderr, "refused: %s\n", bytes);
        exit(1);
    }
}

static void say(const char *conversation, long number) {
    send_format(&clients[0], "421[\"chat.send\",{\"conversation\":\"%s\",\"id\":\"%d-%ld\",\"body\":{\"text\":\"at %s %llu\"}}]",
                conversation, (int)getpid(), number, conversation, (unsigned long long)now_ns());
}

static void take(struct client *c, char *bytes, size_t length) {
    (void)length;
    if (c == clients && bytes[1] == '3' && strstr(bytes, "{\"error\"")) {
        fprintf(stderr, "not taken: %s\n", bytes);
        exit(1);
    }
    char *text = bytes[1] == '2' ? strstr(bytes, "\"text\":\"at ") : NULL;
    if (!text) return;
    char *number = strchr(text + 11, ' ');
    uint64_t since = strtoull(number + 1, NULL, 10);
    if (!strncmp(text + 11, "small ", 6)) {
        deliveries++;
        note_latency(since);
    } else if (wave_count < sizeof of_wave / sizeof *of_wave) of_wave[wave_count++] = (uint32_t)((now_ns() - since) / 1000);
}

// What the push service does.

static void watch(int fd, void *data) {
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = data};
    if (epoll_ctl(poll_fd, EPOLL_CTL_ADD, fd, &event)) die("epoll_ctl");
}

static void open_service(int service_port) {
    struct sockaddr_in address = loopback(service_port);
    int on = 1;
    listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, 4096)) die("listen");
    visits = calloc(SERVICE, sizeof *visits);
    watch(listener, &listener);
}

static void accept_visits(void) {
    for (int fd; (fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK)) >= 0;) {
        int place = 0;
        while (place < SERVICE && visits[place].in_use) place++;
        if (place == SERVICE) die("too many connections");
        visits[place].fd = fd;
        visits[place].in_use = 1;
        visits[place].held = 0;
        if (++under_way > told->peak) told->peak = under_way;
        watch(fd, &visits[place]);
    }
}

static void end_visit(struct visit *visit) {
    close(visit->fd);
    visit->in_use = 0;
    under_way--;
}

/// A whole request is answered when its time has come.
static void read_visit(struct visit *visit) {
    ssize_t n = read(visit->fd, visit->request + visit->held, sizeof visit->request - 1 - visit->held);
    if (n <= 0) {
        if (n == 0 || errno != EAGAIN) end_visit(visit);
        return;
    }
    visit->held += (size_t)n;
    visit->request[visit->held] = 0;
    char *end = strstr(visit->request, "\r\n\r\n"), *size = strcasestr(visit->request, "content-length:");
    if (!end || !size || visit->held < (size_t)(end - visit->request) + 4 + strtoul(size + 15, NULL, 10)) return;
    epoll_ctl(poll_fd, EPOLL_CTL_DEL, visit->fd, NULL);
    answers[last_answer % QUEUE].visit = (int)(visit - visits);
    answers[last_answer++ % QUEUE].due = now_ns() + delay;
}

static void answer_visits(void) {
    static const char answer[] = "HTTP/1.1 201 Created\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
    while (first_answer != last_answer && answers[first_answer % QUEUE].due <= now_ns()) {
        struct visit *visit = &visits[answers[first_answer++ % QUEUE].visit];
        if (write(visit->fd, answer, sizeof answer - 1) < 0) die("answer");
        end_visit(visit);
        told->last = now_ns();
        if (told->pushes == 0) told->first = told->last;
        told->pushes++;
    }
}

/// On whichever core has time, so that those who listen are not kept from it.
static void serve(int service_port) {
    told = mmap(NULL, sizeof *told, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    poll_fd = epoll_create1(0);
    open_service(service_port);
    if (fork()) {
        close(listener);
        return;
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    cpu_set_t all;
    memset(&all, 255, sizeof all);
    sched_setaffinity(0, sizeof all, &all);
    for (struct epoll_event events[512];;) {
        int n = epoll_wait(poll_fd, events, 512, 1);
        for (int i = 0; i < n; i++) {
            if (events[i].data.ptr == &listener) accept_visits();
            else read_visit(events[i].data.ptr);
        }
        answer_visits();
    }
}

static void turn(void) {
    struct epoll_event events[512];
    int n = epoll_wait(poll_fd, events, 512, 1);
    for (int i = 0; i < n; i++) receive(events[i].data.ptr, take);
}

static uint32_t part(uint32_t *times, size_t count, double share) {
    return count ? times[(size_t)((double)(count - 1) * share)] : 0;
}

int main(int argc, char **argv) {
    if (argc < 10) return fprintf(stderr, "usage: crowd-load PORT MEMBERS SECONDS PID TOKENS SERVICE-PORT DELAY-MS CONVERSATION DEVICES\n"), 64;
    raise_descriptor_limit();
    members = atoi(argv[2]);
    seconds = atof(argv[3]);
    pid = atoi(argv[4]);
    read_tokens(argv[5], members);
    delay = (uint64_t)(atof(argv[7]) * 1e6);
    serve(atoi(argv[6]));
    poll_fd = epoll_create1(0);
    uint64_t devices = strtoull(argv[9], NULL, 10);
    clients = calloc((size_t)members, sizeof *clients);
    for (int i = 0; i < members; i++) {
        struct client *c = &clients[i];
        c->fd = connect_websocket(atoi(argv[1]), "/socket.io/?EIO=4&transport=websocket");
        for (int before = joined; joined == before;) receive(c, take_joining);
        set_nonblocking(c->fd);
        watch(c->fd, c);
    }
    uint64_t start = now_ns();
    for (long sent = 0; now_ns() < start + 1000000000u;) {
        for (; (double)sent < (double)(now_ns() - start) * RATE / 1e9; sent++) say("small", sent);
        turn();
    }
    // Warm, and nothing on the way.
    deliveries = latency_count = 0;
    double cpu = cpu_seconds(pid);
    uint64_t begin = now_ns(), end = begin + (uint64_t)(seconds * 1e9);
    say(argv[8], 1000000);
    for (long sent = 0; now_ns() < end; ) {
        for (; (double)sent < (double)(now_ns() - begin) * RATE / 1e9; sent++) say("small", 2000000 + sent);
        turn();
    }
    cpu = cpu_seconds(pid) - cpu;
    uint64_t within = told->pushes;
    for (uint64_t late = now_ns() + 60000000000u; told->pushes < devices && now_ns() < late;) turn();
    qsort(latencies, latency_count, sizeof *latencies, by_value);
    qsort(of_wave, wave_count, sizeof *of_wave, by_value);
    printf("{\"deliveries\":%zu,\"p50_us\":%u,\"p99_us\":%u,\"max_us\":%u,\"said_us\":%u,\"heard\":%zu,\"pushes\":%llu,"
           "\"within\":%llu,\"peak\":%d,\"push_seconds\":%.3f,\"cpu\":%.6f}\n",
           latency_count, part(latencies, latency_count, 0.5), part(latencies, latency_count, 0.99),
           part(latencies, latency_count, 1), part(of_wave, wave_count, 1), wave_count, (unsigned long long)told->pushes,
           (unsigned long long)within, told->peak, told->pushes > 1 ? (double)(told->last - told->first) / 1e9 : 0, cpu);
    return 0;
}
