"""Photos, short videos, big emotions and voice messages in a row on the page."""

import messenger
import test_messenger_files
from server import eventually
from visitors import expect, need_browser


def setUpModule() -> None:
    need_browser()


class CameraTests(messenger.MessengerTest):
    def test_D06_N13_a_tap_takes_a_photo(self):
        anna, bo = self.talking()
        self.open_camera(anna)
        anna.page.get_by_role("button", name="Take a photo").click()
        expect(anna.page.get_by_role("dialog")).to_have_count(0)
        picture = bo.page.locator("#history .picture img")
        eventually(lambda: picture.count() == 1 and picture.evaluate("(img) => img.naturalWidth") > 0, "the photo")
        self.assertTrue(anna.page.evaluate("() => window.opened.filter((track) => track.kind === 'video').every((track) => track.readyState === 'ended')"))

    def test_D11_N13_holding_takes_a_video_that_plays(self):
        """D11.record D11.send D11.play"""
        anna, bo = self.talking()
        self.open_camera(anna)
        box = anna.page.get_by_role("button", name="Take a photo").bounding_box()
        anna.page.mouse.move(box["x"] + 10, box["y"] + 10)
        anna.page.mouse.down()
        expect(anna.page.get_by_role("dialog").get_by_role("status")).to_contain_text("0:01")
        anna.page.mouse.up()
        video = bo.page.locator("#history video")
        eventually(lambda: video.count() == 1 and video.evaluate("(video) => video.videoWidth") > 0, "the video")
        video.evaluate("async (video) => { video.muted = true; await video.play(); }")
        eventually(lambda: video.evaluate("(video) => video.currentTime") > 0.3, "it plays")

    def open_camera(self, visitor) -> None:
        visitor.page.get_by_role("button", name="Camera", exact=True).click()
        video = visitor.page.get_by_label("What your camera sees")
        eventually(lambda: video.evaluate("(video) => video.videoWidth") > 0, "a preview")


class EmotionTests(messenger.MessengerTest):
    def test_D12_emoji_alone_are_large_and_big_emotions_have_names(self):
        anna, bo = self.talking()
        self.write(anna, "🎉🎉")
        expect(bo.page.locator("#history .signs")).to_have_text("🎉🎉")
        self.write(anna, "Well 🎉")
        expect(self.messages(bo)).to_have_count(3)
        expect(bo.page.locator("#history .signs")).to_have_count(1)
        anna.page.get_by_role("button", name="Emoji").click()
        anna.page.get_by_role("menuitem", name="Applause").click()
        expect(self.messages(bo).last.get_by_role("img", name="Applause")).to_be_visible()
        expect(bo.page.locator("#chat-list small")).to_contain_text("👏 Applause")


class VoiceRowTests(messenger.MessengerTest):
    hold = test_messenger_files.VoiceTests.hold

    def test_K04_the_next_voice_message_plays_by_itself(self):
        anna, bo = self.talking()
        for number in (1, 2):
            self.hold(anna, 2)
            expect(bo.page.locator("#history .voice")).to_have_count(number)
        bo.page.locator("#history .voice").first.get_by_role("button", name="Play").click()
        expect(bo.page.locator("#history .voice").last.get_by_role("button", name="Pause")).to_be_visible()
