#pragma once

#include <opus.h>
#include <opus_multistream.h>

// The control calls of libopus are variadic, which Swift cannot call: one wrapper for each kind of argument.

static inline int parley_opus_encoder_set(OpusEncoder *encoder, int request, opus_int32 value) {
    return opus_encoder_ctl(encoder, request, value);
}

static inline int parley_opus_encoder_get(OpusEncoder *encoder, int request, opus_int32 *value) {
    return opus_encoder_ctl(encoder, request, value);
}

static inline int parley_opus_encoder_reset(OpusEncoder *encoder) {
    return opus_encoder_ctl(encoder, OPUS_RESET_STATE);
}

static inline int parley_opus_decoder_set(OpusDecoder *decoder, int request, opus_int32 value) {
    return opus_decoder_ctl(decoder, request, value);
}

static inline int parley_opus_decoder_reset(OpusDecoder *decoder) {
    return opus_decoder_ctl(decoder, OPUS_RESET_STATE);
}

static inline int parley_opus_multistream_decoder_set(OpusMSDecoder *decoder, int request, opus_int32 value) {
    return opus_multistream_decoder_ctl(decoder, request, value);
}
