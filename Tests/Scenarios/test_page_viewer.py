"""Pictures in full view, in Chromium and in Firefox."""

import re
import tempfile
from pathlib import Path

import messenger
from server import eventually
from test_files import gif
from visitors import Visitor, expect, need_browser

# Two fingers on the picture, as the browser tells of them where no test has fingers.
FINGERS = """
(picture, [type, fingers]) => {
  for (const [index, [clientX, clientY]] of fingers.entries()) {
    picture.dispatchEvent(new PointerEvent(type, { pointerId: index + 1, pointerType: 'touch', isPrimary: index === 0, bubbles: true, clientX, clientY }));
  }
}
"""
WIDTH = "(picture) => picture.getBoundingClientRect().width"


def setUpModule() -> None:
    need_browser()


class ViewerTests(messenger.MessengerTest):
    def pictures(self, visitor: Visitor, *names: str) -> None:
        with tempfile.TemporaryDirectory() as folder:
            files = [Path(folder, f"{name}.gif") for name in names]
            for file in files:
                file.write_bytes(gif(400, 300))
            visitor.page.locator("#files").set_input_files(files)
            expect(visitor.page.locator("#history .picture img").last).to_have_attribute("alt", re.compile(names[-1]))

    def view(self, visitor: Visitor):
        return visitor.page.get_by_role("dialog", name="Picture").get_by_role("img")

    def touch(self, visitor: Visitor, kind: str, fingers: list[list[int]]) -> None:
        """Real touches of the browser's own protocol."""
        session = self.fingers = getattr(self, "fingers", None) or visitor.page.context.new_cdp_session(visitor.page)
        points = [{"x": x, "y": y, "id": index} for index, (x, y) in enumerate(fingers)]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [] if kind == "touchEnd" else points})

    def test_D08_a_picture_is_pinched_and_made_larger_by_keys_and_moves_with_the_hand(self):
        """D08.close"""
        anna = self.visitor("Anna", has_touch=True)
        self.visitor("Bo")
        self.open_chat(anna, "Bo")
        self.pictures(anna, "one")
        anna.page.locator("#history .picture").click()
        picture = self.view(anna)
        expect(picture).to_be_visible()
        whole = picture.evaluate(WIDTH)
        self.touch(anna, "touchStart", [[300, 300], [400, 300]])
        self.touch(anna, "touchMove", [[250, 300], [450, 300]])
        self.touch(anna, "touchEnd", [[250, 300], [450, 300]])
        eventually(lambda: abs(picture.evaluate(WIDTH) / whole - 2) < 0.05, "it is twice as large")
        before = picture.evaluate("(picture) => picture.getBoundingClientRect().left")
        self.touch(anna, "touchStart", [[300, 300]])
        self.touch(anna, "touchMove", [[260, 300]])
        self.touch(anna, "touchEnd", [[260, 300]])
        eventually(lambda: abs(picture.evaluate("(picture) => picture.getBoundingClientRect().left") - before + 40) < 1, "it moves with the hand")
        anna.page.keyboard.press("0")
        self.assertEqual(picture.evaluate(WIDTH), whole)
        anna.page.keyboard.press("+")
        self.assertAlmostEqual(picture.evaluate(WIDTH) / whole, 1.5, delta=0.01)
        anna.page.keyboard.press("-")
        self.assertEqual(picture.evaluate(WIDTH), whole)

    def test_D08_the_full_view_goes_through_all_pictures_however_far_apart_they_are(self):
        """D08.all"""
        anna, bo = self.talking()
        self.pictures(anna, "first", "second")
        conversation = anna.page.url.split("/")[-1]
        anna.page.evaluate(messenger.FILL, [conversation, 350])
        self.pictures(anna, "last")
        for visitor in (anna, bo):
            visitor.page.reload()
            visitor.page.locator("#history .picture").last.click()
            expect(self.view(visitor)).to_have_attribute("alt", re.compile("last"))
            for key, name in (("ArrowRight", "last"), ("ArrowLeft", "second"), ("ArrowLeft", "first"), ("ArrowLeft", "first"), ("ArrowRight", "second")):
                visitor.page.keyboard.press(key)
                expect(self.view(visitor)).to_have_attribute("alt", re.compile(name))
            expect(visitor.page.get_by_role("button", name="Previous picture")).to_be_enabled()


class FirefoxViewerTests(ViewerTests):
    browser = "firefox"
    is_long = True

    def touch(self, visitor: Visitor, kind: str, fingers: list[list[int]]) -> None:
        name = {"touchStart": "pointerdown", "touchMove": "pointermove", "touchEnd": "pointerup"}[kind]
        self.view(visitor).evaluate(FINGERS, [name, fingers])
