// The servers that are measured.
#pragma once

#include "common.h"
#include "process.h"

/// The only one, or the first of several.
static int pid;

/// Several servers: clients come to one after the other, and the time of all counts.
enum { MOST_SERVERS = 8 };
static int ports[MOST_SERVERS], pids[MOST_SERVERS], port_count, pid_count;

/// Numbers with commas between them. Returns how many.
static int read_list(const char *text, int *numbers) {
    int found = 0;
    for (const char *next = text; next && *next && found < MOST_SERVERS; next = strchr(next, ',') ? strchr(next, ',') + 1 : NULL)
        numbers[found++] = atoi(next);
    return found;
}

static void read_servers(const char *port_list, const char *pid_list) {
    port_count = read_list(port_list, ports);
    pid_count = read_list(pid_list, pids);
    pid = pids[0];
}

static double cpu_of_all(void) {
    if (!pid_count) return cpu_seconds(pid);
    double sum = 0;
    for (int i = 0; i < pid_count; i++) sum += cpu_seconds(pids[i]);
    return sum;
}
