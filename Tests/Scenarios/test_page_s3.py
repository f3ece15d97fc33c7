"""The page shows what lies in an S3 store, and loads nothing from anywhere else."""

import tempfile
import unittest
from pathlib import Path

import s3store
import test_page_media as media
from pages import PageTest
from people import VOUCHED, Person
from server import Server, eventually, of_one_process
from test_files import Files, gif
from visitors import need_browser

# Nothing is said of a picture that is not loaded; what the policy of the page forbids is told by an event of its own.
LOAD = """
async (url) => {
  const picture = new Image();
  const forbidden = new Promise((done) => addEventListener('securitypolicyviolation', () => done('forbidden'), { once: true }));
  const loaded = new Promise((done) => { picture.onload = () => done(`${picture.naturalWidth}x${picture.naturalHeight}`); });
  picture.src = url;
  return Promise.race([forbidden, loaded]);
}
"""


# With a place where an earlier page stopped.
UPLOAD = """
async ([token, location, text]) => {
  const { Files } = await import('/parley-files.js');
  const files = new Files(new URL('/', window.location.href), async () => token);
  const places = [];
  const id = await files.upload(new Blob([text]), { location, located: (place) => places.push(place) });
  return [id, places.length];
}
"""


def setUpModule() -> None:
    need_browser()


class PageWithStore(PageTest):
    ask, tus, begin, patch, bring, describe = Files.ask, Files.tus, Files.begin, Files.patch, Files.bring, Files.describe
    note = media.MediaMessages.note

    def setUp(self) -> None:
        self.store = self.enterContext(s3store.S3Store())
        folder = self.enterContext(tempfile.TemporaryDirectory(prefix="s3-keys-"))
        options = ("--files", self.store.url(), "--files-keys", self.store.keys(folder))
        self.server = self.enterContext(Server(*VOUCHED, *options, testing=False))

    def test_S01_the_page_shows_pictures_and_plays_sounds_from_the_store(self):
        """S01.page"""
        bo = self.visitor("Bo")
        speaker = self.enterContext(Person(self.server, "Anna"))
        file = self.bring(speaker, gif(900, 600))
        eventually(lambda: "thumbnail" in self.describe(speaker, file), "the small picture is drawn")
        picture = self.describe(speaker, file)
        self.assertEqual(bo.page.evaluate(LOAD, picture["url"]), "900x600")
        self.assertEqual(bo.page.evaluate(LOAD, picture["thumbnail"]["url"]), "300x200")
        sound = self.describe(speaker, self.bring(speaker, self.note(440, seconds=2), "note.ogg"))
        self.assertAlmostEqual(bo.page.evaluate(media.PLAY, ["audio", sound["url"]])["seconds"], 2, delta=0.1)
        elsewhere = self.store.endpoint.replace("127.0.0.1", "localhost") + "/files/x"
        self.assertEqual(bo.page.evaluate(LOAD, elsewhere), "forbidden")
        self.company.go_home()

    @of_one_process
    def test_Y22_parley_js_begins_anew_when_what_it_brought_is_gone(self):
        """Y22.page"""
        bo = self.visitor("Bo")
        speaker = self.enterContext(Person(self.server, "Anna"))
        place = self.begin(speaker, 10)
        self.assertEqual(self.patch(speaker, place, 0, b"12345").status, 204)
        file, places = bo.page.evaluate(UPLOAD, [speaker.token, place, "1234567890"])
        self.assertEqual((place.rpartition("/")[2], places), (file, 0))
        place = self.begin(speaker, 10)
        self.assertEqual(self.patch(speaker, place, 0, b"12345").status, 204)
        Path(self.server.data, "uploads", place.rpartition("/")[2]).unlink()
        file, places = bo.page.evaluate(UPLOAD, [speaker.token, place, "1234567890"])
        self.assertNotEqual(place.rpartition("/")[2], file)
        self.assertEqual((places, self.describe(speaker, file)["size"]), (1, 10))
        self.company.go_home()


if __name__ == "__main__":
    unittest.main()
