"""Firefox without a window, driven by its own protocol (WebDriver BiDi)."""

import itertools
import json
import queue
import shutil
import subprocess
import tempfile
import threading
import time
import unittest

import websocket

FIREFOX = shutil.which("firefox-esr") or shutil.which("firefox")
TIMEOUT = 40.0

# Calls on this machine alone: a camera of the browser's own, nobody to ask, and addresses that need no names.
PREFERENCES = {
    "media.navigator.streams.fake": True,
    "media.navigator.permission.disabled": True,
    "media.peerconnection.ice.loopback": True,
    "media.peerconnection.ice.obfuscate_host_addresses": False,
    "media.autoplay.default": 0,
    "media.autoplay.blocking_policy": 0,
    # Nothing is fetched while a test runs.
    "app.update.disabledForTesting": True,
    "browser.shell.checkDefaultBrowser": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "media.gmp-manager.updateEnabled": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "toolkit.telemetry.reportingpolicy.firstRun": False,
}


def need_firefox() -> None:
    if FIREFOX is None:
        raise unittest.SkipTest("Firefox (Debian: apt-get install firefox-esr) is missing")


class Firefox:
    """One browser with one page."""

    def __init__(self, preferences: dict | None = None):
        need_firefox()
        self.profile = tempfile.TemporaryDirectory(prefix="parley-firefox-")
        with open(f"{self.profile.name}/user.js", "w", encoding="utf-8") as file:
            for name, value in (PREFERENCES | (preferences or {})).items():
                file.write(f"user_pref({json.dumps(name)}, {json.dumps(value)});\n")
        self.process = subprocess.Popen(
            [FIREFOX, "--headless", "--no-remote", "--profile", self.profile.name, "--remote-debugging-port", "0"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.socket: websocket.WebSocket | None = None
        self.address: queue.Queue = queue.Queue()
        self.reader = threading.Thread(target=self._read_errors, daemon=True)
        self.reader.start()
        try:
            self._connect()
        except BaseException:
            self.close()
            raise

    def _read_errors(self) -> None:
        """Says once where the protocol is spoken, and keeps the pipe from filling up."""
        for line in self.process.stderr:
            if "WebDriver BiDi listening on " in line:
                self.address.put(line.split("listening on ", 1)[1].strip())

    def _connect(self) -> None:
        url = self.address.get(timeout=TIMEOUT)
        self.socket = websocket.create_connection(f"{url}/session", timeout=TIMEOUT, suppress_origin=True)
        self.numbers = itertools.count(1)
        self.ask("session.new", capabilities={})
        self.context = self.ask("browsingContext.getTree")["contexts"][0]["context"]

    def ask(self, method: str, **params) -> dict:
        number = next(self.numbers)
        self.socket.send(json.dumps({"id": number, "method": method, "params": params}))
        deadline = time.monotonic() + TIMEOUT
        while time.monotonic() < deadline:
            message = json.loads(self.socket.recv())
            if message.get("id") != number:
                continue
            if message["type"] == "error":
                raise AssertionError(f"{method}: {message['error']}: {message['message']}")
            return message["result"]
        raise AssertionError(f"{method}: no answer")

    def open(self, url: str) -> None:
        self.ask("browsingContext.navigate", context=self.context, url=url, wait="complete")

    def evaluate(self, function: str, *arguments):
        """What a function of the page returns, given and taken as JSON."""
        body = f"async (text) => JSON.stringify((await ({function})(...JSON.parse(text))) ?? null)"
        answer = self.ask(
            "script.callFunction", functionDeclaration=body, awaitPromise=True, target={"context": self.context},
            arguments=[{"type": "string", "value": json.dumps(arguments)}])
        if answer["type"] == "exception":
            raise AssertionError(answer["exceptionDetails"]["text"])
        return json.loads(answer["result"]["value"])

    def close(self) -> None:
        if self.socket:
            self.socket.close()
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.reader.join()
        self.process.stderr.close()
        self.profile.cleanup()
