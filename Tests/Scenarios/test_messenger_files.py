"""Pictures, files and voice messages on the page that the server brings along."""

import re
import tempfile
from pathlib import Path

from messenger import MessengerTest
from server import eventually
from test_files import gif
from visitors import Visitor, expect, need_browser

# A file as the system hands it over, which no test may touch.
BRING = """
([place, event, bytes]) => {
  const data = new DataTransfer();
  data.items.add(new File([new Uint8Array(bytes)], `${event}.gif`, { type: 'image/gif' }));
  const brought = new Event(event, { bubbles: true, cancelable: true });
  Object.defineProperty(brought, event === 'paste' ? 'clipboardData' : 'dataTransfer', { value: data });
  document.querySelector(place).dispatchEvent(brought);
}
"""


def setUpModule() -> None:
    need_browser()


class FileTests(MessengerTest):
    def test_D05_D08_pictures_are_sent_and_looked_at_one_after_the_other(self):
        """D05 D08.view"""
        anna, bo = self.talking()
        with tempfile.TemporaryDirectory() as folder:
            files = [Path(folder, f"picture-{number}.gif") for number in range(3)]
            for number, file in enumerate(files):
                file.write_bytes(gif(400 + number, 300))
            anna.page.locator("#files").set_input_files(files)
            expect(bo.page.locator("#history .picture img")).to_have_count(3)
        self.place(bo, "chats")
        bo.page.locator("#history .picture").first.click()
        viewer = bo.page.get_by_role("dialog", name="Picture")
        expect(viewer.get_by_role("img", name="picture-0.gif")).to_be_visible()
        bo.page.keyboard.press("ArrowRight")
        bo.page.keyboard.press("ArrowRight")
        expect(viewer.get_by_role("img", name="picture-2.gif")).to_be_visible()
        expect(viewer.get_by_role("button", name="Next picture")).to_be_hidden()
        eventually(lambda: viewer.get_by_role("img").evaluate("(img) => img.naturalWidth") == 402, "the original")
        bo.page.keyboard.press("Escape")
        expect(viewer).to_have_count(0)

    def test_D05_pictures_are_pasted_and_dragged_into_a_conversation(self):
        anna, bo = self.talking()
        picture = [*gif(40, 30)]
        for place, event in (("#write", "paste"), ("#conversation", "drop")):
            anna.page.evaluate(BRING, [place, event, picture])
        expect(bo.page.locator("#history .picture img")).to_have_count(2)

    def test_a_file_can_be_downloaded_under_its_name(self):
        anna, bo = self.talking()
        anna.page.locator("#files").set_input_files({"name": "plan ü.txt", "mimeType": "text/plain", "buffer": b"plan"})
        link = bo.page.get_by_role("link", name="Download plan ü.txt")
        with bo.page.expect_download() as download:
            link.click()
        self.assertEqual(Path(download.value.path()).read_bytes(), b"plan")


class VoiceTests(MessengerTest):
    def hold(self, visitor: Visitor, seconds: float, up: float = 0) -> None:
        box = visitor.page.locator("#record").bounding_box()
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        visitor.page.mouse.move(x, y)
        visitor.page.mouse.down()
        expect(visitor.page.locator("#recording")).to_be_visible()
        visitor.page.wait_for_function("(least) => document.querySelector('#recording').textContent.includes(least)", arg=f"0:0{seconds}")
        if up:
            visitor.page.mouse.move(x, y - up)
        visitor.page.mouse.up()

    def test_K01_K03_K04_K05_a_voice_message_is_recorded_sent_and_played(self):
        """K01 K03 K04.length K04.plays K05"""
        anna, bo = self.talking()
        self.hold(anna, 2)
        phone = bo.tab(bo.page.url)
        player = bo.page.locator("#history .voice")
        dots = [tab.locator("#history .voice").get_by_role("img", name="Not listened to yet") for tab in (bo.page, phone)]
        for dot in dots:
            expect(dot).to_be_visible()
        expect(player.locator(".length")).to_have_text(re.compile("0:0[23]"))
        player.get_by_role("button", name="Play").click()
        expect(player.get_by_role("button", name="Pause")).to_be_visible()
        expect(player.locator("i.played").first).to_be_attached()
        for dot in dots:
            expect(dot).to_have_count(0)
        expect(anna.page.locator("#history .reactions")).to_have_text("🎧 1")
        bo.page.reload()
        expect(player).to_be_visible()
        expect(dots[0]).to_have_count(0)

    def test_K01_a_recording_is_cancelled_by_sliding_up(self):
        anna, bo = self.talking()
        self.hold(anna, 1, up=120)
        expect(anna.page.locator("#recording")).to_be_hidden()
        self.write(anna, "after")
        expect(self.messages(bo).last).to_contain_text("after")
        expect(bo.page.locator("#history .voice")).to_have_count(0)

    def test_K02_under_one_second_is_refused(self):
        """K02.short"""
        anna, _ = self.talking()
        self.hold(anna, 0)
        anna.reads("Too short")

    def test_K07_text_and_voice_share_one_place(self):
        anna, _ = self.talking()
        expect(anna.page.locator("#record")).to_be_visible()
        anna.page.locator("#write").fill("x")
        expect(anna.page.locator("#record")).to_be_hidden()
        expect(anna.page.locator("#send")).to_be_visible()
