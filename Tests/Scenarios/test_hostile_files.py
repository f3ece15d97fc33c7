"""Recordings that lie: `parley voice decode` and `info` end in time, stay small, say why, and leave nothing half written."""

import contextlib
import itertools
import json
import struct
import subprocess
import threading
import unittest
from pathlib import Path

from hostile import STEERING, HostileCase, run
from server import binary

SUCCESS, DATA_ERROR = 0, 65


def _checksums() -> list[int]:
    table = []
    for value in range(256):
        value <<= 24
        for _ in range(8):
            value = (value << 1 ^ 0x04C11DB7) if value & 0x8000_0000 else value << 1
        table.append(value & 0xFFFF_FFFF)
    return table


CHECKSUMS = _checksums()


def page(packets: list[bytes], sequence: int, granule: int = 0, kind: int = 0, serial: int = 1) -> bytes:
    """An Ogg page of whole packets (RFC 3533)."""
    lacing = b"".join(b"\xff" * (len(packet) // 255) + bytes([len(packet) % 255]) for packet in packets)
    data = bytearray(
        b"OggS\x00" + bytes([kind]) + struct.pack("<qIII", granule, serial, sequence, 0) + bytes([len(lacing)]) + lacing
        + b"".join(packets))
    check = 0
    for byte in data:
        check = (check << 8 & 0xFFFF_FFFF) ^ CHECKSUMS[check >> 24 ^ byte]
    data[22:26] = struct.pack("<I", check)
    return bytes(data)


def head(channels: int = 1, gain: int = 0, table: bytes = b"") -> bytes:
    """OpusHead (RFC 7845 §5.1); with a table of channels it is of mapping family 255."""
    start = b"OpusHead\x01" + bytes([channels]) + struct.pack("<HIh", 0, 48_000, gain)
    return start + (b"\xff\x01\x00" + table if table else b"\x00")


def tags(vendor: bytes = b"x", comments: tuple[bytes, ...] = ()) -> bytes:
    return (b"OpusTags" + struct.pack("<I", len(vendor)) + vendor + struct.pack("<I", len(comments))
            + b"".join(struct.pack("<I", len(comment)) + comment for comment in comments))


#: 120 ms of silence: two frames of 60 ms without a byte (RFC 6716 §3.2.3).
SILENCE = b"\x19"
#: 20 ms.
SHORT = b"\x08"


def ogg(*pages: bytes, start: bytes = head(), second: bytes = tags()) -> bytes:
    return page([start], 0, kind=2) + page([second], 1) + b"".join(pages)


def wav(data: bytes, size: int | None = None, kind: int = 1, channels: int = 1, rate: int = 48_000, bits: int = 16,
        align: int | None = None) -> bytes:
    align = channels * bits // 8 if align is None else align
    form = struct.pack("<HHIIHH", kind, channels, rate, rate * align & 0xFFFF_FFFF, align & 0xFFFF, bits)
    size = len(data) if size is None else size
    return b"RIFF" + struct.pack("<I", min(36 + size, 0xFFFF_FFFF)) + b"WAVEfmt " + struct.pack("<I", 16) + form + b"data" + struct.pack(
        "<I", size) + data


class HostileFiles(HostileCase):
    mostly_waits = False

    def decode(self, content: bytes, code: int | tuple[int, ...] = (SUCCESS, DATA_ERROR), says: str = "") -> Path | None:
        """The result, if there is one."""
        source, result = self.folder / "note.ogg", self.folder / "note.wav"
        source.write_bytes(content)
        result.unlink(missing_ok=True)
        for words in (("decode", source, "-o", result), ("info", source), ("info", "--json", source)):
            end = run("voice", *words, within=180)
            self.check(end, code, says, within=180)
            self.is_plain(end.out)
        if end.code == SUCCESS:
            json.loads(end.out)
        self.assertLessEqual({path.name for path in self.folder.iterdir()}, {"note.ogg", "note.wav"}, "nothing is left over")
        self.assertEqual(result.exists(), end.code == SUCCESS, "a result is whole or none")
        return result if result.exists() else None

    def test_pages_without_anything_in_them_are_passed_over(self):
        self.decode(ogg(*(page([], number) for number in range(2, 20_000))))
        self.decode(page([], 0) * 20_000, code=DATA_ERROR, says="note.ogg")

    def test_streams_chained_without_end_are_read_to_the_end(self):
        one = ogg(page([SHORT], 2, granule=960, kind=4))
        self.decode(one * 2_000, code=SUCCESS)

    def test_a_stream_of_many_channels_is_refused(self):
        for channels in (65, 255):
            self.decode(ogg(page([SHORT], 2), start=head(channels, table=bytes(channels))), code=DATA_ERROR)
        self.decode(ogg(page([SHORT], 2), start=head(0)), code=DATA_ERROR)

    def test_a_kilobyte_does_not_become_a_gigabyte(self):
        packets = 255
        pages = [page([SILENCE] * packets, 2 + number, granule=(number + 1) * packets * 5760) for number in range(400)]
        result = self.decode(
            ogg(*pages, start=head(64, table=bytes(64))), code=DATA_ERROR, says="more sound than a file of its size holds")
        self.assertIsNone(result)
        # What a telephone makes of two minutes of silence is none of that.
        silence = [page([SILENCE] * 50, 2 + number, granule=(number + 1) * 50 * 5760) for number in range(20)]
        result = self.decode(ogg(*silence), code=SUCCESS)
        self.assertEqual(len(result.read_bytes().partition(b"data")[2]) - 4, 20 * 50 * 5760 * 2)

    def test_gain_and_time_at_their_ends_end_nothing(self):
        for gain in (-32768, 32767):
            self.decode(ogg(page([bytes([0xF8]) + bytes(range(60))] * 20, 2, granule=19_200), start=head(gain=gain)))
        for granule in (2**63 - 1, -2**63, -1, 0):
            self.decode(ogg(page([SHORT], 2, granule=granule), page([SHORT], 3, granule=5), page([SHORT], 4, granule=granule, kind=4)))

    def test_descriptions_that_claim_more_than_is_there_are_refused(self):
        for second in (b"OpusTags" + b"\xff" * 4, b"OpusTags\x00\x00\x00\x00\xff\xff\xff\xff", b"OpusTags", b"x" * 600):
            self.decode(ogg(page([SHORT], 2), second=second), code=DATA_ERROR)
        # A description without an end.
        endless = b"".join(page([b"x" * 255 * 254], number, kind=1) for number in range(2, 100))
        self.decode(page([head()], 0, kind=2) + endless, code=DATA_ERROR)

    def test_tags_steer_no_terminal(self):
        named = f"TITLE={STEERING}\n".encode()
        self.decode(ogg(page([SHORT], 2, granule=960), second=tags(STEERING.encode(), (named,) * 50)), code=SUCCESS)

    def test_WAV_files_that_claim_what_they_have_not_are_read_or_refused(self):
        sound = bytes(9_600)
        for content in (
            wav(sound, size=0xFFFF_FFFE), wav(sound, size=0x7FFF_FFF0), wav(sound, size=1 << 30), wav(sound, align=0), wav(sound, align=1),
            wav(sound, rate=0), wav(sound, rate=0xFFFF_FFFF), wav(sound, channels=0), wav(sound, channels=0xFFFF), wav(sound, bits=0),
            wav(sound, bits=0xFFFF), wav(sound, kind=0xFFFE), wav(b""), wav(sound)[:30], wav(sound)[:44],
            b"RF64\xff\xff\xff\xffWAVEds64" + struct.pack("<IQQQI", 28, *[2**64 - 1] * 3, 0) + wav(sound, size=0xFFFF_FFFF)[12:],
            b"RIFF\xff\xff\xff\xffWAVE" + (b"junk" + struct.pack("<I", 0)) * 50_000,
            b"RIFF\xff\xff\xff\xffWAVEjunk\xff\xff\xff\xff", b"RIFF\x00\x00\x00\x00WAVEfmt \xff\xff\xff\xff",
        ):
            with self.subTest(content[:48]):
                self.decode(content)

    def test_samples_that_are_no_numbers_are_silence(self):
        odd = struct.pack("<ffffff", float("nan"), float("inf"), float("-inf"), 3e38, -3e38, 1e-45) * 5_000
        result = self.decode(wav(odd, kind=3, bits=32), code=SUCCESS)
        self.assertEqual(set(result.read_bytes().partition(b"data")[2][4:]), {0})

    def test_WebM_files_that_lie_about_sizes_are_refused(self):
        start = b"\x1a\x45\xdf\xa3\x80"
        for rest in (
            b"\x18\x53\x80\x67\x01\xff\xff\xff\xff\xff\xff\xff" * 20_000, b"\x1f\x43\xb6\x75\xff" * 50_000,
            b"\x18\x53\x80\x67\xff\x16\x54\xae\x6b\x01\xff\xff\xff\xff\xff\xff\xfe", b"\x18\x53\x80\x67\xff\xec\x01\xff\xff\xff\xff\xff\xff\xfe",
            b"\x00" * 50_000, b"\xa3\x80" * 50_000, b"\xff" * 1_000,
        ):
            with self.subTest(rest[:16]):
                self.decode(start + rest, code=DATA_ERROR)

    def test_other_kinds_that_lie_are_refused_by_their_readers(self):
        for content in (
            b"fLaC\x00\x00\x00\x22" + b"\xff" * 34, b"fLaC" + bytes(1_000), b"FORM\xff\xff\xff\xffAIFFCOMM\x00\x00\x00\x12" + b"\xff" * 18,
            b".snd\x00\x00\x00\x18\xff\xff\xff\xff\x00\x00\x00\x1b\xff\xff\xff\xff\xff\xff\xff\xff", b"#!AMR\n" + b"\x3c" * 1_000,
            b"\x00\x00\x00\x20ftypM4A \x00\x00\x00\x00" + b"\xff" * 1_000, b"\xff\xf1" + b"\xff" * 1_000, b"ID3\x04\x00\x00\x7f\x7f\x7f\x7f",
            b"", b"x", b"\x00" * 100_000,
        ):
            with self.subTest(content[:16]):
                self.decode(content)

    def test_a_pipe_without_end_is_read_as_long_as_it_is_wanted(self):
        """Sound that flows for ever flows through in little memory."""
        process = subprocess.Popen(
            [str(binary()), "voice", "decode", "--headerless", "-o", "-", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL)

        def feed() -> None:
            try:
                process.stdin.write(ogg())
                for number in itertools.count(2):
                    process.stdin.write(page([SILENCE] * 50, number, granule=(number - 1) * 50 * 5760))
            except OSError:
                pass

        threading.Thread(target=feed, daemon=True).start()
        total = 0
        while total < 20 << 20:
            piece = process.stdout.read(1 << 20)
            self.assertTrue(piece, "it ended")
            total += len(piece)
        peak = next(line for line in Path(f"/proc/{process.pid}/status").read_text().splitlines() if line.startswith("VmHWM"))
        process.kill()
        process.wait()
        process.stdout.close()
        with contextlib.suppress(OSError):
            process.stdin.close()
        self.assertLess(int(peak.split()[1]), 256 << 10)


if __name__ == "__main__":
    unittest.main()
