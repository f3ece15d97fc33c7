// Counts what a program allocates: LD_PRELOAD=malloc-count.so, then ask parley_allocations().
#include <stddef.h>

static size_t count;

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);

void *malloc(size_t size) { return count++, __libc_malloc(size); }
void *calloc(size_t number, size_t size) { return count++, __libc_calloc(number, size); }
void *realloc(void *old, size_t size) { return count++, __libc_realloc(old, size); }

size_t parley_allocations(void) { return count; }
