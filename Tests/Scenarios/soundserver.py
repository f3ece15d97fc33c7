"""A sound server without a sound card: each person has a loudspeaker that can be recorded, and a microphone that can be
played into."""

import os
import shutil
import subprocess
import tempfile
import threading
import time
from pathlib import Path

#: Samples are floats, one channel, at this rate.
RATE = 48_000
RAW = ("--raw", "--format=float32le", f"--rate={RATE}", "--channels=1")


def is_installed() -> bool:
    return all(shutil.which(program) for program in ("pulseaudio", "pactl", "pacat", "parec"))


class SoundServer:
    """PulseAudio in a folder of its own, without what a desktop adds."""

    def __init__(self, *people: str):
        self.folder = tempfile.TemporaryDirectory()
        folder = Path(self.folder.name)
        private = {name: str(folder / name) for name in ("HOME", "XDG_RUNTIME_DIR", "PULSE_RUNTIME_PATH")}
        for path in private.values():
            os.mkdir(path, 0o700)
        self.client = {"PULSE_SERVER": f"unix:{folder / 'socket'}", "PULSE_COOKIE": str(folder / "cookie")}
        self.log = open(folder / "log", "w+b")
        self.process = subprocess.Popen(
            ["pulseaudio", "--daemonize=no", "-n", "--exit-idle-time=-1", "--use-pid-file=no", "--log-target=stderr",
             "--high-priority=yes", "--realtime=yes",
             "-L", f"module-native-protocol-unix socket={folder / 'socket'} auth-anonymous=1"],
            env={**os.environ, **private}, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)
        self.environment = {**os.environ, **self.client}
        self.players: list[subprocess.Popen] = []
        try:
            self._wait()
            self.modules = {person: self.add(person) for person in people}
        except BaseException:
            self.close()
            raise

    def _wait(self) -> None:
        deadline = time.monotonic() + 15
        while subprocess.run(["pactl", "info"], env=self.environment, capture_output=True).returncode:
            if time.monotonic() > deadline or self.process.poll() is not None:
                self.log.seek(0)
                raise AssertionError(f"no sound server: {self.log.read().decode()}")
            time.sleep(0.05)

    def load(self, module: str, *arguments: str) -> str:
        done = subprocess.run(
            ["pactl", "load-module", module, *arguments], env=self.environment, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    def unload(self, *modules: str) -> None:
        for module in modules:
            subprocess.run(["pactl", "unload-module", module], env=self.environment, check=True)

    def add(self, person: str) -> dict[str, str]:
        """A microphone and a loudspeaker; the numbers of what makes them, so that they can vanish."""
        shape = (f"rate={RATE}", "channels=1", "format=float32le")
        title = person.capitalize()
        ear = self.load("module-null-sink", f"sink_name={person}-ear", *shape,
                        f"sink_properties=device.description={title}-loudspeaker")
        mouth = self.load("module-null-sink", f"sink_name={person}-mouth", *shape)
        microphone = self.load(
            "module-remap-source", f"source_name={person}-microphone", f"master={person}-mouth.monitor", "channels=1",
            "remix=no", f"source_properties=device.description={title}-microphone")
        return {"ear": ear, "mouth": mouth, "microphone": microphone}

    def devices(self, person: str) -> tuple[str, ...]:
        return ("--input", f"{person}-microphone", "--output", f"{person}-ear")

    def speak(self, person: str, samples: bytes) -> subprocess.Popen:
        """Plays into the microphone, which takes as long as it takes to say it."""
        player = subprocess.Popen(
            ["pacat", "--playback", f"--device={person}-mouth", "--latency-msec=20", *RAW], env=self.environment,
            stdin=subprocess.PIPE)
        threading.Thread(target=self._feed, args=(player, samples), daemon=True).start()
        self.players.append(player)
        return player

    @staticmethod
    def _feed(player: subprocess.Popen, samples: bytes) -> None:
        try:
            player.stdin.write(samples)
            player.stdin.close()
        except OSError:
            return

    def listen(self, source: str) -> "Listening":
        return Listening(source, self.environment)

    def ear(self, person: str) -> "Listening":
        return self.listen(f"{person}-ear.monitor")

    def microphone(self, person: str) -> "Listening":
        return self.listen(f"{person}-microphone")

    def hush(self) -> None:
        """Nobody speaks any more."""
        for player in self.players:
            player.kill()
            player.wait()
            try:
                player.stdin.close()
            except OSError:
                continue
        self.players.clear()

    def close(self) -> None:
        self.hush()
        self.process.terminate()
        self.process.wait()
        self.log.close()
        self.folder.cleanup()


class Listening:
    """Records until it is asked, and knows when its first sample was heard."""

    def __init__(self, source: str, environment: dict):
        self.process = subprocess.Popen(
            ["parec", f"--device={source}", "--latency-msec=10", *RAW], env=environment, stdout=subprocess.PIPE)
        self.samples = bytearray()
        #: Of the first sample, as the quickest of all pieces tells.
        self.began = float("inf")
        self.thread = threading.Thread(target=self._read, daemon=True)
        self.thread.start()

    def _read(self) -> None:
        while piece := os.read(self.process.stdout.fileno(), 65536):
            self.samples += piece
            self.began = min(self.began, time.monotonic() - len(self.samples) / (4 * RATE))

    def stop(self) -> bytes:
        self.process.terminate()
        self.process.wait()
        self.thread.join()
        self.process.stdout.close()
        return bytes(self.samples[: len(self.samples) // 4 * 4])
