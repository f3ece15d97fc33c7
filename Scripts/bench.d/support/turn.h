// STUN and TURN messages, as far as a relay and its load need them (RFC 8489, RFC 8656).
#pragma once

#include "common.h"

enum { ALLOCATE = 0x003, CHANNEL_BIND = 0x009, SUCCESS = 0x100, REFUSED = 0x110 };
enum {
    USERNAME = 0x06, INTEGRITY = 0x08, CHANNEL_NUMBER = 0x0c, LIFETIME = 0x0d, XOR_PEER = 0x12, REALM = 0x14, NONCE = 0x15,
    XOR_RELAYED = 0x16, TRANSPORT = 0x19
};

struct message {
    uint8_t bytes[1024];
    size_t length;
};

static inline void put16(uint8_t *place, unsigned value) { place[0] = (uint8_t)(value >> 8), place[1] = (uint8_t)value; }
static inline unsigned get16(const uint8_t *place) { return (unsigned)place[0] << 8 | place[1]; }

static inline void begin(struct message *m, unsigned type, const uint8_t *transaction) {
    static const uint8_t cookie[] = {0x21, 0x12, 0xa4, 0x42};
    put16(m->bytes, type);
    memcpy(m->bytes + 4, cookie, 4);
    memcpy(m->bytes + 8, transaction, 12);
    m->length = 20;
    put16(m->bytes + 2, 0);
}

static inline void add(struct message *m, unsigned type, const void *value, size_t length) {
    uint8_t *place = m->bytes + m->length;
    put16(place, type);
    put16(place + 2, (unsigned)length);
    memset(place + 4, 0, (length + 3) & ~(size_t)3);
    memcpy(place + 4, value, length);
    m->length += 4 + ((length + 3) & ~(size_t)3);
    put16(m->bytes + 2, (unsigned)m->length - 20);
}

static inline void add_address(struct message *m, unsigned type, struct sockaddr_in address) {
    uint8_t value[8] = {0, 1};
    address.sin_port ^= htons(0x2112), address.sin_addr.s_addr ^= htonl(0x2112a442);
    memcpy(value + 2, &address.sin_port, 2), memcpy(value + 4, &address.sin_addr, 4);
    add(m, type, value, sizeof value);
}

/// An attribute's value, or NULL.
static inline const uint8_t *find(const uint8_t *bytes, size_t count, unsigned type, size_t *length) {
    for (size_t at = 20; at + 4 <= count; at += 4 + ((get16(bytes + at + 2) + 3u) & ~3u)) {
        *length = get16(bytes + at + 2);
        if (get16(bytes + at) == type && at + 4 + *length <= count) return bytes + at + 4;
    }
    return NULL;
}

static inline struct sockaddr_in find_address(const uint8_t *bytes, size_t count, unsigned type) {
    struct sockaddr_in address = {.sin_family = AF_INET};
    size_t length = 0;
    const uint8_t *value = find(bytes, count, type, &length);
    if (!value || length < 8) return address;
    memcpy(&address.sin_port, value + 2, 2), memcpy(&address.sin_addr, value + 4, 4);
    address.sin_port ^= htons(0x2112), address.sin_addr.s_addr ^= htonl(0x2112a442);
    return address;
}
