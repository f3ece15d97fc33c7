#pragma once

#include <dlfcn.h>
#include <stddef.h>

#include <pulse/pulseaudio.h>

// The library is opened when it is wanted, so that the program also runs where it is not installed: nothing here is linked.
// Types come from its own header.

#define PARLEY_PULSE_FUNCTIONS(each) \
    each(mainloop_new) each(mainloop_free) each(mainloop_get_api) each(mainloop_prepare) each(mainloop_poll) \
    each(mainloop_dispatch) each(mainloop_iterate) \
    each(context_new) each(context_connect) each(context_disconnect) each(context_unref) each(context_get_state) \
    each(context_errno) each(context_get_server_info) each(context_get_sink_info_list) \
    each(context_get_source_info_list) each(operation_get_state) each(operation_unref) each(strerror) \
    each(stream_new) each(stream_unref) each(stream_connect_record) each(stream_connect_playback) \
    each(stream_disconnect) each(stream_get_state) each(stream_get_device_name) each(stream_get_buffer_attr) \
    each(stream_peek) each(stream_drop) each(stream_writable_size) each(stream_write)

struct parley_pulse {
    void *library;
#define PARLEY_PULSE_FIELD(name) __typeof__(pa_##name) *name;
    PARLEY_PULSE_FUNCTIONS(PARLEY_PULSE_FIELD)
#undef PARLEY_PULSE_FIELD
};

/// 0 where there is no library, or one that lacks something.
static inline int parley_pulse_open(struct parley_pulse *pulse) {
    pulse->library = dlopen("libpulse.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!pulse->library) return 0;
#define PARLEY_PULSE_FIND(name) \
    if (!(pulse->name = (__typeof__(pa_##name) *)dlsym(pulse->library, "pa_" #name))) return 0;
    PARLEY_PULSE_FUNCTIONS(PARLEY_PULSE_FIND)
#undef PARLEY_PULSE_FIND
    return 1;
}

/// A format is told by 32-bit floats in the machine's own order, one channel, 48 kHz.
static inline pa_sample_spec parley_pulse_format(void) {
    pa_sample_spec spec = {.format = PA_SAMPLE_FLOAT32NE, .rate = 48000, .channels = 1};
    return spec;
}
