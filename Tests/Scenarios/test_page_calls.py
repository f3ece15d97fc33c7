"""What one may do in a call on the page beside talking, in Chromium and in Firefox."""

import re

from pages import WATCHED, PageTest
from people import Person
from server import eventually
from visitors import Visitor, expect, need_browser

# A screen with a sound of its own; no test can click into the browser's own question.
SCREEN = """
navigator.mediaDevices && (navigator.mediaDevices.getDisplayMedia = async () => {
  const canvas = Object.assign(document.createElement('canvas'), { width: 640, height: 360 });
  const brush = canvas.getContext('2d');
  let turn = 0;
  setInterval(() => { brush.fillStyle = `hsl(${turn += 20} 80% 50%)`; brush.fillRect(0, 0, 640, 360); }, 100);
  const context = new AudioContext();
  const target = context.createMediaStreamDestination();
  const oscillator = new OscillatorNode(context, { frequency: 2500 });
  oscillator.connect(new GainNode(context, { gain: 0.4 })).connect(target);
  oscillator.start();
  window.screenTracks = [...canvas.captureStream(10).getTracks(), ...target.stream.getTracks()];
  return new MediaStream(window.screenTracks);
});
"""
# A network that loses a third of what is said, as statistics tell of it.
LOSSY = """
window.restarts = 0;
window.RTCPeerConnection = class extends RTCPeerConnection {
  restartIce() { window.restarts += 1; super.restartIce(); }
  async getStats() {
    const stats = new Map(await super.getStats());
    window.looks = (window.looks ?? 0) + 1;
    for (const [id, one] of stats) {
      if (one.type === 'inbound-rtp') stats.set(id, { ...one, packetsReceived: window.looks * 200, packetsLost: window.looks * 100 });
    }
    return stats;
  }
};
"""
CAMERA = "() => window.opened.filter((track) => track.kind === 'video' && track.readyState === 'live').map((track) => track.getSettings().deviceId)"
PICTURE = "() => [...document.querySelectorAll('.tile:not(.mine) video')].map((video) => video.videoWidth)"


def setUpModule() -> None:
    need_browser()


class CallTest(PageTest):
    # Firefox makes no sound for pages where there is none.
    has_loudspeaker = True

    def tools(self, visitor: Visitor, item: str) -> None:
        visitor.page.get_by_role("button", name="More", exact=True).click()
        visitor.page.get_by_role("menuitem", name=item).click()

    def title(self, visitor: Visitor):
        return visitor.page.locator("#stage-title")


class LoadingTests(CallTest):
    """What rings and talks is no part of the first view."""

    def test_J32_a_call_rings_as_soon_as_what_it_needs_is_there(self):
        anna, bo, held = self.visitor("Anna", 700), self.company.visitor(self.server, 1500, service_workers="block"), []
        bo.context.route("**/parley-call.js", lambda route: held.append(route))
        bo.enter("Bo")
        eventually(lambda: bo.page.wait_for_timeout(20) or held, "the page asks for it")
        anna.ring("Bo")
        expect(self.title(anna)).to_contain_text("Bo")
        expect(bo.page.get_by_role("dialog", name="Anna")).to_have_count(0)
        held[0].fallback()
        bo.is_rung_by("Anna")
        bo.answer()
        for visitor in (anna, bo):
            visitor.talks()
        self.assert_hears(bo, anna)

    def test_J32_a_call_and_a_room_that_cannot_be_loaded_are_said_and_tried_again(self):
        anna, bo = self.company.visitor(self.server, 700, service_workers="block"), self.visitor("Bo", 1500)
        anna.context.route("**/parley-room.js", lambda route: route.abort())
        anna.enter("Anna")
        anna.join("tea")
        anna.reads("The server cannot be reached")
        expect(anna.page.get_by_role("button", name="Voice only")).to_be_enabled()
        self.connect(anna, bo)
        self.assert_hears(bo, anna)


class DeviceTests(CallTest):
    def test_J11_devices_are_chosen_and_tried_before_a_call(self):
        anna = self.visitor("Anna", 700)
        anna.page.get_by_role("button", name="Check microphone and camera first").click()
        panel = anna.page.get_by_role("dialog", name="Microphone, camera, loudspeaker")
        eventually(lambda: panel.get_by_label("What your camera sees").evaluate("(video) => video.videoWidth") > 0, "a preview")
        eventually(lambda: panel.get_by_label("How loud you are").evaluate("(meter) => meter.value") > 0.1, "a level")
        cameras = panel.get_by_role("combobox", name="Camera")
        chosen = cameras.locator("option").last.get_attribute("value")
        cameras.select_option(chosen)
        eventually(lambda: anna.page.evaluate(CAMERA) == [chosen], "the chosen camera")
        panel.get_by_role("button", name="Close").click()
        eventually(lambda: anna.page.evaluate("() => window.opened.every((track) => track.readyState === 'ended' || track.kind === 'audio')"), "all is closed")
        self.assertEqual(anna.page.evaluate("() => JSON.parse(localStorage.getItem('parley settings')).camera"), chosen)

    def test_J11_the_camera_is_flipped_and_the_microphone_changed_in_a_call(self):
        anna, bo = self.pair()
        self.connect(anna, bo, "picture")
        before = anna.page.evaluate(CAMERA)
        self.tools(anna, "Flip camera")
        eventually(lambda: len(anna.page.evaluate(CAMERA)) == 1 and anna.page.evaluate(CAMERA) != before, "the other camera")
        # The second camera that Chromium makes up has a picture for its own page only.
        self.tools(anna, "Flip camera")
        eventually(lambda: anna.page.evaluate(CAMERA) == before, "the first camera")
        self.assertTrue(bo.sees_movement())
        self.tools(anna, "Microphone, camera, loudspeaker")
        anna.page.get_by_role("dialog").get_by_role("combobox", name="Microphone").select_option(index=1)
        anna.page.get_by_role("dialog").get_by_role("button", name="Close").click()
        self.assert_hears(bo, anna)


class ScreenTests(CallTest):
    def test_J24_a_screen_is_shared_with_its_sound_beside_the_microphone(self):
        anna, bo = self.visitor("Anna", 700, (SCREEN,)), self.visitor("Bo", 1500)
        self.connect(anna, bo)
        # What is behind another window is not painted, and its canvas captures nothing.
        anna.page.bring_to_front()
        anna.page.get_by_role("button", name="Share screen").click()
        expect(bo.page.locator(".tile.screen")).to_have_count(1)
        eventually(lambda: bo.page.evaluate(PICTURE) == [640], "the screen")
        anna.page.get_by_role("button", name="Mute microphone").click()
        eventually(lambda: abs(bo.hears() - 2500) < 20, "the screen's sound")
        anna.page.get_by_role("button", name="Unmute microphone").click()
        anna.page.get_by_role("button", name="Stop sharing").click()
        expect(bo.page.locator(".tile.screen")).to_have_count(0)
        self.assert_hears(bo, anna)

    def test_J24_a_screen_that_the_browser_stops_is_shared_no_more(self):
        anna, bo = self.visitor("Anna", 700, (SCREEN,)), self.visitor("Bo", 1500)
        self.connect(anna, bo, "picture")
        anna.page.get_by_role("button", name="Share screen").click()
        expect(bo.page.locator(".tile.screen")).to_have_count(1)
        anna.page.evaluate("() => { window.screenTracks[0].dispatchEvent(new Event('ended')); window.screenTracks[0].stop(); }")
        expect(bo.page.locator(".tile.screen")).to_have_count(0)
        self.assertTrue(bo.sees_movement())


class NetworkTests(CallTest):
    def test_J25_what_the_network_does_is_shown(self):
        anna, bo = self.pair()
        self.connect(anna, bo)
        words = anna.page.locator("#network-words")
        expect(words).to_have_text(re.compile(r"^\d+ ms · 0 % lost · \d+ kbit/s · direct$"))
        expect(anna.page.get_by_role("img", name="The network is good")).to_be_visible()
        expect(anna.page.locator("#network-advice")).to_have_text("")

    def test_J25_a_bad_network_is_said_with_what_helps_and_mended_by_an_ICE_restart(self):
        anna, bo = self.visitor("Anna", 700, (WATCHED, LOSSY)), self.visitor("Bo", 1500)
        self.connect(anna, bo)
        expect(anna.page.locator("#network-advice")).to_contain_text("Go closer to the router")
        expect(anna.page.locator("#network-words")).to_contain_text("33 % lost")
        self.assertEqual(anna.page.evaluate("() => window.restarts"), 1)
        self.assert_hears(bo, anna)


class ViewTests(CallTest):
    def test_J11_a_call_fills_the_screen_and_leaves_it(self):
        anna, bo = self.pair()
        self.connect(anna, bo, "picture")
        anna.page.bring_to_front()
        self.tools(anna, "Full screen")
        eventually(lambda: anna.page.evaluate("() => document.fullscreenElement !== null"), "full screen")
        self.tools(anna, "Leave full screen")
        eventually(lambda: anna.page.evaluate("() => document.fullscreenElement === null"), "no full screen")

    def test_J11_a_picture_is_taken_out_of_the_page(self):
        anna, bo = self.pair()
        self.connect(anna, bo, "picture")
        anna.page.bring_to_front()
        self.assertTrue(bo.sees_movement())
        self.tools(anna, "Picture in picture")
        shown = "() => document.pictureInPictureElement === document.querySelector('.tile:not(.mine) video')"
        eventually(lambda: anna.page.evaluate(shown), "the other side is shown outside of the page")

    def test_J26_a_room_shows_the_one_who_speaks(self):
        people = [self.visitor(name, pitch) for name, pitch in (("Anna", 700), ("Bo", 1500), ("Cleo", 2300))]
        for visitor in people:
            visitor.join("tea")
        anna, bo, cleo = people
        expect(self.title(anna)).to_have_text("tea · 3 people")
        for visitor in (anna, bo):
            visitor.page.get_by_role("button", name="Mute microphone").click()
        self.tools(anna, "Speaker view")
        expect(anna.page.locator(".tile.main")).to_contain_text("Cleo")
        bo.page.get_by_role("button", name="Unmute microphone").click()
        cleo.page.get_by_role("button", name="Mute microphone").click()
        expect(anna.page.locator(".tile.main")).to_contain_text("Bo")
        self.tools(anna, "Grid view")
        expect(anna.page.locator(".tile.main")).to_have_count(0)


class RecordedTests(CallTest):
    """What a page shows of others who record; what records is another program."""

    def mark(self, visitor: Visitor, name: str):
        return visitor.page.locator(".tile:not(.mine)").filter(has_text=name).locator(".records")

    def test_J35_a_call_that_is_recorded_is_marked(self):
        """J35.page"""
        anna = self.visitor("Anna", 700)
        with Person(self.server, "Bo") as bo:
            anna.ring("Bo")
            call = bo.expect("call.incoming")["call"]
            bo.ask("call.accept", call=call)
            mark = self.mark(anna, "Bo")
            expect(anna.page.locator(".tile:not(.mine)")).to_contain_text("Bo")
            expect(mark).to_be_hidden()
            bo.ask("call.record", call=call)
            expect(mark).to_have_text("Recording")
            expect(mark).to_be_visible()
            bo.ask("call.record", call=call, on=False)
            expect(mark).to_be_hidden()

    def test_J35_a_room_that_is_recorded_is_marked_also_for_whoever_comes_later_in_their_language(self):
        anna, cleo = self.visitor("Anna", 700), self.company.visitor(self.server, 1500, locale="zh-CN")
        with Person(self.server, "Bo") as bo, Person(self.server, "Dan") as dan:
            for person in (bo, dan):
                person.ask("room.join", room="tea")
            anna.join("tea")
            expect(anna.page.locator(".tile:not(.mine)")).to_have_count(2)
            expect(self.mark(anna, "Bo")).to_be_hidden()
            bo.ask("room.record", room="tea")
            expect(self.mark(anna, "Bo")).to_have_text("Recording")
            expect(self.mark(anna, "Bo")).to_be_visible()
            cleo.page.get_by_label("你的名字").fill("Cleo")
            cleo.page.keyboard.press("Enter")
            cleo.page.get_by_label("房间名").fill("tea")
            cleo.page.get_by_role("button", name="仅语音").click()
            expect(self.mark(cleo, "Bo")).to_have_text("正在录音")
            expect(self.mark(cleo, "Bo")).to_be_visible()
            expect(self.mark(cleo, "Dan")).to_be_hidden()
            bo.ask("room.record", room="tea", on=False)
            for visitor in (anna, cleo):
                expect(self.mark(visitor, "Bo")).to_be_hidden()


class PeopleTests(CallTest):
    def test_J27_a_call_becomes_a_room_when_people_are_added(self):
        anna, bo, cleo = self.visitor("Anna", 700), self.visitor("Bo", 1500), self.visitor("Cleo", 2300)
        self.connect(anna, bo)
        self.tools(anna, "Add people")
        anna.page.get_by_role("dialog").get_by_role("checkbox", name="Cleo").check()
        anna.page.get_by_role("dialog").get_by_role("button", name="Add").click()
        for visitor in (anna, bo):
            expect(self.title(visitor)).to_contain_text("2 people")
        cleo.page.locator("button[data-place=chats]").click()
        cleo.page.locator("#chat-list").get_by_role("button", name="Anna").click()
        cleo.page.locator("#history a").click()
        cleo.page.get_by_role("button", name="Voice only").click()
        for visitor in (anna, bo, cleo):
            expect(self.title(visitor)).to_contain_text("3 people")
        self.assert_hears(bo, anna)

    def test_J28_a_call_goes_on_on_another_device(self):
        anna, bo = self.pair()
        self.connect(anna, bo)
        self.tools(anna, "Continue on another device")
        other = anna.tab(anna.page.url)
        other.locator("button[data-place=chats]").click()
        other.locator("#chat-list").get_by_role("button", name="Notes to yourself").click()
        other.locator("#history a").click()
        expect(other.locator("#stage-clock")).not_to_be_empty()
        anna.reads("The call goes on on another device.")
        self.assert_hears(bo, anna)

    def test_J12_a_call_back_from_the_history(self):
        anna, bo = self.pair()
        anna.ring("Bo")
        bo.is_rung_by("Anna")
        anna.cancel()
        bo.page.locator("button[data-place=chats]").click()
        bo.page.locator("#chat-list").get_by_role("button", name="Anna").click()
        bo.page.get_by_role("button", name="Missed call. Call back").click()
        anna.is_rung_by("Bo")


class FirefoxLoadingTests(LoadingTests):
    browser = "firefox"


class FirefoxNetworkTests(NetworkTests):
    browser = "firefox"


class FirefoxRecordedTests(RecordedTests):
    browser = "firefox"


class FirefoxPeopleTests(PeopleTests):
    browser = "firefox"


class FirefoxViewTests(ViewTests):
    browser = "firefox"
    # It has a button of its own over each video, and none that a page could press.
    test_J11_a_picture_is_taken_out_of_the_page = None


class FirefoxScreenTests(ScreenTests):
    browser = "firefox"
    # Its tracks tell nobody of an end that a test makes up.
    test_J24_a_screen_that_the_browser_stops_is_shared_no_more = None


class FirefoxDeviceTests(DeviceTests):
    browser = "firefox"
    # It makes up one camera and one microphone only.
    test_J11_the_camera_is_flipped_and_the_microphone_changed_in_a_call = None
