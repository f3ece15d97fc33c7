#pragma once

#include <speex/speex_echo.h>
#include <speex/speex_preprocess.h>

// What the control calls take is a pointer to anything, which Swift cannot tell apart: one wrapper for each kind.

static inline int parley_speex_echo_set_rate(SpeexEchoState *state, spx_int32_t rate) {
    return speex_echo_ctl(state, SPEEX_ECHO_SET_SAMPLING_RATE, &rate);
}

static inline int parley_speex_preprocess_set(SpeexPreprocessState *state, int request, spx_int32_t value) {
    return speex_preprocess_ctl(state, request, &value);
}

static inline int parley_speex_preprocess_set_echo(SpeexPreprocessState *state, SpeexEchoState *echo) {
    return speex_preprocess_ctl(state, SPEEX_PREPROCESS_SET_ECHO_STATE, echo);
}
