#pragma once

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

/// One datagram of a batch. Laid out as Linux's `struct mmsghdr`, which its headers hide without
/// _GNU_SOURCE, and a module cannot ask for that after others have read the same headers.
struct parley_datagram {
    struct msghdr header;
    unsigned int length;
};

/// Tells a service manager something (sd_notify(3)): one datagram to a local socket; a name that begins with @ is no file.
static inline int parley_notify(const char *path, const char *text) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t length = strlen(path);
    if (length < 2 || length >= sizeof address.sun_path) return -1;
    memcpy(address.sun_path, path, length);
    if (path[0] == '@') address.sun_path[0] = 0;
    int fd = socket(AF_UNIX, SOCK_DGRAM, 0);
    if (fd < 0) return -1;
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    ssize_t sent = sendto(fd, text, strlen(text), 0, (struct sockaddr *)&address,
                          (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length));
    close(fd);
    return sent < 0 ? -1 : 0;
}

/// Makes a descriptor that was inherited ours: it neither blocks nor survives an exec. False where it does not listen.
static inline int parley_adopt_listener(int fd) {
    int listens = 0;
    socklen_t length = sizeof listens;
    if (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &length) != 0 || !listens) return 0;
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    return 1;
}

/// What makes a descriptor readable that another thread waits for: `ends[0]` is waited for, `ends[1]` is written to. On Linux both
/// are one.
static inline int parley_open_wake_up(int ends[2]);

static inline void parley_wake_up(int fd) {
    uint64_t one = 1;
    while (write(fd, &one, sizeof one) < 0 && errno == EINTR) continue;
}

/// Until it is woken again it is not readable.
static inline void parley_clear_wake_up(int fd) {
    char bytes[512];
    while (read(fd, bytes, sizeof bytes) == sizeof bytes) continue;
}

#if defined(__linux__)

#include <sys/eventfd.h>

static inline int parley_open_wake_up(int ends[2]) {
    ends[0] = ends[1] = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return ends[0] < 0 ? -1 : 0;
}

#include <linux/netlink.h>
#include <netinet/udp.h>
#include <linux/rtnetlink.h>

int parley_recvmmsg(int fd, struct parley_datagram *batch, unsigned int count, int flags, struct timespec *timeout)
    __asm__("recvmmsg");
int parley_sendmmsg(int fd, struct parley_datagram *batch, unsigned int count, int flags) __asm__("sendmmsg");
int parley_accept4(int fd, struct sockaddr *address, socklen_t *length, int flags) __asm__("accept4");

static inline int parley_receive(int fd, struct parley_datagram *batch, unsigned int count) {
    return parley_recvmmsg(fd, batch, count, MSG_DONTWAIT, NULL);
}

static inline int parley_send(int fd, struct parley_datagram *batch, unsigned int count) {
    return parley_sendmmsg(fd, batch, count, MSG_DONTWAIT);
}

/// Accepts one connection that neither blocks nor survives an exec.
static inline int parley_accept(int fd, struct sockaddr *address, socklen_t *length) {
    return parley_accept4(fd, address, length, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

/// A socket that neither blocks nor survives an exec.
static inline int parley_socket(int family, int type) {
    return socket(family, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
}

/// So many bytes of control hold the length of segments.
enum { parley_control_size = CMSG_SPACE(sizeof(int)) };

/// Asks for equal datagrams of one sender as one. False where the kernel does not know how.
static inline int parley_join_segments(int fd) {
    int on = 1;
    return setsockopt(fd, IPPROTO_UDP, UDP_GRO, &on, sizeof on) == 0;
}

/// How long each of the datagrams is that came as one; 0 for one alone.
static inline int parley_segment_length(struct msghdr *header) {
    struct cmsghdr *control = CMSG_FIRSTHDR(header);
    int length = 0;
    if (control && control->cmsg_level == IPPROTO_UDP && control->cmsg_type == UDP_GRO)
        memcpy(&length, CMSG_DATA(control), sizeof length);
    return length;
}

/// Lets the kernel cut what the header holds into datagrams of one length.
static inline void parley_set_segment_length(struct msghdr *header, void *control, unsigned short length) {
    header->msg_control = control;
    header->msg_controllen = CMSG_SPACE(sizeof length);
    struct cmsghdr *part = CMSG_FIRSTHDR(header);
    part->cmsg_level = IPPROTO_UDP;
    part->cmsg_type = UDP_SEGMENT;
    part->cmsg_len = CMSG_LEN(sizeof length);
    memcpy(CMSG_DATA(part), &length, sizeof length);
}

/// A socket on which something arrives whenever an interface or an address comes or goes; -1 where there is none.
static inline int parley_address_news(void) {
    struct sockaddr_nl news = {.nl_family = AF_NETLINK};
    int fd = parley_socket(AF_NETLINK, SOCK_RAW);
    news.nl_groups = RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR;
    if (fd >= 0 && bind(fd, (struct sockaddr *)&news, sizeof news) != 0) {
        close(fd);
        return -1;
    }
    return fd;
}

#else

static inline int parley_harden(int fd) {
    int on = 1;
    if (fd < 0) return fd;
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    setsockopt(fd, SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof on);
    return fd;
}

static inline int parley_receive(int fd, struct parley_datagram *batch, unsigned int count) {
    unsigned int done = 0;
    for (; done < count; done++) {
        ssize_t length = recvmsg(fd, &batch[done].header, MSG_DONTWAIT);
        if (length < 0) break;
        batch[done].length = (unsigned int)length;
    }
    return done > 0 ? (int)done : -1;
}

static inline int parley_send(int fd, struct parley_datagram *batch, unsigned int count) {
    unsigned int done = 0;
    for (; done < count; done++) {
        ssize_t length = sendmsg(fd, &batch[done].header, MSG_DONTWAIT);
        if (length < 0) break;
        batch[done].length = (unsigned int)length;
    }
    return done > 0 ? (int)done : -1;
}

static inline int parley_accept(int fd, struct sockaddr *address, socklen_t *length) {
    return parley_harden(accept(fd, address, length));
}

static inline int parley_socket(int family, int type) { return parley_harden(socket(family, type, 0)); }

enum { parley_control_size = 8 };

static inline int parley_join_segments(int fd) { return 0; }
static inline int parley_segment_length(struct msghdr *header) { return 0; }
static inline void parley_set_segment_length(struct msghdr *header, void *control, unsigned short length) {}

static inline int parley_address_news(void) { return -1; }

static inline int parley_open_wake_up(int ends[2]) {
    if (pipe(ends) != 0) return -1;
    for (int end = 0; end < 2; end++) {
        fcntl(ends[end], F_SETFL, fcntl(ends[end], F_GETFL) | O_NONBLOCK);
        fcntl(ends[end], F_SETFD, FD_CLOEXEC);
    }
    return 0;
}

#endif
