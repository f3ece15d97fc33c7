// What a server's process costs, as the kernel counts it.
#pragma once

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

/// On-CPU time of all threads.
static double cpu_seconds(int pid) {
    char path[600], text[128];
    double total = 0;
    snprintf(path, sizeof path, "/proc/%d/task", pid);
    DIR *dir = opendir(path);
    if (!dir) return 0;
    for (struct dirent *entry; (entry = readdir(dir));) {
        if (entry->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "/proc/%d/task/%s/schedstat", pid, entry->d_name);
        FILE *file = fopen(path, "r");
        if (!file) continue;
        if (fgets(text, sizeof text, file)) total += strtod(text, NULL) / 1e9;
        fclose(file);
    }
    closedir(dir);
    return total;
}

static long resident_kib(int pid) {
    char path[64], text[256];
    long kib = 0;
    snprintf(path, sizeof path, "/proc/%d/status", pid);
    FILE *file = fopen(path, "r");
    while (file && fgets(text, sizeof text, file))
        if (sscanf(text, "VmRSS: %ld", &kib) == 1) break;
    if (file) fclose(file);
    return kib;
}
