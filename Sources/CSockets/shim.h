#pragma once

#include <fcntl.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

/// One datagram of a batch. Laid out as Linux's `struct mmsghdr`, which its headers hide without
/// _GNU_SOURCE, and a module cannot ask for that after others have read the same headers.
struct parley_datagram {
    struct msghdr header;
    unsigned int length;
};

#if defined(__linux__)

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

#endif
