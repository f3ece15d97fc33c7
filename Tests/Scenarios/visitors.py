"""People in front of the page: each a browser context of its own, with a face and a voice that can be recognised."""

import os
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

from firefox import FIREFOX, PREFERENCES, need_firefox
from nssstore import trust
from server import Server
from soundserver import SoundServer

try:
    from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect, sync_playwright
    from playwright.sync_api import Error as PlaywrightError
except ImportError:
    sync_playwright = expect = None
    PlaywrightError = Exception

CHROMIUM = shutil.which("chromium")
# It opens no windows, which takes less CPU, and shows no notifications.
HEADLESS_CHROMIUM = shutil.which("chromium-headless-shell") or CHROMIUM
TIMEOUT = 15_000
if expect:
    expect.set_options(timeout=TIMEOUT)

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--use-fake-ui-for-media-stream",
    "--use-fake-device-for-media-stream=device-count=2",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--autoplay-policy=no-user-gesture-required",
    # Pages in the background talk as well as the one in front.
    "--disable-renderer-backgrounding",
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    # The files of `PAGE` do not come from this machine, as the browser sees it.
    "--disable-features=LocalNetworkAccessChecks",
]

# Everybody speaks in a pitch of their own, through what the browser takes for a microphone. The picture is the
# browser's own test picture, which moves.
VOICE = """
(() => {
  window.opened = [];
  const devices = navigator.mediaDevices;
  if (!devices) return;
  const open = devices.getUserMedia.bind(devices);
  devices.getUserMedia = async (wanted) => {
    const stream = await open(wanted);
    window.opened.push(...stream.getTracks());
    if (!wanted.audio) return stream;
    const context = new AudioContext();
    const target = context.createMediaStreamDestination();
    const oscillator = new OscillatorNode(context, { frequency: PITCH });
    oscillator.connect(new GainNode(context, { gain: 0.4 })).connect(target);
    oscillator.start();
    for (const track of stream.getAudioTracks()) { track.stop(); stream.removeTrack(track); }
    stream.addTrack(target.stream.getAudioTracks()[0]);
    window.opened.push(...target.stream.getAudioTracks());
    return stream;
  };
})();
"""

# Every WebSocket can be cut from outside, as a network does.
CUTTABLE = """
window.lines = [];
window.WebSocket = class extends WebSocket {
  constructor(...options) { super(...options); window.lines.push(this); }
};
"""

# Firefox plays no file where there is no loudspeaker; what goes into a graph it plays all the same.
DEAF = """
(() => {
  const play = HTMLMediaElement.prototype.play;
  const led = new WeakSet();
  let context;
  HTMLMediaElement.prototype.play = function () {
    if (!this.srcObject && !led.has(this)) (context ??= new AudioContext()).createMediaElementSource(this);
    led.add(this);
    return play.call(this);
  };
})();
"""

# The loudest pitch that arrives, or 0 in silence.
PITCH_OF = """
async (video) => {
  if (!video.srcObject?.getAudioTracks().length) return 0;
  const context = new AudioContext();
  const analyser = new AnalyserNode(context, { fftSize: 8192, smoothingTimeConstant: 0 });
  context.createMediaStreamSource(video.srcObject).connect(analyser);
  await new Promise((done) => setTimeout(done, 400));
  const levels = new Float32Array(analyser.frequencyBinCount);
  analyser.getFloatFrequencyData(levels);
  await context.close();
  const loudest = levels.reduce((best, level, index) => (level > levels[best] ? index : best), 0);
  return levels[loudest] < -60 ? 0 : loudest * context.sampleRate / analyser.fftSize;
}
"""

# Resolves when what is shown is not what was shown before.
MOVES = """
(video) => new Promise((moved) => {
  const canvas = new OffscreenCanvas(64, 48);
  const context = canvas.getContext('2d', { willReadFrequently: true });
  let first;
  const look = () => {
    context.drawImage(video, 0, 0, 64, 48);
    const picture = context.getImageData(0, 0, 64, 48).data.join();
    first ??= picture;
    if (picture !== first) moved(true); else video.requestVideoFrameCallback(look);
  };
  video.requestVideoFrameCallback(look);
  setTimeout(() => moved(false), 10_000);
})
"""


def need_browser(shows_notifications: bool = False) -> None:
    """Skips a whole module, and says so where nobody overlooks it."""
    program, package = (CHROMIUM, "chromium") if shows_notifications else (HEADLESS_CHROMIUM, "chromium-headless-shell")
    missing = f"Chromium (Debian: apt-get install {package})" if program is None else ""
    missing = missing or ("Playwright (Scripts/install tests)" if sync_playwright is None else "")
    if missing:
        print(f"\n!! THE PAGE IS NOT TESTED: {missing} is missing\n", file=sys.stderr)
        raise unittest.SkipTest(f"{missing} is missing")


def serve_page_from(context: "BrowserContext", folder: Path, url: str) -> None:
    """The page's files as they lie in a folder, in place of those that were built in: for work on the page."""
    guards = ask_headers(context, url)

    def answer(route) -> None:
        name = route.request.url.removeprefix(url).split("?")[0] or "index.html"
        if (folder / name).is_file():
            route.fulfill(path=folder / name, headers={**guards, "content-type": TYPES[Path(name).suffix]})
        else:
            route.continue_()

    context.route(f"{url}**", answer)


def ask_headers(context: "BrowserContext", url: str) -> dict[str, str]:
    wanted = ("content-security-policy", "permissions-policy", "referrer-policy")
    return {name: value for name, value in context.request.get(url).headers.items() if name in wanted}


TYPES = {".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".json": "application/json",
         ".svg": "image/svg+xml", ".webmanifest": "application/manifest+json"}


CALLS = {"sound": "Voice", "picture": "Video"}


class Visitor:
    """One person with one tab; without a pitch they speak as the browser's own false microphone does."""

    def __init__(self, context: "BrowserContext", url: str, pitch: int, scripts: tuple[str, ...] = ()):
        self.context = context
        self.pitch = pitch
        self.trouble: list[str] = []
        voice = (VOICE.replace("PITCH", str(pitch)),) if pitch else ()
        for script in (*voice, CUTTABLE, *scripts):
            context.add_init_script(script)
        self.page = self.tab(url)

    def tab(self, url: str) -> "Page":
        """One more tab of the same browser, which is the same person."""
        page = self.context.new_page()
        page.set_default_timeout(TIMEOUT)
        page.on("pageerror", self._failed)
        page.goto(url)
        return page

    def _failed(self, error: "PlaywrightError") -> None:
        # Firefox counts a server that is not there among the errors of a page, and what was still loading when the page was left.
        if not str(error).startswith(("Firefox can’t establish a connection", "The connection to ws", "Failed to load ‘")):
            self.trouble.append(str(error))

    # What they do.

    def enter(self, name: str) -> "Visitor":
        self.page.get_by_label("Your name").fill(name)
        self.page.keyboard.press("Enter")
        expect(self.page.locator("#home")).to_be_visible()
        self.name = name
        return self

    def ring(self, name: str, kind: str = "sound") -> None:
        self.page.locator("#lobby").get_by_role("button", name=f"{CALLS[kind]} call with {name}").click()

    def answer(self) -> None:
        self.page.get_by_role("button", name="Answer").click()

    def decline(self) -> None:
        self.page.get_by_role("button", name="Decline").click()

    def hang_up(self) -> None:
        self.page.get_by_role("button", name="Hang up").click()

    def cancel(self) -> None:
        self.page.get_by_role("button", name="Cancel").click()

    def join(self, room: str) -> None:
        self.page.get_by_label("Room name").fill(room)
        self.page.get_by_role("button", name="Voice only").click()

    def open_room(self, room: str) -> None:
        """As the first, whose password and rules are the room's."""
        self.join(room)
        expect(self.page.locator("#stage-title")).to_have_text(f"{room} · 1 person")

    def cut_line(self) -> None:
        self.page.evaluate("window.lines.at(-1).close()")

    # What they see and hear.

    def is_rung_by(self, name: str) -> None:
        expect(self.page.get_by_role("dialog", name=name)).to_be_visible()

    def talks(self) -> None:
        expect(self.page.locator("#stage-clock")).not_to_be_empty()

    def is_in_lobby(self) -> None:
        expect(self.page.locator("#home")).to_be_visible()

    def reads(self, text: str, within: float = TIMEOUT / 1000) -> None:
        expect(self.page.locator("#notices")).to_contain_text(text, timeout=within * 1000)

    def sees_state(self, text: str) -> None:
        expect(self.page.locator("#connection")).to_have_text(text)

    def others(self) -> list["Locator"]:
        return self.page.locator(".tile:not(.mine) video").all()

    def hears(self, video: "Locator | None" = None) -> int:
        """The loudest pitch; 0 for silence, and while nobody is there."""
        heard = [video] if video else self.others()[:1]
        return round(heard[0].evaluate(PITCH_OF)) if heard else 0

    def sees_movement(self) -> bool:
        return self.others()[0].evaluate(MOVES)


class Company:
    """A browser, and everybody who looks at one server through it.

    It may run in a network namespace, trust a certificate of a test, and stand beside another browser, to be closed before it.
    """

    def __init__(self, name: str = "chromium", netns: str | None = None, trusts: str | None = None, beside: "Company | None" = None,
                 has_loudspeaker: bool = False, shows_notifications: bool = False, flags: tuple[str, ...] = ()):
        need_browser(shows_notifications)
        self._flags = flags
        self._chromium_program = CHROMIUM if shows_notifications else HEADLESS_CHROMIUM
        self.name = name
        self._netns = netns
        self._trusts = trusts
        self._folder = tempfile.TemporaryDirectory(prefix="parley-browser-")
        self._beside = beside
        self._sound = SoundServer("browser") if has_loudspeaker else None
        self._playwright = beside._playwright if beside else sync_playwright().start()
        self.browser: Browser = {"chromium": self._chromium, "firefox": self._firefox}[name]()
        self.visitors: list[Visitor] = []

    def _chromium(self) -> "Browser":
        program = self._chromium_program
        if self._netns:
            program = self._program(f'export HOME={self._folder.name}\nexec ip netns exec {self._netns} "{program}" "$@"')
        if self._trusts:
            trust(self._trusts, Path(self._folder.name, ".pki/nssdb"))
        return self._playwright.chromium.launch(executable_path=program, args=[*FLAGS, *self._flags])

    def _firefox(self) -> "Browser":
        need_firefox()
        relay = Path(__file__).with_name("firefox_relay.py")
        options = f"--netns {self._netns} " if self._netns else ""
        options += f"--trusts {self._trusts}" if self._trusts else ""
        program = self._program(f'exec "{sys.executable}" "{relay}" {options} "{FIREFOX}" "$@"')
        return self._playwright.firefox.launch(channel="moz-firefox", executable_path=program, firefox_user_prefs=PREFERENCES,
                                               env={**os.environ, **(self._sound.client if self._sound else {})})

    def _program(self, line: str) -> Path:
        program = Path(self._folder.name, self.name)
        program.write_text(f"#!/bin/sh\n{line}\n")
        program.chmod(0o755)
        return program

    def _context(self, **options) -> "BrowserContext":
        # A worker would fetch by itself what `PAGE` puts in place of it.
        if os.environ.get("PAGE"):
            options["service_workers"] = "block"
        # Firefox asks nobody: its preferences say so.
        permissions = {"permissions": ["camera", "microphone"]} if self.name == "chromium" else {}
        return self.browser.new_context(**permissions, **options)

    def visitor(self, server: Server, pitch: int = 440, scripts: tuple[str, ...] = (), **options) -> Visitor:
        host, port = server.address
        return self.visitor_at(f"http://{host}:{port}/", pitch, scripts, **options)

    def visitor_at(self, url: str, pitch: int, scripts: tuple[str, ...] = (), **options) -> Visitor:
        context = self._context(**options)
        scripts += (DEAF,) if self.name == "firefox" and not self._sound else ()
        if folder := os.environ.get("PAGE"):
            serve_page_from(context, Path(folder), url)
        visitor = Visitor(context, url, pitch, scripts)
        self.visitors.append(visitor)
        return visitor

    def go_home(self) -> list[str]:
        """Everybody leaves; what went wrong on their pages is the answer."""
        trouble = [line for visitor in self.visitors for line in visitor.trouble]
        for visitor in self.visitors:
            visitor.context.close()
        self.visitors.clear()
        return trouble

    def close(self) -> None:
        self.browser.close()
        if not self._beside:
            self._playwright.stop()
        if self._sound:
            self._sound.close()
        self._folder.cleanup()
