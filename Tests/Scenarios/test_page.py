"""People meet on the page that the server brings along, in Chromium."""

import contextlib
import unittest

from pages import WATCHED, PageTest
from server import Server, eventually
from visitors import PlaywrightError, Visitor, expect, need_browser

NO_MICROPHONE = """
navigator.mediaDevices.getUserMedia = async () => { throw new DOMException('none', 'NotFoundError'); };
"""
# The second connection believes in another key than the other side has: a path and no secret on it, as it may be when two have
# looked for a path anew at the same time.
DISTRUST = """
let isDone = false;
window.RTCPeerConnection = class extends RTCPeerConnection {
  setRemoteDescription(description) {
    const number = window.peers.indexOf(this);
    if (number === 1 && !isDone) {
      isDone = true;
      const sdp = description.sdp.replace(/(a=fingerprint:\\S+ )(..)/g, (_, head, byte) => head + (byte === '00' ? '01' : '00'));
      return super.setRemoteDescription({ type: description.type, sdp });
    }
    return super.setRemoteDescription(description);
  }
};
"""
BUSY = "(line) => { line.close(); const end = Date.now() + 2500; while (Date.now() < end); }"
ROOM_PITCHES = {"Anna": 500, "Bo": 900, "Cleo": 1400, "Dan": 2000}


def setUpModule() -> None:
    need_browser()


class CallTests(PageTest):
    def test_J01_J05_two_ring_talk_with_picture_and_sound_and_hang_up(self):
        """J01.signals J01.media"""
        anna, bo = self.pair()
        self.connect(anna, bo, "picture")
        for listener, speaker in ((anna, bo), (bo, anna)):
            self.assertTrue(listener.sees_movement())
            self.assert_hears(listener, speaker)
        bo.hang_up()
        anna.reads("Bo hung up.")
        for visitor in (anna, bo):
            visitor.is_in_lobby()

    def test_J01_what_is_switched_off_is_neither_heard_nor_seen(self):
        anna, bo = self.pair()
        self.connect(anna, bo, "picture")
        self.assert_hears(bo, anna)
        anna.page.get_by_role("button", name="Mute microphone").click()
        expect(bo.page.locator(".tile:not(.mine)")).to_contain_text("microphone off")
        eventually(lambda: bo.hears() == 0, "silence")
        anna.page.get_by_role("button", name="Turn camera off").click()
        expect(bo.page.locator(".tile:not(.mine).no-picture")).to_be_attached()
        anna.page.get_by_role("button", name="Unmute microphone").click()
        self.assert_hears(bo, anna)

    def test_J01_a_picture_joins_a_call_that_began_with_sound(self):
        anna, bo = self.pair()
        self.connect(anna, bo)
        bo.page.get_by_role("button", name="Turn camera on").click()
        expect(anna.page.locator(".tile:not(.mine):not(.no-picture)")).to_be_attached()
        self.assertTrue(anna.sees_movement())

    def test_J04_a_refused_call_tells_the_caller(self):
        anna, bo = self.pair()
        anna.ring("Bo")
        bo.is_rung_by("Anna")
        bo.decline()
        anna.reads("Bo declined.")
        anna.is_in_lobby()

    def test_J05_a_caller_who_thinks_better_of_it_leaves_a_missed_call(self):
        anna, bo = self.pair()
        anna.ring("Bo")
        bo.is_rung_by("Anna")
        anna.cancel()
        bo.reads("You missed a call from Anna.")
        anna.is_in_lobby()

    def test_J06_a_closed_tab_is_told_about_and_then_ends_the_call(self):
        anna, bo = self.pair()
        self.connect(anna, bo)
        bo.page.close()
        expect(anna.page.locator("#stage-status")).to_contain_text("Waiting for them", timeout=5_000)
        anna.reads("The connection to Bo was lost.", within=25)
        anna.is_in_lobby()

    def test_J06_a_page_that_is_loaded_anew_is_back_in_its_call(self):
        anna, bo = self.pair()
        self.connect(anna, bo)
        for reloading in (anna, bo):
            reloading.page.reload()
            reloading.talks()
            self.assert_hears(anna, bo)
            self.assert_hears(bo, anna)

    def test_J07_busy_offline_and_no_answer_read_differently(self):
        """J07.offline J07.busy J07.unanswered"""
        anna, bo = self.pair()
        cleo = self.visitor("Cleo")
        dan = self.visitor("Dan")
        anna.ring("Bo")
        bo.is_rung_by("Anna")
        cleo.ring("Bo")
        cleo.reads("Bo is in another call.")
        dan.context.close()
        self.company.visitors.remove(dan)
        expect(cleo.page.get_by_role("listitem").filter(has_text="Dan")).to_contain_text("offline")
        cleo.ring("Dan")
        cleo.reads("Dan is offline.")
        anna.reads("Bo did not answer.", within=60)
        bo.reads("You missed a call from Anna.")

    def test_J13_twenty_calls_in_a_row(self):
        anna, bo = self.pair()
        for number in range(20):
            caller, callee = (anna, bo) if number % 2 == 0 else (bo, anna)
            self.connect(caller, callee)
            if number in (0, 19):
                self.assert_hears(caller, callee)
                self.assert_hears(callee, caller)
            callee.hang_up()
            for visitor in (caller, callee):
                visitor.is_in_lobby()

    def test_both_ring_each_other_at_once_and_talk(self):
        anna, bo = self.pair()
        script = "(name) => document.querySelector(`[aria-label='Voice call with ${name}']`).click()"
        anna.page.evaluate(f"setTimeout(() => ({script})('Bo'), 300)")
        bo.page.evaluate(f"setTimeout(() => ({script})('Anna'), 300)")
        # Whose invitation came first does not matter, except when it came so early that the other one could answer.
        eventually(lambda: any(v.page.locator("#stage").is_visible() for v in (anna, bo)), "somebody rings")
        eventually(lambda: self.are_talking(anna, bo), "both talk")
        self.assert_hears(anna, bo)

    def are_talking(self, anna: Visitor, bo: Visitor) -> bool:
        """Bo answers if he has to: until the server has made one call of two, it may ring for a moment."""
        if bo.page.get_by_role("dialog").is_visible():
            with contextlib.suppress(PlaywrightError):
                bo.page.get_by_role("button", name="Answer").click(timeout=500)
        return all(visitor.page.locator("#stage-clock").inner_text() for visitor in (anna, bo))


class RoomTests(PageTest):
    def test_J08_four_in_a_room_hear_each_of_the_others(self):
        people = [self.visitor(name, pitch) for name, pitch in ROOM_PITCHES.items()]
        for visitor in people:
            visitor.join("tea-kitchen")
        for visitor in people:
            expect(visitor.page.locator("#stage-title")).to_have_text("tea-kitchen · 4 people")
            eventually(lambda: self.pitches(visitor) == self.expected(visitor), f"{visitor.name} hears three")
        people[1].page.get_by_role("button", name="Leave").click()
        people[1].is_in_lobby()
        for visitor in (people[0], people[2], people[3]):
            expect(visitor.page.locator(".tile:not(.mine)")).to_have_count(2)

    def test_J21_a_page_that_is_loaded_anew_comes_back_into_its_room_as_it_was(self):
        anna, bo = self.pair()
        for visitor in (anna, bo):
            visitor.join("tea-kitchen")
        expect(bo.page.locator(".tile:not(.mine)")).to_have_count(1)
        anna.page.get_by_role("button", name="Mute microphone").click()
        expect(bo.page.locator(".tile:not(.mine)")).to_contain_text("microphone off")
        anna.page.reload()
        expect(anna.page.get_by_role("button", name="Unmute microphone")).to_be_visible()
        self.assert_hears(anna, bo)
        expect(bo.page.locator(".tile:not(.mine)")).to_contain_text("microphone off")
        anna.page.get_by_role("button", name="Leave").click()
        anna.page.reload()
        expect(anna.page.locator("#lobby")).to_be_visible()

    def test_J21_a_room_has_any_name_and_its_link_works_for_whoever_opens_it(self):
        anna = self.visitor("Anna", 700)
        anna.join("Küche für Tee ☕ 茶")
        expect(anna.page.locator("#stage-title")).to_have_text("Küche für Tee ☕ 茶 · 1 person")
        bo = self.company.visitor(self.server, 1500)
        bo.page.goto(anna.page.url)
        bo.enter("Bo")
        expect(bo.page.get_by_label("Room name")).to_have_value("Küche für Tee ☕ 茶")
        bo.page.get_by_role("button", name="Voice only").click()
        expect(anna.page.locator("#stage-title")).to_have_text("Küche für Tee ☕ 茶 · 2 people")
        self.assert_hears(bo, anna)

    def test_F13_a_rooms_password_is_asked_for_and_whoever_knocks_is_let_in(self):
        """F13.page"""
        anna, bo = self.pair()
        anna.page.get_by_text("Who may come in").click()
        anna.page.locator("#join").get_by_label("Password").fill("sesame")
        anna.open_room("vault")
        bo.join("vault")
        sheet = bo.page.get_by_role("dialog", name="This room has a password")
        sheet.get_by_label("Password").fill("wrong")
        sheet.get_by_role("button", name="Enter").click()
        sheet = bo.page.get_by_role("dialog", name="That is not the password of this room.")
        sheet.get_by_label("Password").fill("sesame")
        sheet.get_by_role("button", name="Enter").click()
        expect(anna.page.locator("#stage-title")).to_have_text("vault · 2 people")
        for visitor in (anna, bo):
            visitor.page.get_by_role("button", name="Leave").click()
        anna.page.locator("#join").get_by_label("Only whom somebody inside lets in").check()
        anna.open_room("private")
        bo.join("private")
        bo.page.get_by_role("button", name="Ask to be let in").click()
        knock = anna.page.get_by_role("dialog", name="Bo asks to come in")
        knock.get_by_role("button", name="Let in").click()
        expect(anna.page.locator("#stage-title")).to_have_text("private · 2 people")

    def test_F18_the_host_of_a_room_removes_somebody_with_two_clicks(self):
        """F18.page"""
        anna, bo = self.pair()
        anna.open_room("stage")
        bo.join("stage")
        expect(anna.page.locator("#stage-title")).to_have_text("stage · 2 people")
        expect(bo.page.get_by_role("button", name="More about Anna")).to_be_hidden()
        anna.page.get_by_role("button", name="More about Bo").click()
        anna.page.get_by_role("menuitem", name="Remove and do not let in again").click()
        anna.page.get_by_role("dialog").get_by_role("button", name="Remove and do not let in again").click()
        expect(bo.page.get_by_text("You were sent out of the room.")).to_be_visible()
        expect(anna.page.locator("#stage-title")).to_have_text("stage · 1 person")
        bo.join("stage")
        expect(bo.page.get_by_text("You may not come in here any more.")).to_be_visible()

    def test_J22_without_a_microphone_one_listens(self):
        anna, bo = self.visitor("Anna", 700, (NO_MICROPHONE,)), self.visitor("Bo", 1500)
        self.connect(bo, anna)
        self.assert_hears(anna, bo)
        expect(anna.page.get_by_role("button", name="Unmute microphone")).to_be_disabled()
        bo.hang_up()
        anna.is_in_lobby()
        for visitor in (bo, anna):
            visitor.join("tea-kitchen")
        anna.reads("You can listen")
        self.assert_hears(anna, bo)

    @staticmethod
    def pitches(listener: Visitor) -> set[str]:
        heard = [listener.hears(video) for video in listener.others()]
        return {name for name, pitch in ROOM_PITCHES.items() if any(abs(pitch - h) < 20 for h in heard)}

    @staticmethod
    def expected(listener: Visitor) -> set[str]:
        return set(ROOM_PITCHES) - {listener.name}

    def test_J20_two_in_a_room_whose_media_is_beyond_repair_start_over_and_others_notice_nothing(self):
        for number, distrustful in enumerate(("Cleo", "Bo")):
            with self.subTest(distrustful):
                people = []
                for name, pitch in list(ROOM_PITCHES.items())[:3]:
                    # Bo's second connection is the one with Cleo, and Cleo's second the one with Bo.
                    doubts = (DISTRUST,) if len(people) == (2, 1)[number] else ()
                    people.append(self.visitor(name, pitch, (WATCHED, *doubts)))
                    people[-1].join(f"broken-{number}")
                    expect(people[-1].page.locator(".tile:not(.mine)")).to_have_count(len(people) - 1)
                for person in people:
                    everybody = {other.name for other in people if other is not person}
                    eventually(lambda: self.pitches(person) == everybody, f"{person.name} hears two", within=30)
                made = [person.page.evaluate("window.peers.length") for person in people]
                self.assertEqual(made[0], 2, "Anna notices nothing")
                # One begins anew; the other follows on a connection of its own, or on one that was not broken yet.
                self.assertIn(made[1:], ([3, 3], [3, 2], [2, 3]))
                self.company.go_home()

    def test_a_room_survives_a_line_that_breaks_for_longer_than_its_lease(self):
        self.server = Server("--ping-timeout", "800ms", testing=False)
        self.addCleanup(self.server.__exit__)
        anna, bo = self.pair()
        for visitor in (anna, bo):
            visitor.join("tea-kitchen")
        for visitor in (anna, bo):
            expect(visitor.page.locator(".tile:not(.mine)")).to_have_count(1)
        # A page that is busy comes back late, and the seat waits for less than a second.
        anna.page.evaluate(f"({BUSY})(window.lines.at(-1))")
        expect(bo.page.locator("#stage-status")).to_contain_text("You are the first one here")
        for visitor in (anna, bo):
            expect(visitor.page.locator(".tile:not(.mine)")).to_have_count(1)
        self.assert_hears(anna, bo)
        self.assert_hears(bo, anna)


class PrivacyTests(PageTest):
    """What is not seen is not sent, and what the others read is true."""

    def test_J17_a_room_is_left_for_a_call_and_offered_again(self):
        anna, bo = self.pair()
        for visitor in (anna, bo):
            visitor.join("tea-kitchen")
        expect(bo.page.locator(".tile:not(.mine)")).to_have_count(1)
        dora = self.visitor("Dora", 2000)
        self.connect(dora, anna)
        expect(bo.page.locator(".tile:not(.mine)")).to_have_count(0)
        self.assertEqual(bo.hears(), 0)
        self.assert_hears(dora, anna)
        dora.hang_up()
        anna.is_in_lobby()
        self.assertEqual(anna.page.evaluate("() => window.opened.every((track) => track.readyState === 'ended')"), True)
        anna.page.keyboard.press("Enter")
        expect(bo.page.locator(".tile:not(.mine)")).to_have_count(1)
        self.assert_hears(bo, anna)

    def test_J18_a_page_that_is_loaded_anew_stays_muted_and_says_so(self):
        anna, bo = self.pair()
        self.connect(anna, bo, "picture")
        self.assert_hears(bo, anna)
        for name in ("Mute microphone", "Turn camera off"):
            anna.page.get_by_role("button", name=name).click()
        seen = bo.page.locator(".tile:not(.mine)")
        expect(seen).to_contain_text("microphone off")
        anna.page.reload()
        anna.talks()
        for name in ("Unmute microphone", "Turn camera on"):
            expect(anna.page.get_by_role("button", name=name)).to_be_visible()
        # Bo's own sound comes over the new connection, so Anna's would come too.
        self.assert_hears(anna, bo)
        self.assertEqual(bo.hears(), 0)
        expect(seen).to_contain_text("microphone off")
        expect(bo.page.locator(".tile:not(.mine).no-picture")).to_be_attached()
        anna.page.get_by_role("button", name="Unmute microphone").click()
        expect(seen).not_to_contain_text("microphone off")
        self.assert_hears(bo, anna)
        anna.page.get_by_role("button", name="Turn camera on").click()
        expect(bo.page.locator(".tile:not(.mine):not(.no-picture)")).to_be_attached()

    def test_J18_the_clock_of_a_call_goes_on_over_a_reload(self):
        anna, bo = self.pair()
        self.connect(anna, bo)
        expect(anna.page.locator("#stage-clock")).to_have_text("0:03")
        anna.page.reload()
        anna.talks()
        minutes, seconds = map(int, anna.page.locator("#stage-clock").inner_text().split(":"))
        self.assertGreaterEqual(minutes * 60 + seconds, 3)

    def test_J19_a_call_that_comes_in_takes_the_keyboard_from_nobody(self):
        anna, bo = self.pair()
        room = bo.page.get_by_label("Room name")
        room.press_sequentially("tea-")
        anna.ring("Bo")
        bo.is_rung_by("Anna")
        expect(room).to_be_focused()
        room.press_sequentially("kitchen")
        bo.page.keyboard.press("Enter")
        expect(bo.page.locator("#stage-title")).to_have_text("tea-kitchen · 1 person")
        expect(bo.page.get_by_role("dialog", name="Anna")).to_be_visible()
        bo.page.keyboard.press("Control+Enter")
        anna.talks()


if __name__ == "__main__":
    unittest.main()
