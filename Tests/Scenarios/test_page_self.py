"""What is one's own on the page: data, picture, and being told of what happens."""

import json
import tempfile
from pathlib import Path

from pages import PageTest
from server import eventually
from test_files import gif
from visitors import Visitor, expect, need_browser

# A browser that shows notifications to the test alone, and a user who looks elsewhere.
AWAY = """
window.shown = [];
window.Notification = class {
  static permission = 'default';
  static async requestPermission() { return this.permission = 'granted'; }
  constructor(title, options) { this.title = title; Object.assign(this, options); window.shown.push(this); }
  close() { this.isClosed = true; }
};
document.hasFocus = () => false;
"""
SHOWN = "() => window.shown.map(({ title, body, isClosed }) => [title, body, isClosed === true])"
AVATAR = """
async () => {
  const picture = document.querySelector('#me-content .face img');
  if (!picture?.complete) return [];
  const canvas = new OffscreenCanvas(1, 1);
  canvas.getContext('2d').drawImage(picture, 0, 0, 1, 1);
  return [picture.naturalWidth, picture.naturalHeight];
}
"""


def setUpModule() -> None:
    need_browser()


class OwnTest(PageTest):
    def me(self, visitor: Visitor) -> None:
        visitor.page.locator("button[data-place=me]").click()
        expect(visitor.page.get_by_role("heading", name="Your data")).to_be_visible()

    def write(self, visitor: Visitor, name: str, text: str) -> None:
        visitor.page.locator("#lobby").get_by_role("button", name=f"Write to {name}").click()
        visitor.page.locator("#write").fill(text)
        visitor.page.keyboard.press("Enter")
        expect(visitor.page.locator("#history .message")).to_contain_text([text])


class DataTests(OwnTest):
    def test_A17_a_copy_of_everything_is_saved_as_a_file(self):
        anna, _ = self.pair()
        self.write(anna, "Bo", "To be kept")
        self.me(anna)
        expect(anna.page.get_by_text("This browser keeps")).to_be_visible()
        with anna.page.expect_download() as download:
            anna.page.get_by_role("button", name="Save a copy of everything").click()
        lines = [json.loads(line) for line in Path(download.value.path()).read_text().splitlines()]
        self.assertEqual((lines[0]["type"], lines[-1]["type"]), ("account", "end"))
        self.assertIn("To be kept", json.dumps(lines))

    def test_A16_an_account_is_erased_for_good(self):
        anna, bo = self.pair()
        self.write(anna, "Bo", "Remember me")
        self.me(anna)
        anna.page.get_by_role("button", name="Erase account").click()
        anna.page.get_by_role("dialog").get_by_role("button", name="Erase account").click()
        expect(anna.page.get_by_label("Your name", exact=True)).to_be_visible()
        eventually(lambda: anna.page.evaluate("async () => (await indexedDB.databases()).length") == 0, "nothing is kept")
        bo.page.reload()
        bo.page.locator("button[data-place=chats]").click()
        bo.page.locator("#chat-list").get_by_role("button", name="Deleted user").click()
        expect(bo.page.locator("#history .message")).to_contain_text(["Remember me"])


class PictureTests(OwnTest):
    def test_A10_a_picture_of_oneself_is_cropped_to_a_square(self):
        anna = self.visitor("Anna")
        self.me(anna)
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "wide.gif")
            file.write_bytes(gif(800, 300))
            anna.page.locator("#me-content input[type=file]").set_input_files(file)
            crop = anna.page.get_by_role("dialog", name="Choose a part of the picture")
            crop.get_by_role("img").focus()
            anna.page.keyboard.press("ArrowRight")
            crop.get_by_role("slider").fill("2")
            crop.get_by_role("button", name="Save").click()
        eventually(lambda: (size := anna.page.evaluate(AVATAR)) != [] and size[0] == size[1] > 0, "a square")


class NotificationTests(OwnTest):
    def test_H12_messages_and_calls_are_told_of_while_the_user_looks_elsewhere(self):
        anna, bo = self.visitor("Anna"), self.visitor("Bo", scripts=(AWAY,))
        self.write(anna, "Bo", "first")
        bo.page.locator("button[data-place=chats]").click()
        expect(bo.page.get_by_text("Be told of messages and calls")).to_be_visible()
        self.assertEqual(bo.page.evaluate(SHOWN), [])
        bo.page.get_by_role("button", name="Turn on").click()
        expect(bo.page.locator("#notify")).to_be_hidden()
        anna.page.locator("#write").fill("second")
        anna.page.keyboard.press("Enter")
        eventually(lambda: bo.page.evaluate(SHOWN) == [["Anna", "second", False]], "the message is told")
        anna.ring("Bo")
        eventually(lambda: ["Anna", "Incoming voice call", False] in bo.page.evaluate(SHOWN), "the call is told")
        anna.cancel()
        eventually(lambda: bo.page.evaluate(SHOWN)[1:] == [["Anna", "Incoming voice call", True], ["Anna", "Missed call", False]], "the missed call is told")
        bo.page.evaluate("() => window.shown[0].onclick()")
        expect(bo.page.locator("#chat-name")).to_have_text("Anna")
