"""People in front of the page: each a browser context of its own, with a face and a voice that can be recognised."""

import os
import shutil
import sys
import unittest
from pathlib import Path

from server import Server

try:
    from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect, sync_playwright
    from playwright.sync_api import Error as PlaywrightError
except ImportError:
    sync_playwright = expect = None
    PlaywrightError = Exception

CHROMIUM = shutil.which("chromium")
PATIENCE = 15_000

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--use-fake-ui-for-media-stream",
    "--use-fake-device-for-media-stream",
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
})
"""


def need_browser() -> None:
    """Skips a whole module, and says so where nobody overlooks it."""
    missing = "Chromium (Debian: apt-get install chromium)" if CHROMIUM is None else ""
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
    """One person with one tab."""

    def __init__(self, context: "BrowserContext", url: str, pitch: int, scripts: tuple[str, ...] = ()):
        self.context = context
        self.pitch = pitch
        self.trouble: list[str] = []
        for script in (VOICE.replace("PITCH", str(pitch)), CUTTABLE, *scripts):
            context.add_init_script(script)
        self.page = self.tab(url)

    def tab(self, url: str) -> "Page":
        """One more tab of the same browser, which is the same person."""
        page = self.context.new_page()
        page.set_default_timeout(PATIENCE)
        page.on("pageerror", lambda error: self.trouble.append(str(error)))
        page.goto(url)
        return page

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

    def cut_line(self) -> None:
        self.page.evaluate("window.lines.at(-1).close()")

    # What they see and hear.

    def is_rung_by(self, name: str) -> None:
        expect(self.page.get_by_role("dialog", name=name)).to_be_visible(timeout=PATIENCE)

    def talks(self) -> None:
        expect(self.page.locator("#stage-clock")).not_to_be_empty(timeout=PATIENCE)

    def is_in_lobby(self) -> None:
        expect(self.page.locator("#home")).to_be_visible(timeout=PATIENCE)

    def reads(self, text: str, within: float = PATIENCE / 1000) -> None:
        expect(self.page.locator("#notices")).to_contain_text(text, timeout=within * 1000)

    def sees_state(self, text: str) -> None:
        expect(self.page.locator("#connection")).to_have_text(text, timeout=PATIENCE)

    def others(self) -> list["Locator"]:
        return self.page.locator(".tile:not(.mine) video").all()

    def hears(self, video: "Locator | None" = None) -> int:
        """The loudest pitch; 0 for silence, and while nobody is there."""
        heard = [video] if video else self.others()[:1]
        return round(heard[0].evaluate(PITCH_OF)) if heard else 0

    def sees_movement(self) -> bool:
        return self.others()[0].evaluate(MOVES)


class Company:
    """A browser, and whoever looks at one server through it."""

    def __init__(self):
        need_browser()
        self._playwright = sync_playwright().start()
        self.browser: Browser = self._playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        self.visitors: list[Visitor] = []

    def visitor(self, server: Server, pitch: int = 440, scripts: tuple[str, ...] = (), **options) -> Visitor:
        # A worker would fetch by itself what `PAGE` puts in place of it.
        workers = "block" if os.environ.get("PAGE") else "allow"
        context = self.browser.new_context(permissions=["camera", "microphone"], service_workers=workers, **options)
        host, port = server.address
        if folder := os.environ.get("PAGE"):
            serve_page_from(context, Path(folder), f"http://{host}:{port}/")
        visitor = Visitor(context, f"http://{host}:{port}/", pitch, scripts)
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
        self._playwright.stop()
