import base64
import hashlib
import http.client
import json
import os
import resource
import socket
import subprocess
import tempfile
import unittest
import wave
from pathlib import Path

from people import Person
from pitch import tone
from server import TIMEOUT, binary, eventually, of_one_process
from talk import Talk
from wire import Answer

MEBIBYTE = 1 << 20


def gif(width: int, height: int) -> bytes:
    """A picture in the simplest form: codes of eight bits that are never packed."""
    size = width.to_bytes(2, "little") + height.to_bytes(2, "little")
    codes = bytearray()
    for pixel in range(width * height):
        if pixel % 100 == 0:
            codes.append(128)
        codes.append(pixel & 1)
    codes.append(129)
    blocks = b"".join(bytes([len(part)]) + part for part in (codes[i : i + 255] for i in range(0, len(codes), 255)))
    return b"GIF89a" + size + b"\x80\0\0" + b"\xff\0\0\0\0\xff" + b",\0\0\0\0" + size + b"\0\x07" + blocks + b"\0;"


def form(name: str, content: bytes, field: str = "file") -> tuple[bytes, str]:
    head = f'--xyz\r\nContent-Disposition: form-data; name="{field}"; filename="{name}"\r\nContent-Type: image/jpg\r\n\r\n'
    return b'--xyz\r\nContent-Disposition: form-data; name="a"\r\n\r\nb\r\n' + head.encode() + content + b"\r\n--xyz--\r\n", (
        "multipart/form-data; boundary=xyz")


class Files(Talk):
    """Files as clients bring and fetch them."""

    def ask(self, person: Person | None, method: str, target: str, body: bytes = b"", **fields) -> Answer:
        headers = {"Authorization": f"Bearer {person.token}"} if person else {}
        headers |= {name.replace("_", "-"): str(value) for name, value in fields.items()}
        connection = http.client.HTTPConnection(*self.server.address, timeout=TIMEOUT)
        connection.request(method, target, body=body, headers=headers)
        answer = connection.getresponse()
        found = Answer(answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read())
        connection.close()
        return found

    def tus(self, person: Person, method: str, target: str, body: bytes = b"", **fields) -> Answer:
        answer = self.ask(person, method, target, body, **({"Tus_Resumable": "1.0.0"} | fields))
        self.assertEqual(answer.headers["tus-resumable"], "1.0.0")
        return answer

    def begin(self, person: Person, length: int, name: str = "a.bin") -> str:
        label = base64.b64encode(name.encode()).decode()
        answer = self.tus(person, "POST", "/v1/uploads", Upload_Length=length, Upload_Metadata=f"filename {label},x")
        self.assertEqual(answer.status, 201, answer.text)
        self.assertIn("GMT", answer.headers["upload-expires"])
        return answer.headers["location"]

    def patch(self, person: Person, place: str, offset: int, body: bytes, **fields) -> Answer:
        fields = {"Content_Type": "application/offset+octet-stream", "Upload_Offset": offset} | fields
        return self.tus(person, "PATCH", place, body, **fields)

    def bring(self, person: Person, content: bytes, name: str = "a.bin") -> str:
        place = self.begin(person, len(content), name)
        if content:
            answer = self.patch(person, place, 0, content)
            self.assertEqual((answer.status, answer.headers["upload-offset"]), (204, str(len(content))), answer.text)
        return place.rpartition("/")[2]

    def describe(self, person: Person, file: str) -> dict:
        answer = self.ask(person, "GET", f"/v1/files/{file}")
        self.assertEqual(answer.status, 200, answer.text)
        return answer.json

    def with_thumbnail(self, person: Person, file: str) -> dict:
        """With its thumbnail, which on a busy machine comes half a second later than the file."""
        eventually(lambda: "thumbnail" in self.describe(person, file), "the thumbnail is drawn")
        return self.describe(person, file)

    def kept(self) -> list[Path]:
        return [path for path in Path(self.server.data, "files").rglob("*") if path.is_file()]


@of_one_process
class RoomTests(Files):
    options = ("--largest-file", "9000G", "--files-per-user", "9000G")

    def test_what_is_promised_has_to_fit_together(self):
        disk = os.statvfs(self.server.data)
        most = disk.f_bavail * disk.f_frsize * 6 // 10
        a, b = self.person("A"), self.person("B")
        first = self.begin(a, most)
        refused = self.tus(b, "POST", "/v1/uploads", Upload_Length=most)
        self.assertEqual((refused.status, refused.json["code"]), (507, "no_room"))
        self.assertEqual(len(list(Path(self.server.data, "uploads").iterdir())), 1)
        self.bring(b, b"something small")
        self.assertEqual(self.tus(a, "DELETE", first).status, 204)
        self.begin(b, most)


class FileTests(Files):
    options = ("--largest-file", "8M", "--files-per-user", "20M")

    def test_D05_up_to_five_pictures_arrive_unchanged(self):
        a, b = self.person("A"), self.listener("B")
        pictures = [gif(20 + n, 10) for n in range(5)]
        for picture in pictures:
            self.say_file(a, b, "image", self.bring(a, picture, "图 1.gif"))
        for picture in pictures:
            entry = b.expect("chat.entry")
            about = self.describe(b, entry["body"]["file"])
            self.assertEqual((about["type"], about["name"], about["size"]), ("image/gif", "图 1.gif", len(picture)))
            got = self.ask(None, "GET", about["url"])
            self.assertEqual((got.status, got.body), (200, picture))
            self.assertEqual(got.headers["x-content-type-options"], "nosniff")
            self.assertIn("sandbox", got.headers["content-security-policy"])
            self.assertIn("filename*=UTF-8''%E5%9B%BE%201.gif", got.headers["content-disposition"])

    def say_file(self, a: Person, b: Person, kind: str, file: str) -> dict:
        answer = a.ask("chat.send", user=b.user, kind=kind, body={"file": file})
        self.assertNotIn("error", answer)
        return answer

    def test_D07_a_picture_has_its_true_size_and_a_thumbnail(self):
        a = self.person("A")
        about = self.with_thumbnail(a, self.bring(a, gif(900, 600)))
        self.assertEqual((about["width"], about["height"]), (900, 600))
        small = about["thumbnail"]
        self.assertEqual((small["width"], small["height"]), (300, 200))
        got = self.ask(None, "GET", small["url"])
        self.assertEqual((got.status, got.headers["content-type"]), (200, "image/png"))
        self.assertEqual(int.from_bytes(got.body[16:20], "big"), 300)
        for form in ("jpg", "png", "webp"):
            about = self.with_thumbnail(a, self.bring(a, self.drawn(900, 600, form)))
            small = about["thumbnail"]
            sizes = (about["width"], about["height"], small["width"], small["height"])
            self.assertEqual((about["type"], sizes), (f"image/{form.replace('jpg', 'jpeg')}", (900, 600, 300, 200)))
            self.assertEqual(self.ask(None, "GET", small["url"]).status, 200)
        about = self.describe(a, self.bring(a, gif(200, 100)))
        self.assertEqual(about["thumbnail"], {"url": about["url"], "width": 200, "height": 100})
        broken = self.describe(a, self.bring(a, gif(900, 600)[:19] + b"\1\2\3"))
        self.assertEqual((broken["width"], "thumbnail" in broken), (900, False))
        self.assertEqual(self.ask(a, "GET", f"/v1/files/{broken['file']}/thumbnail").status, 404)

    def test_K11_a_voice_message_without_length_and_waveform_is_heard_with_both(self):
        """K11.measured"""
        a, b = self.person("A"), self.listener("B")
        for name in ("note.wav", "note.ogg"):
            path = self.recording(name)
            self.say_file(a, b, "voice", self.bring(a, path.read_bytes()))
            entry = b.expect("chat.entry")
            self.assertEqual(list(entry["body"]), ["file"])
            about = self.measured(b, entry["body"]["file"])
            told = subprocess.run([binary(), "voice", "info", "--json", path], check=True, capture_output=True)
            told = json.loads(told.stdout)
            self.assertEqual(about["duration"], round(told["duration"], 3))
            self.assertEqual(about["duration"], 2)
            self.assertEqual(about["waveform"], told["waveform"]["message"])
            self.assertEqual(len(about["waveform"]), 60)
            self.assertGreater(min(about["waveform"][2:28]), 30)
            self.assertLess(max(about["waveform"][32:]), 5)
        self.assertEqual(list(Path(self.server.data, "uploads").iterdir()), [])

    def test_K11_what_cannot_be_decoded_is_an_ordinary_file(self):
        """K11.hostile"""
        a, b = self.person("A"), self.listener("B")
        good = self.recording("note.ogg").read_bytes()
        broken = {
            "cut": good[:40], "head": good[:28] + b"\xff" * 30 + good[58:], "empty": b"OggS",
            "noise": b"OggS" + os.urandom(100_000), "wav": b"RIFF\xff\xff\xff\xffWAVEfmt \x10\0\0\0",
        }
        files = []
        for name, content in broken.items():
            self.say_file(a, b, "voice", self.bring(a, content, name))
            files.append(b.expect("chat.entry")["body"]["file"])
            about = self.describe(b, files[-1])
            self.assertNotIn("duration", about, name)
            self.assertNotIn("waveform", about, name)
            self.assertEqual(self.ask(None, "GET", about["url"]).body, content)
        # Users take turns, one recording after the other: when this one is measured, those before were looked at.
        self.measured(a, self.bring(a, good))
        for file in files:
            self.assertNotIn("duration", self.describe(b, file))

    def measured(self, person: Person, file: str) -> dict:
        """An upload is answered after half a second, measured or not."""
        eventually(lambda: "duration" in self.describe(person, file), "the recording is measured")
        return self.describe(person, file)

    def recording(self, name: str) -> Path:
        """A tone of a second, and a second of silence."""
        folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        with wave.open(f"{folder}/note.wav", "wb") as file:
            file.setparams((1, 2, 48_000, 0, "NONE", ""))
            file.writeframes(tone(440, 0, 48_000) + bytes(2 * 48_000))
        if name.endswith("ogg"):
            subprocess.run([binary(), "voice", "encode", f"{folder}/note.wav", "-o", f"{folder}/{name}"], check=True, capture_output=True)
        return folder / name

    def drawn(self, width: int, height: int, form: str) -> bytes:
        """A picture as other programs write it."""
        picture = f"testsrc=size={width}x{height}"
        made = subprocess.run(
            ["ffmpeg", "-v", "error", "-f", "lavfi", "-i", picture, "-frames:v", "1", "-f", "image2pipe", "-c:v",
             {"jpg": "mjpeg", "png": "png", "webp": "libwebp"}[form], "-"], check=True, capture_output=True)
        return made.stdout

    def test_D11_a_video_comes_in_pieces_and_goes_out_in_ranges(self):
        a, b = self.person("A"), self.listener("B")
        video = b"\0\0\0\x18ftypisom" + os.urandom(3 * MEBIBYTE)
        place = self.begin(a, len(video), "/tmp/../c:\\x\\clip.mp4")
        middle = len(video) // 2
        self.assertEqual(self.patch(a, place, 0, video[:middle]).status, 204)
        told = self.tus(a, "HEAD", place)
        self.assertEqual((told.headers["upload-offset"], told.headers["upload-length"]), (str(middle), str(len(video))))
        self.assertEqual(self.patch(a, place, middle, video[middle:]).headers["upload-offset"], str(len(video)))
        self.assertEqual(self.tus(a, "HEAD", place).headers["upload-offset"], str(len(video)))
        self.say_file(a, b, "video", place.rpartition("/")[2])
        about = self.describe(b, b.expect("chat.entry")["body"]["file"])
        self.assertEqual((about["type"], about["name"]), ("video/mp4", "clip.mp4"))
        part = self.ask(None, "GET", about["url"], Range="bytes=1000000-1999999")
        self.assertEqual((part.status, part.body), (206, video[1000000:2000000]))
        self.assertEqual(part.headers["content-range"], f"bytes 1000000-1999999/{len(video)}")
        self.assertEqual(self.ask(None, "GET", about["url"], Range="bytes=99999999-").status, 416)
        self.assertEqual(part.headers["etag"], f'"{hashlib.sha256(video).hexdigest()}"')
        self.assertEqual(self.ask(None, "GET", about["url"], If_None_Match=part.headers["etag"]).status, 304)

    def test_B07_bytes_go_both_ways_also_in_a_form(self):
        a = self.person("A")
        content = os.urandom(MEBIBYTE)
        body, kind = form('C:\\a\\"b".jpg', content, "image")
        answer = self.ask(a, "POST", "/v1/files", body, Content_Type=kind)
        self.assertEqual(answer.status, 201, answer.text)
        self.assertEqual((answer.json["type"], answer.json["size"]), ("application/octet-stream", MEBIBYTE))
        got = self.ask(None, "GET", answer.json["url"])
        self.assertEqual(got.body, content)
        self.assertTrue(got.headers["content-disposition"].startswith("attachment"))
        for body, kind, status in ((body[:-30], kind, 400), (b"x", "text/plain", 415), (b"x", kind, 400)):
            self.assertEqual(self.ask(a, "POST", "/v1/files", body, Content_Type=kind).status, status)
        eventually(lambda: not os.listdir(f"{self.server.data}/uploads"), "nothing is left of what failed")

    def test_only_those_who_can_read_a_message_see_its_file(self):
        a, b, c = self.person("A"), self.person("B"), self.person("C")
        file = self.bring(a, b"secret")
        self.assertEqual(self.ask(b, "GET", f"/v1/files/{file}").status, 404)
        self.assertEqual(b.error("chat.send", user=a.user, kind="file", body={"file": file}), "not_found")
        self.assertEqual(a.error("chat.send", user=b.user, kind="file", body={"file": "x"}), "bad_request")
        sent = self.say_file(a, b, "file", file)
        self.assertEqual(self.ask(b, "GET", f"/v1/files/{file}/content").body, b"secret")
        self.assertEqual(self.ask(c, "GET", f"/v1/files/{file}/content").status, 404)
        self.assertEqual(self.ask(None, "GET", f"/v1/files/{file}/content").status, 401)
        self.assertEqual(self.ask(a, "DELETE", f"/v1/files/{file}").status, 409)
        a.ask("chat.recall", conversation=sent["conversation"], number=sent["number"])
        self.assertEqual(self.ask(b, "GET", f"/v1/files/{file}").status, 404)
        self.assertEqual(self.ask(a, "DELETE", f"/v1/files/{file}").status, 204)
        self.assertEqual(self.ask(a, "GET", f"/v1/files/{file}").status, 404)

    def test_a_link_that_was_changed_or_has_ended_opens_nothing(self):
        a = self.person("A")
        url = self.describe(a, self.bring(a, b"x"))["url"]
        other = self.bring(a, b"y")
        for changed in (
            url.replace("expires=", "expires=9"), url[:-1] + ("A" if url[-1] != "A" else "B"), url + "A",
            url.replace(url.split("/")[3], other), url.replace("/content", "/thumbnail"), url.replace("expires", "e"),
        ):
            self.assertEqual(self.ask(None, "GET", changed).status, 403, changed)
        self.assertEqual(self.ask(None, "GET", url).status, 200)

    def test_what_a_client_says_of_a_file_is_not_believed(self):
        a = self.person("A")
        page = b"<html><script>alert(1)</script>"
        about = self.describe(a, self.bring(a, page, "cat.png"))
        got = self.ask(None, "GET", about["url"])
        self.assertEqual(got.headers["content-type"], "text/plain; charset=utf-8")
        self.assertTrue(got.headers["content-disposition"].startswith("attachment"))

    def test_limits_of_one_file_and_of_all(self):
        a = self.person("A")
        answer = self.tus(a, "POST", "/v1/uploads", Upload_Length=8 * MEBIBYTE + 1)
        self.assertEqual((answer.status, answer.json["code"]), (413, "too_large"))
        self.assertEqual(answer.headers["content-type"], "application/problem+json")
        for _ in range(2):
            place = self.begin(a, 8 * MEBIBYTE)
        answer = self.tus(a, "POST", "/v1/uploads", Upload_Length=5 * MEBIBYTE)
        self.assertEqual((answer.status, answer.json["code"]), (507, "quota_exceeded"))
        body, kind = form("x", bytes(5 * MEBIBYTE))
        self.assertEqual(self.ask(a, "POST", "/v1/files", body, Content_Type=kind).json["code"], "quota_exceeded")
        self.assertEqual(self.tus(a, "DELETE", place).status, 204)
        self.assertEqual(self.tus(a, "HEAD", place).status, 404)
        self.begin(a, 5 * MEBIBYTE)
        for _ in range(40):
            answer = self.tus(a, "POST", "/v1/uploads", Upload_Length=1)
            if answer.status == 429:
                break
        self.assertEqual(answer.json["code"], "too_many_uploads")

    def test_the_same_bytes_lie_there_once(self):
        a, b = self.person("A"), self.person("B")
        content = os.urandom(1000)
        before = len(self.kept())
        files = {self.bring(person, content) for person in (a, b, a)}
        self.assertEqual((len(files), len(self.kept())), (3, before + 1))
        name = self.kept()[0].stat()
        self.assertEqual(name.st_mode & 0o777, 0o600)

    def test_tus_is_kept_to_the_letter(self):
        a, b = self.person("A"), self.person("B")
        abilities = self.ask(None, "OPTIONS", "/v1/uploads")
        self.assertEqual((abilities.status, abilities.headers["tus-version"]), (204, "1.0.0"))
        self.assertEqual(abilities.headers["tus-max-size"], str(8 * MEBIBYTE))
        wrong = self.tus(a, "POST", "/v1/uploads", Tus_Resumable="0.2.2", Upload_Length=1)
        self.assertEqual((wrong.status, wrong.headers["tus-version"]), (412, "1.0.0"))
        place = self.begin(a, 10)
        self.assertEqual(self.patch(a, place, 0, b"12", Content_Type="text/plain").status, 415)
        self.assertEqual(self.patch(a, place, 1, b"12").status, 409)
        self.assertEqual(self.patch(a, place, 0, b"12345678901").status, 413)
        self.assertEqual(self.patch(b, place, 0, b"12").status, 404)
        self.assertEqual(self.tus(b, "HEAD", place).status, 404)
        self.assertEqual(self.tus(b, "DELETE", place).status, 404)
        self.assertEqual(self.tus(a, "POST", "/v1/uploads").status, 400)
        sum1 = base64.b64encode(hashlib.sha1(b"12345").digest()).decode()
        self.assertEqual(self.patch(a, place, 0, b"12345", Upload_Checksum="crc32 AAAA").status, 400)
        self.assertEqual(self.patch(a, place, 0, b"54321", Upload_Checksum=f"sha1 {sum1}").status, 460)
        self.assertEqual(self.tus(a, "HEAD", place).headers["upload-offset"], "0")
        self.assertEqual(self.patch(a, place, 0, b"12345", Upload_Checksum=f"sha1 {sum1}").status, 204)
        rest = self.tus(
            a, "POST", place, b"67890", Content_Type="application/offset+octet-stream", Upload_Offset=5,
            X_HTTP_Method_Override="PATCH")
        self.assertEqual((rest.status, rest.headers["upload-offset"]), (204, "10"))
        self.assertEqual(self.ask(a, "GET", place.replace("uploads", "files") + "/content").body, b"1234567890")
        empty = self.bring(a, b"")
        self.assertEqual(self.describe(a, empty)["size"], 0)

    def half(self, person: Person, place: str, length: int, body: bytes) -> socket.socket:
        """A request that goes on for longer than its sender has patience."""
        line = self.server.connect()
        head = (
            f"PATCH {place} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {person.token}\r\nTus-Resumable: 1.0.0\r\n"
            f"Content-Type: application/offset+octet-stream\r\nUpload-Offset: 0\r\nContent-Length: {length}\r\n\r\n")
        line.sendall(head.encode() + body)
        return line

    @of_one_process
    def test_what_came_before_the_line_broke_is_kept(self):
        a = self.person("A")
        content = os.urandom(3 * MEBIBYTE)
        place = self.begin(a, len(content))
        with self.half(a, place, len(content), content[:MEBIBYTE]):
            eventually(lambda: self.length(place) > 500_000, "the first bytes are on the disk")
            self.assertEqual(self.patch(a, place, 0, b"x").status, 423)
        eventually(lambda: self.length(place) == MEBIBYTE, "all that came is on the disk")
        self.server.restart()
        offset = int(self.tus(a, "HEAD", place).headers["upload-offset"])
        self.assertEqual(offset, MEBIBYTE)
        self.assertEqual(self.patch(a, place, offset, content[offset:]).status, 204)
        got = self.ask(a, "GET", place.replace("uploads", "files") + "/content")
        self.assertEqual(hashlib.sha256(got.body).digest(), hashlib.sha256(content).digest())

    def length(self, place: str) -> int:
        return Path(self.server.data, "uploads", place.rpartition("/")[2]).stat().st_size

    @of_one_process
    def test_an_upload_whose_end_the_server_did_not_live_to_see_is_finished_later(self):
        a = self.person("A")
        place = self.begin(a, 4)
        self.server.end()
        Path(self.server.data, "uploads", place.rpartition("/")[2]).write_bytes(b"1234")
        self.server.begin()
        self.assertEqual(self.tus(a, "HEAD", place).headers["upload-offset"], "4")
        self.assertEqual(self.ask(a, "GET", place.replace("uploads", "files") + "/content").body, b"1234")

    def test_the_description_names_what_there_is(self):
        paths = self.ask(None, "GET", "/v1/openapi.json").json["paths"]
        self.assertIn("206", paths["/v1/files/{file}/content"]["get"]["responses"])


class LargeFileTests(Files):
    def test_a_gibibyte_goes_through_in_flat_memory(self):
        a = self.person("A")
        piece = os.urandom(4 * MEBIBYTE)
        count = 256
        place = self.begin(a, count * len(piece))
        before = self.server.memory("VmRSS")
        self.server.forget_peak()
        connection = http.client.HTTPConnection(*self.server.address, timeout=300)
        headers = {
            "Authorization": f"Bearer {a.token}", "Tus-Resumable": "1.0.0", "Upload-Offset": "0",
            "Content-Type": "application/offset+octet-stream", "Content-Length": str(count * len(piece)),
        }
        connection.request("PATCH", place, body=(piece for _ in range(count)), headers=headers)
        answer = connection.getresponse()
        self.assertEqual(answer.status, 204, answer.read())
        connection.request(
            "GET", place.replace("uploads", "files") + "/content", headers={"Authorization": f"Bearer {a.token}"})
        answer, digest = connection.getresponse(), hashlib.sha256()
        while part := answer.read(MEBIBYTE):
            digest.update(part)
        connection.close()
        self.assertEqual(f'"{digest.hexdigest()}"', answer.headers["ETag"])
        self.assertLess(self.server.memory("VmHWM") - before, 64 << 10)


class SmallDiskTests(Files):
    """The disk is made small by a limit on the size of any file of the server."""

    def test_a_full_disk_is_told_and_loses_nothing(self):
        a = self.person("A")
        content = os.urandom(3 * MEBIBYTE)
        place = self.begin(a, len(content))
        self.assertEqual(self.patch(a, place, 0, content[:MEBIBYTE]).status, 204)
        self.limit(2 * MEBIBYTE)
        answer = self.patch(a, place, MEBIBYTE, content[MEBIBYTE:])
        self.assertEqual((answer.status, answer.json["code"]), (507, "no_room"))
        self.limit(1 << 40)
        offset = int(self.tus(a, "HEAD", place).headers["upload-offset"])
        self.assertEqual(self.patch(a, place, offset, content[offset:]).status, 204)
        got = self.ask(a, "GET", place.replace("uploads", "files") + "/content")
        self.assertEqual(got.body, content)

    def limit(self, count: int) -> None:
        resource.prlimit(self.server.process.pid, resource.RLIMIT_FSIZE, (count, resource.RLIM_INFINITY))


if __name__ == "__main__":
    unittest.main()
