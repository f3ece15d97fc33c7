"""Recorded speech to measure with: the 16 kHz prompts of Debian's asterisk-core-sounds-en-g722."""

import random
import subprocess
import wave
from pathlib import Path

import bench

PACKAGES = ["asterisk-core-sounds-en-g722", "opus-tools", "ffmpeg"]
FOLDER = bench.OUT / "speech"


def prompts():
    """All prompts as WAV files of 16 kHz, in an order that is always the same."""
    folder = FOLDER / "prompts"
    if not folder.exists():
        part = folder.with_suffix(".part")
        part.mkdir(parents=True, exist_ok=True)
        for path in sorted(Path("/usr/share/asterisk/sounds").rglob("*.g722")):
            name = "-".join(path.parts[-2:])
            convert("-f", "g722", "-i", path, part / f"{name}.wav")
        part.rename(folder)
    return sorted(folder.glob("*.wav"))


def convert(*arguments):
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-y", *map(str, arguments)], check=True)


def samples(path):
    with wave.open(str(path)) as file:
        return file.readframes(file.getnframes())


def write(path, rate, sound):
    path.parent.mkdir(parents=True, exist_ok=True)
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(sound)
    return path


def all_speech():
    """Every prompt, one after the other: about 17 minutes."""
    order = prompts()
    random.Random(1).shuffle(order)
    return b"".join(samples(path) for path in order)


def long_file(rate, seconds):
    path = FOLDER / f"long-{seconds}-{rate}.wav"
    if path.exists():
        return path
    speech = all_speech()
    narrow = write(FOLDER / f"long-{seconds}-16000.wav", 16000, (speech * 4)[: seconds * 32000])
    if rate != 16000:
        convert("-i", narrow, "-ar", rate, "-bitexact", path)
    return path


def many_files(count):
    """Files of 5 to 30 seconds at 48 kHz."""
    folder = FOLDER / f"many-{count}"
    if len(list(folder.glob("*.wav"))) == count:
        return sorted(folder.glob("*.wav"))
    speech, rng = all_speech(), random.Random(2)
    for index in range(count):
        length = int(rng.uniform(5, 30) * 16000) * 2
        start = rng.randrange(0, (len(speech) - length) // 2) * 2
        narrow = write(folder / f"{index}.n", 16000, speech[start:start + length])
        convert("-f", "wav", "-i", narrow, "-ar", 48000, "-bitexact", folder / f"{index:03}.wav")
        narrow.unlink()
    return sorted(folder.glob("*.wav"))
