"""Tones, and what one hears of them."""

import array
import math

RATE = 48_000


def tone(hertz: float, start: int, count: int, channels: int = 1) -> bytes:
    """`count` samples of a tone that began `start` samples ago, 16 bits each."""
    samples = array.array("h")
    for index in range(start, start + count):
        value = int(12_000 * math.sin(2 * math.pi * hertz * index / RATE))
        samples.extend([value] * channels)
    return samples.tobytes()


class Ear:
    """Collects sound and says what pitch it has, by how often it crosses zero."""

    def __init__(self, seconds: float = 0.5):
        self.samples: list[int] = []
        self.most = int(RATE * seconds)

    def hear(self, pcm: bytes, channels: int = 1) -> None:
        samples = array.array("h")
        samples.frombytes(pcm)
        self.samples = (self.samples + list(samples[::channels]))[-self.most:]

    def pitch(self) -> float:
        if len(self.samples) < self.most or max(map(abs, self.samples)) < 1000:
            return 0.0
        rising = [i for i in range(1, len(self.samples)) if self.samples[i - 1] < 0 <= self.samples[i]]
        return 0.0 if len(rising) < 2 else RATE * (len(rising) - 1) / (rising[-1] - rising[0])
