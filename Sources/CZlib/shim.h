#pragma once

#include <zlib.h>

// Macros in zlib.h, which Swift does not see.
static inline int parley_deflate_init(z_streamp stream, int level, int window_bits, int memory_level) {
    return deflateInit2(stream, level, Z_DEFLATED, window_bits, memory_level, Z_DEFAULT_STRATEGY);
}

static inline int parley_inflate_init(z_streamp stream, int window_bits) {
    return inflateInit2(stream, window_bits);
}
