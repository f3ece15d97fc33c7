// Socket.IO clients over WebSocket, as the load generators share them.
#pragma once

#include "load.h"
#include <stdarg.h>

struct client {
    int fd;
    size_t held, capacity;
    uint8_t *hold;
    char member[32];
    uint64_t sent_at, seen_at;
    int acked, delivered;
};

static char **tokens;
static uint8_t input[1 << 21];

static void send_text(struct client *c, const char *text, size_t length) {
    static uint8_t frame[1 << 16];
    uint32_t mask = 0;
    size_t head = frame_header(frame, 1, length);
    frame[1] |= 0x80;
    memcpy(frame + head, &mask, 4);
    memcpy(frame + head + 4, text, length);
    write_all(c->fd, frame, head + 4 + length);
}

static void send_format(struct client *c, const char *format, ...) {
    static char text[1 << 16];
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    send_text(c, text, (size_t)n);
}

/// Calls `take` for every whole message that is there. False when nothing came.
static int receive(struct client *c, void (*take)(struct client *, char *, size_t)) {
    memcpy(input, c->hold, c->held);
    ssize_t n = read(c->fd, input + c->held, 1 << 20);
    if (n < 0 && errno == EAGAIN) return 0;
    if (n <= 0) die("the server closed a connection");
    size_t got = c->held + (size_t)n, used = 0, length;
    uint32_t mask;
    for (;;) {
        size_t head = parse_header(input + used, got - used, &length, &mask);
        if (head == 0 || used + head + length > got) break;
        char *text = (char *)input + used + head;
        char after = text[length];
        text[length] = 0;
        if (length == 1 && text[0] == '2') send_text(c, "3", 1);
        else take(c, text, length);
        text[length] = after;
        used += head + length;
    }
    c->held = got - used;
    if (c->held > c->capacity) {
        c->capacity = c->held * 2;
        c->hold = realloc(c->hold, c->capacity);
    }
    memcpy(c->hold, input + used, c->held);
    if (c->held == 0 && c->capacity > 4096) {
        free(c->hold);
        c->hold = NULL;
        c->capacity = 0;
    }
    return 1;
}

static void read_tokens(const char *path, int wanted) {
    FILE *file = fopen(path, "r");
    char line[4096];
    if (!file) die(path);
    tokens = calloc((size_t)wanted, sizeof *tokens);
    for (int i = 0; i < wanted; i++) {
        if (!fgets(line, sizeof line, file)) {
            fprintf(stderr, "%s has fewer than %d tokens\n", path, wanted);
            exit(1);
        }
        line[strcspn(line, "\n")] = 0;
        tokens[i] = strdup(line);
    }
    fclose(file);
}
