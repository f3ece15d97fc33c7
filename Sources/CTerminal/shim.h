#pragma once

#include <sys/ioctl.h>

/// How many columns the terminal behind a descriptor has; 0 when it is none.
/// Here because `ioctl` takes a variable list of arguments, which Swift does not call.
static inline int parley_terminal_columns(int descriptor) {
    struct winsize size = {0};
    return ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}
