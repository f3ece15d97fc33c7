"""Files in an S3 store, which checks every signature: OpenStack Swift with its S3 door."""

import hashlib
import http.client
import itertools
import os
import subprocess
import tempfile
import unittest
from urllib.parse import urlsplit

import s3store
from people import VOUCHED, Person
from server import TIMEOUT, Server, binary, companions_wanted, eventually
from test_files import MEBIBYTE, Files, form, gif
from wire import Answer

store: s3store.S3Store


def setUpModule():
    global store
    store = unittest.enterModuleContext(s3store.S3Store())


def fetch(url: str, method: str = "GET", **fields) -> Answer:
    """As a browser does that was sent there: without a token."""
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=TIMEOUT)
    connection.request(method, f"{parts.path}?{parts.query}", headers={k.replace("_", "-"): v for k, v in fields.items()})
    answer = connection.getresponse()
    found = Answer(answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read())
    connection.close()
    return found


def heard(server: Server, name: str) -> dict:
    """A line of its journal that may have come before it was ready."""
    return next((event for event in server.log if event["event"] == name), None) or server.event(name)


def need_one_node(test: unittest.TestCase) -> None:
    if companions_wanted():
        test.skipTest("test_nodes_files.py has several")


class S3Files(Files):
    """Each test has a server, and a corner of the store, of its own."""

    # Its store is four programs that are in a hurry with each other.
    mostly_waits = False
    through = False
    links = 3600

    @classmethod
    def setUpClass(cls) -> None:
        pass

    def setUp(self):
        super().setUp()
        need_one_node(self)
        self.prefix = f"t{os.urandom(6).hex()}"
        self.server = self.enterContext(Server(*VOUCHED, "--largest-file", "80M", *self.store_options()))
        heard(self.server, "files.store")

    def store_options(self) -> list[str]:
        keys = store.keys(self.enterContext(Folder()))
        more = ["--files-through-server"] if self.through else []
        return ["--files", store.url(self.prefix, links=self.links), "--files-keys", keys, *more]

    def place(self, content: bytes, ending: str = "") -> str:
        digest = hashlib.sha256(content).hexdigest()
        return f"{self.prefix}/{digest[:2]}/{digest[2:]}{ending}"

    def where(self, person: Person | None, url: str, method: str = "GET") -> str:
        """Where a client is sent to."""
        answer = self.ask(person, method, url)
        self.assertEqual(answer.status, 307, answer.text)
        return answer.headers["location"]


class Folder:
    def __enter__(self) -> str:
        self.folder = tempfile.TemporaryDirectory(prefix="s3-keys-")
        return self.folder.name

    def __exit__(self, *_) -> None:
        self.folder.cleanup()


class Linked(S3Files):
    def test_S01_a_file_lies_in_the_store_and_its_readers_are_sent_there(self):
        """S01.kept"""
        a, b, c = self.person("A"), self.listener("B"), self.person("C")
        picture = gif(900, 600)
        file = self.bring(a, picture, "图 1.gif")
        self.assertEqual(store.objects(self.prefix)[self.place(picture)], len(picture))
        eventually(lambda: (self.kept(), os.listdir(f"{self.server.data}/uploads")) == ([], []), "nothing is left on the disk")
        a.ask("chat.send", user=b.user, kind="image", body={"file": file})
        self.assertEqual(b.expect("chat.entry")["body"]["file"], file)
        eventually(lambda: "thumbnail" in self.describe(b, file), "the small picture is drawn")
        about = self.describe(b, file)
        self.assertEqual((about["type"], about["width"], about["thumbnail"]["width"]), ("image/gif", 900, 300))
        got = fetch(self.where(None, about["url"]))
        self.assertEqual((got.status, got.body), (200, picture))
        self.assertEqual((got.headers["content-type"], got.headers["content-disposition"][:6]), ("image/gif", "inline"))
        self.assertIn("filename*=UTF-8''%E5%9B%BE%201.gif", got.headers["content-disposition"])
        self.assertIn("private", got.headers["cache-control"])
        small = fetch(self.where(None, about["thumbnail"]["url"]))
        self.assertEqual((small.headers["content-type"], int.from_bytes(small.body[16:20], "big")), ("image/png", 300))
        part = fetch(self.where(b, f"/v1/files/{file}/content"), Range="bytes=10-19")
        self.assertEqual((part.status, part.body), (206, picture[10:20]))
        self.assertEqual(fetch(self.where(b, f"/v1/files/{file}/content", "HEAD"), "HEAD").headers["content-length"], str(len(picture)))
        # Only those who may see it are sent anywhere.
        self.assertEqual(self.ask(c, "GET", f"/v1/files/{file}/content").status, 404)
        self.assertEqual(self.ask(None, "GET", f"/v1/files/{file}/content").status, 401)

    def test_S01_a_link_is_for_one_thing_and_cannot_be_changed(self):
        """S01.links"""
        a = self.person("A")
        secret, other = self.describe(a, self.bring(a, b"secret")), self.place(b"other")
        self.bring(a, b"other")
        url = self.where(None, secret["url"])
        self.assertEqual(fetch(url).body, b"secret")
        for changed in (
            url.replace(self.place(b"secret"), other), url.replace("Expires=3600", "Expires=36000"),
            url.replace("response-content-disposition=attachment", "response-content-disposition=inline"),
            url.split("?")[0] + "?",
        ):
            self.assertNotEqual(changed, url)
            self.assertIn(fetch(changed).status, (400, 403), changed)
        self.assertEqual(fetch(url, "DELETE").status, 403)
        self.assertEqual(self.where(None, secret["url"]), url)

    def test_S01_what_could_run_in_a_browser_is_for_saving_there_too(self):
        """S01.harmless"""
        a = self.person("A")
        page = b"<html><script>alert(1)</script>"
        url = self.where(None, self.describe(a, self.bring(a, page, "cat.png"))["url"])
        got = fetch(url)
        self.assertEqual((got.status, got.headers["content-type"]), (200, "text/plain; charset=utf-8"))
        self.assertTrue(got.headers["content-disposition"].startswith("attachment"))
        kept = store.client().head_object(Bucket=store.bucket, Key=self.place(page))
        self.assertEqual((kept["ContentDisposition"], kept["ContentType"]), ("attachment", "text/plain; charset=utf-8"))
        policy = self.ask(None, "GET", "/").headers["content-security-policy"]
        for part in ("img-src 'self' data: blob: ", "media-src 'self' blob: "):
            self.assertIn(part + store.endpoint, policy)

    def test_S01_what_is_long_comes_in_parts_and_the_same_bytes_lie_there_once(self):
        """S01.parts"""
        a, b = self.person("A"), self.person("B")
        content = os.urandom(37 * MEBIBYTE + 5)
        before = self.server.memory("VmRSS")
        self.server.forget_peak()
        files = [self.bring(person, content) for person in (a, b)]
        self.assertLess(self.server.memory("VmHWM") - before, 24 << 10)
        self.assertEqual(store.objects(self.prefix), {self.place(content): len(content)})
        self.assertEqual(store.unfinished(), [])
        self.assertRegex(store.client().head_object(Bucket=store.bucket, Key=self.place(content))["ETag"], r'-3"$')
        for person, file in zip((a, b), files):
            self.assertEqual(fetch(self.where(person, f"/v1/files/{file}/content")).body, content)

    def test_S01_what_nothing_refers_to_goes_from_the_store(self):
        """S01.swept"""
        a = self.person("A")
        kept, gone = os.urandom(1000), gif(900, 600)
        self.bring(a, kept)
        file = self.bring(a, gone)
        # A server that ended between keeping a file and telling its database leaves such a thing. A start looks at 32 of 256 folders.
        unknown = next(b"%d" % n for n in itertools.count() if hashlib.sha256(b"%d" % n).digest()[0] < 32)
        store.client().put_object(Bucket=store.bucket, Key=self.place(unknown), Body=unknown)
        store.client().put_object(Bucket=store.bucket, Key=f"{self.prefix}/notes.txt", Body=b"not ours")
        self.assertEqual(self.ask(a, "DELETE", f"/v1/files/{file}").status, 204)
        if "--store" in self.server.options:
            self.skipTest("beside other nodes nothing goes that is younger than an hour")
        left = {self.place(kept), f"{self.prefix}/notes.txt"}
        self.server.restart()
        eventually(lambda: set(store.objects(self.prefix)) == left, "what is of no use is gone, and nothing else")

    def test_S01_a_form_and_an_old_clients_picture_lie_there_as_well(self):
        """S01.forms"""
        a = self.person("A")
        content = os.urandom(MEBIBYTE)
        body, kind = form("b.bin", content)
        answer = self.ask(a, "POST", "/v1/files", body, Content_Type=kind)
        self.assertEqual(answer.status, 201, answer.text)
        self.assertEqual(fetch(self.where(None, answer.json["url"])).body, content)
        empty = self.describe(a, self.bring(a, b""))
        self.assertEqual((empty["size"], fetch(self.where(None, empty["url"])).body), (0, b""))


class Voice(S3Files):
    def test_S01_a_voice_message_is_sent_and_heard(self):
        """S01.voice"""
        a, b = self.person("A"), self.listener("B")
        sound = f"{self.server.data}/hello.ogg"
        subprocess.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "sine=duration=2", "-c:a", "libopus", sound], check=True)
        with open(sound, "rb") as file:
            content = file.read()
        a.ask("chat.send", user=b.user, kind="voice", body={"file": self.bring(a, content, "hello.ogg"), "duration": 2})
        about = self.describe(b, b.expect("chat.entry")["body"]["file"])
        got = fetch(self.where(None, about["url"]))
        self.assertEqual((got.headers["content-type"], got.body), ("audio/ogg", content))


class ShortLinks(S3Files):
    links = 2

    def test_S01_a_link_to_the_store_ends_when_its_time_is_over(self):
        """S01.ends"""
        a = self.person("A")
        about = self.describe(a, self.bring(a, b"x"))
        url = self.where(None, about["url"])
        eventually(lambda: fetch(url).status == 403, "the link has ended")
        self.assertEqual(fetch(self.where(None, about["url"])).body, b"x")


class Through(S3Files):
    through = True

    def test_S02_downloads_pass_the_server_where_clients_cannot_reach_the_store(self):
        """S02.through"""
        a = self.person("A")
        video = b"\0\0\0\x18ftypisom" + os.urandom(20 * MEBIBYTE)
        about = self.describe(a, self.bring(a, video, "clip.mp4"))
        whole = self.ask(None, "GET", about["url"])
        self.assertEqual((whole.status, whole.body), (200, video))
        self.assertEqual((whole.headers["content-type"], whole.headers["x-content-type-options"]), ("video/mp4", "nosniff"))
        self.assertIn("sandbox", whole.headers["content-security-policy"])
        part = self.ask(None, "GET", about["url"], Range="bytes=1000000-1999999")
        self.assertEqual((part.status, part.body), (206, video[1000000:2000000]))
        self.assertEqual(part.headers["content-range"], f"bytes 1000000-1999999/{len(video)}")
        self.assertEqual(self.ask(None, "GET", about["url"], Range="bytes=99999999-").status, 416)
        self.assertEqual(self.ask(None, "GET", about["url"], If_None_Match=whole.headers["etag"]).status, 304)
        head = self.ask(None, "HEAD", about["url"])
        self.assertEqual((head.status, head.headers["content-length"], head.body), (200, str(len(video)), b""))
        picture = self.bring(a, gif(900, 600))
        eventually(lambda: "thumbnail" in self.describe(a, picture), "the small picture is drawn")
        small = self.ask(None, "GET", self.describe(a, picture)["thumbnail"]["url"])
        self.assertEqual((small.status, small.headers["content-type"]), (200, "image/png"))
        self.assertNotIn(store.endpoint, self.ask(None, "GET", "/").headers["content-security-policy"])
        store.client().delete_object(Bucket=store.bucket, Key=self.place(video))
        self.assertEqual(self.ask(None, "GET", about["url"]).status, 404)

    def test_S02_a_reader_who_is_slow_or_goes_costs_no_memory(self):
        """S02.slow"""
        a = self.person("A")
        about = self.describe(a, self.bring(a, os.urandom(60 * MEBIBYTE)))
        before = self.server.memory("VmRSS")
        self.server.forget_peak()
        lines = [self.server.connect() for _ in range(4)]
        for line in lines:
            line.sendall(f"GET {about['url']} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
            self.assertTrue(line.recv(1000).startswith(b"HTTP/1.1 200"))
        self.assertEqual(self.server.get("/v1/openapi.json")[0], 200)
        for line in lines:
            line.close()
        self.assertEqual(len(self.ask(None, "GET", about["url"]).body), 60 * MEBIBYTE)
        self.assertLess(self.server.memory("VmHWM") - before, 24 << 10)


class Trouble(Files):
    """What is wrong with a store is said where people look, and nothing is lost by it."""

    mostly_waits = False

    @classmethod
    def setUpClass(cls) -> None:
        pass

    def setUp(self):
        super().setUp()
        need_one_node(self)
        self.prefix = f"t{os.urandom(6).hex()}"
        self.folder = self.enterContext(Folder())

    def check(self, *options: str) -> tuple[int, str]:
        done = subprocess.run(
            [binary(), "check", "config", "--stun", "off", "--data", self.folder + "/data", "--listen", "127.0.0.1:0", *options],
            capture_output=True, text=True, timeout=TIMEOUT)
        return done.returncode, done.stdout + done.stderr

    def test_S03_wrong_keys_and_buckets_are_told_at_the_start_with_what_to_do(self):
        """S03.start"""
        wrong = {
            "AWS_SECRET_ACCESS_KEY": ["--files", store.url(), "--files-keys", store.keys(self.folder, secret="other")],
            "AWS_ACCESS_KEY_ID": ["--files", store.url(), "--files-keys", store.keys(self.folder, user="a:b")],
            "make it": ["--files", store.url(bucket="nothere"), "--files-keys", store.keys(self.folder)],
            "refused": ["--files", "s3://files?endpoint=http://127.0.0.1:1", "--files-keys", store.keys(self.folder)],
        }
        for words, options in wrong.items():
            code, text = self.check(*options)
            self.assertNotEqual(code, 0, text)
            self.assertIn(words, text)
            with Server(*VOUCHED, *options) as server:
                self.assertIn(words, heard(server, "files.lost")["reason"])
                status, text = server.get("/readyz", admin=True)
                self.assertEqual(status, 200)
                self.assertIn(words, text)
        code, text = self.check("--files", store.url(self.prefix), "--files-keys", store.keys(self.folder))
        self.assertEqual(code, 0, text)

    def test_S03_options_that_go_nowhere_are_refused_and_secrets_never_shown(self):
        """S03.options"""
        keys = store.keys(self.folder)
        for options in (["--files", "s3://x"], ["--files", store.url()], ["--files-keys", keys], ["--files-through-server"],
                        ["--files", store.url() + "&secret=x", "--files-keys", keys]):
            code, text = self.check(*options)
            self.assertEqual(code, 64, text)
        code, text = self.check("--files", store.url(), "--files-keys", keys)
        self.assertNotIn(s3store.SECRET, text)

    def test_S03_a_store_that_is_away_loses_nothing_that_was_acknowledged(self):
        """S03.away"""
        keys = store.keys(self.folder)
        self.server = self.enterContext(Server(*VOUCHED, "--files", store.url(self.prefix), "--files-keys", keys))
        heard(self.server, "files.store")
        a, b = self.person("A"), self.listener("B")
        first, second = os.urandom(MEBIBYTE), os.urandom(MEBIBYTE)
        file = self.bring(a, first)
        store.stop()
        try:
            place = self.begin(a, len(second))
            refused = self.patch(a, place, 0, second)
            self.assertEqual((refused.status, refused.json["code"]), (503, "unavailable"), refused.text)
            self.assertIn("retry-after", refused.headers)
            self.assertIn("files are not kept", self.server.get("/readyz", admin=True)[1])
            # What is no file goes on.
            a.ask("chat.send", user=b.user, body={"text": "hello"})
            self.assertEqual(b.expect("chat.entry")["body"]["text"], "hello")
            self.server.restart()
        finally:
            store.start()
        self.server.event("files.back")
        told = self.tus(a, "HEAD", place)
        self.assertEqual((told.status, told.headers["upload-offset"]), (200, str(len(second))))
        for content, id in ((first, file), (second, place.rpartition("/")[2])):
            answer = self.ask(a, "GET", f"/v1/files/{id}/content")
            self.assertEqual(fetch(answer.headers["location"]).body, content)
        eventually(lambda: "files are not" not in self.server.get("/readyz", admin=True)[1], "nothing is wrong any more")

    def test_S03_check_and_backup_look_whether_all_files_are_there(self):
        """S03.check"""
        options = ["--files", store.url(self.prefix), "--files-keys", store.keys(self.folder)]
        self.server = self.enterContext(Server(*VOUCHED, *options))
        heard(self.server, "files.store")
        if "--store" in self.server.options:
            self.skipTest("the database is another program's")
        a = self.person("A")
        self.bring(a, b"one")
        self.bring(a, b"two")

        def run(*words: str) -> tuple[int, str]:
            done = subprocess.run([binary(), *words, *options], capture_output=True, text=True, timeout=TIMEOUT)
            return done.returncode, done.stdout + done.stderr

        self.assertEqual(run("check", "--data", self.server.data)[0], 0)
        code, text = run("backup", self.folder + "/copy", "--data", self.server.data)
        self.assertEqual(code, 0, text)
        self.assertIn("stay in s3://files", text)
        digest = hashlib.sha256(b"one").hexdigest()
        key = f"{self.prefix}/{digest[:2]}/{digest[2:]}"
        store.client().delete_object(Bucket=store.bucket, Key=key)
        code, text = run("check", "--data", self.server.data)
        self.assertEqual(code, 1, text)
        self.assertIn(f"{key} is missing", text)
        self.assertNotEqual(run("backup", self.folder + "/copy", "--data", self.server.data)[0], 0)


if __name__ == "__main__":
    unittest.main()
