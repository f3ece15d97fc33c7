"""The page and its modules come out of the binary itself."""

import gzip
import re
import tempfile
import unittest
import urllib.error
import urllib.request
from pathlib import Path

from server import ROOT, Server

FOLDER = ROOT / "Sources/Assets/Web"
# What a document or a module names in a way that a browser follows at once.
LOADED = re.compile(r"""(?:<link rel="stylesheet" href="|<script type="module" src="|^(?:import|export)\b[^;(]*?from '\./)([\w.-]+)""", re.M)


class ServedFiles(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.server = Server("--allow-origin", "https://friend.example", testing=False)
        cls.addClassCleanup(cls.server.__exit__)

    def get(self, path: str, server: Server | None = None, **fields: str):
        host, port = (server or self.server).address
        named = {name.replace("_", "-"): value for name, value in fields.items()}
        request = urllib.request.Request(f"http://{host}:{port}{path}", headers=named)
        try:
            with urllib.request.urlopen(request, timeout=10) as answer:
                return answer.status, answer.headers, answer.read()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.headers, error.read()

    def test_every_file_is_served_as_it_is_and_as_gzip_with_its_type(self):
        types = {".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
                 ".svg": "image/svg+xml", ".webmanifest": "application/manifest+json"}
        for file in sorted(FOLDER.iterdir()):
            with self.subTest(file.name):
                path = "/" if file.name == "index.html" else f"/{file.name}"
                status, headers, body = self.get(path)
                # Two lines before the worker tell it which files there are.
                lines = 2 if file.name == "worker.js" else 0
                self.assertEqual((status, body.split(b"\n", lines)[-1]), (200, file.read_bytes()))
                self.assertEqual(headers["Content-Type"], types[file.suffix])
                _, headers, body = self.get(path, Accept_Encoding="gzip")
                self.assertEqual(headers["Content-Encoding"], "gzip")
                self.assertEqual(gzip.decompress(body).split(b"\n", lines)[-1], file.read_bytes())

    def test_what_has_not_changed_is_not_sent_twice(self):
        for fields in ({}, {"Accept_Encoding": "gzip"}):
            _, headers, _ = self.get("/parley.js", **fields)
            self.assertEqual(headers["Cache-Control"], "no-cache")
            status, again, body = self.get("/parley.js", If_None_Match=headers["ETag"], **fields)
            self.assertEqual((status, body, again["ETag"]), (304, b"", headers["ETag"]))

    def test_the_page_takes_nothing_from_elsewhere_and_sits_in_no_frame(self):
        _, headers, body = self.get("/")
        policy = headers["Content-Security-Policy"]
        for rule in ("default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "base-uri 'none'"):
            self.assertIn(rule, policy)
        self.assertNotIn("unsafe", policy)
        self.assertEqual(headers["X-Content-Type-Options"], "nosniff")
        self.assertIsNone(re.search(rb"https?://(?!www\.w3\.org)", body))

    def test_the_page_may_use_the_devices_it_uses_and_no_others(self):
        _, headers, _ = self.get("/")
        allowed = dict(rule.split("=") for rule in headers["Permissions-Policy"].split(", "))
        for used in ("camera", "microphone", "display-capture", "geolocation", "fullscreen", "picture-in-picture", "autoplay"):
            self.assertEqual(allowed.pop(used), "(self)", used)
        for used in ("speaker-selection", "clipboard-write"):
            self.assertEqual(allowed.pop(used), "(self)", used)
        for unused in ("usb", "serial", "midi", "payment", "clipboard-read", "idle-detection"):
            self.assertIn(unused, allowed)
        self.assertEqual(set(allowed.values()), {"()"})

    def test_only_what_browsers_hold_to_a_policy_carries_one(self):
        for path, is_guarded in (("/", True), ("/worker.js", True), ("/page-icon.svg", True), ("/parley.js", False), ("/page.css", False)):
            _, headers, _ = self.get(path)
            self.assertEqual("Content-Security-Policy" in headers, is_guarded, path)
            self.assertEqual(headers["X-Content-Type-Options"], "nosniff", path)

    def test_the_first_view_is_small_and_loads_the_rest_when_it_is_needed(self):
        """All that a browser needs until it asks for a name, with the head of each answer: at most 120 KiB."""
        wanted, seen, size = ["/"], set(), 0
        while wanted:
            path = wanted.pop()
            if path in seen:
                continue
            seen.add(path)
            status, headers, body = self.get(path, Accept_Encoding="gzip")
            self.assertEqual(status, 200, path)
            size += len(str(headers)) + len(body)
            text = gzip.decompress(body).decode()
            wanted += [f"/{name}" for name in LOADED.findall(text)]
            # One language of two.
            wanted += ["/page-texts-zh.js"] if path == "/page-texts.js" else []
        self.assertLessEqual(size, 120 * 1024, sorted(seen))
        for part in ("talks", "stage", "me", "crop", "camera", "viewer", "details", "places", "map"):
            self.assertNotIn(f"/page-{part}.js", seen)
        for part in ("call", "calls", "peer", "room", "talk", "path", "screen"):
            self.assertNotIn(f"/parley-{part}.js", seen)

    def test_everything_that_is_loaded_later_is_kept_for_times_without_a_network(self):
        _, _, worker = self.get("/worker.js")
        later = {name for file in FOLDER.glob("*.js") for name in re.findall(r"import\('\./([^']+)'\)\)?[.,;)\s]", file.read_text())}
        self.assertGreater(len(later), 5)
        for name in later:
            self.assertIn(f"'{name}'".encode(), worker)

    def test_a_page_from_elsewhere_may_load_the_modules_when_it_is_on_the_list(self):
        _, headers, _ = self.get("/parley.js", Origin="https://friend.example")
        self.assertEqual(headers["Access-Control-Allow-Origin"], "https://friend.example")
        _, headers, _ = self.get("/parley.js", Origin="https://stranger.example")
        self.assertIsNone(headers["Access-Control-Allow-Origin"])

    def test_a_folder_of_ones_own_takes_their_place(self):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "index.html").write_text("mine")
            with Server("--web", folder, testing=False) as server:
                self.assertEqual(self.get("/", server)[2], b"mine")
                self.assertEqual(self.get("/parley.js", server)[0], 404)


if __name__ == "__main__":
    unittest.main()
