// The limit for voice messages: libopus and nothing else. Frames of 20 ms, three in a packet, one core, no container.
//
//   opus-limit encode IN.wav OUT     16-bit mono WAV to packets of three frames, each behind two bytes of length; set as Parley
//                                    sets it: close to the recording (AUDIO), and known to be speech
//   opus-limit decode IN OUT RATE    and back to samples
#include <opus/opus.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FRAMES = 3 };

static void write_packet(OpusRepacketizer *packets, unsigned char *packet, int space, FILE *out) {
    if (opus_repacketizer_get_nb_frames(packets) == 0) return;
    int size = opus_repacketizer_out(packets, packet, space);
    if (size < 0) exit(1);
    fputc(size & 255, out);
    fputc(size >> 8, out);
    fwrite(packet, 1, (size_t)size, out);
    opus_repacketizer_init(packets);
}

static int encode(FILE *in, FILE *out, int complexity) {
    unsigned char header[44], frames[FRAMES][1276], packet[FRAMES * 1276 + 7];
    short frame[960];
    int error, rate, size, count = 0;
    OpusRepacketizer *packets = opus_repacketizer_create();
    if (fread(header, 1, 44, in) != 44) return 1;
    rate = header[24] | header[25] << 8 | header[26] << 16;
    OpusEncoder *encoder = opus_encoder_create(rate, 1, OPUS_APPLICATION_AUDIO, &error);
    if (error != OPUS_OK) return 1;
    opus_encoder_ctl(encoder, OPUS_SET_BITRATE(24000));
    opus_encoder_ctl(encoder, OPUS_SET_COMPLEXITY(complexity));
    opus_encoder_ctl(encoder, OPUS_SET_SIGNAL(OPUS_SIGNAL_VOICE));
    opus_encoder_ctl(encoder, OPUS_SET_VBR_CONSTRAINT(0));
    opus_repacketizer_init(packets);
    while (fread(frame, 2, rate / 50, in) == (size_t)(rate / 50)) {
        size = opus_encode(encoder, frame, rate / 50, frames[count], sizeof frames[0]);
        if (size < 0) return 1;
        // Frames of another mode do not go together.
        if (opus_repacketizer_cat(packets, frames[count], size) != OPUS_OK) {
            write_packet(packets, packet, sizeof packet, out);
            memmove(frames[0], frames[count], (size_t)size);
            opus_repacketizer_cat(packets, frames[0], size);
            count = 0;
        }
        if (++count < FRAMES) continue;
        write_packet(packets, packet, sizeof packet, out);
        count = 0;
    }
    write_packet(packets, packet, sizeof packet, out);
    opus_repacketizer_destroy(packets);
    opus_encoder_destroy(encoder);
    return 0;
}

static int decode(FILE *in, FILE *out, int rate) {
    unsigned char packet[FRAMES * 1276 + 7];
    short frame[5760];
    int error, low, count;
    OpusDecoder *decoder = opus_decoder_create(rate, 1, &error);
    if (error != OPUS_OK) return 1;
    while ((low = fgetc(in)) != EOF) {
        int size = low | fgetc(in) << 8;
        if (size < 0 || size > (int)sizeof packet || fread(packet, 1, size, in) != (size_t)size) return 1;
        count = opus_decode(decoder, packet, size, frame, 5760, 0);
        if (count < 0) return 1;
        fwrite(frame, 2, count, out);
    }
    opus_decoder_destroy(decoder);
    return 0;
}

int main(int argc, char **argv) {
    if (argc < 4) return 64;
    FILE *in = fopen(argv[2], "rb"), *out = fopen(argv[3], "wb");
    if (!in || !out) return 66;
    int encodes = strcmp(argv[1], "encode") == 0, number = argc > 4 ? atoi(argv[4]) : encodes ? 10 : 48000;
    int code = encodes ? encode(in, out, number) : decode(in, out, number);
    return fclose(out) ? 74 : code;
}
