"""People meet on the page that the server brings along, in Chromium."""

import contextlib
import json
import signal
import time
import unittest
from pathlib import Path

from pages import WATCHED, PageTest
from people import Person, post
from server import Server, eventually, of_one_process
from test_files import form, gif
from visitors import PlaywrightError, Visitor, expect, need_browser
from wire import ask_http

BLOCKED = "window.WebSocket = class { constructor() { setTimeout(() => this.onclose?.()); } close() {} };"
NO_PERMISSION = """
navigator.mediaDevices.getUserMedia = async () => { throw new DOMException('no', 'NotAllowedError'); };
"""
NO_MICROPHONE = """
navigator.mediaDevices.getUserMedia = async () => { throw new DOMException('none', 'NotFoundError'); };
"""
# Every text that the state of the connection is told with, one after the other.
WATCH_STATE = """
() => {
  const element = document.querySelector('#connection');
  window.states = [];
  const look = () => { if (window.states.at(-1) !== element.textContent) window.states.push(element.textContent); };
  new MutationObserver(look).observe(element, { childList: true, characterData: true, subtree: true });
}
"""
# How often a WebSocket or a session by polling was begun.
COUNT_ATTEMPTS = """
window.attempts = 0;
window.WebSocket = class extends WebSocket {
  constructor(...options) { super(...options); window.attempts += 1; }
};
const ask = window.fetch;
window.fetch = (address, ...options) => {
  const url = new URL(address, location.href);
  if (url.pathname.startsWith('/socket.io') && !url.searchParams.has('sid')) window.attempts += 1;
  return ask(address, ...options);
};
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
HOUR = 3_600_000
BUSY = "(line) => { line.close(); const end = Date.now() + 2500; while (Date.now() < end); }"
GRANT = "() => JSON.parse(Object.values(localStorage)[0] ?? 'null')"
LOG_IN = """
async ([userName, password]) => {
  const { Parley } = await import('./parley.js');
  const parley = new Parley();
  const outcome = await parley.signIn({ userName, password }).then(() => 'signed in', ({ code }) => code);
  parley.close();
  return outcome;
}
"""
# What a page can keep beside cookies, its local storage and IndexedDB.
OTHER_STORES = """
async () => {
  const texts = [];
  for (const name of await caches.keys()) {
    const cache = await caches.open(name);
    for (const request of await cache.keys()) texts.push(request.url, await (await cache.match(request)).text());
  }
  return [{ ...sessionStorage }, window.name, location.href, JSON.stringify(history.state), texts];
}
"""
FORGET_ACCESS = """
() => {
  const [[key, grant]] = Object.entries(localStorage);
  localStorage.setItem(key, JSON.stringify({ ...JSON.parse(grant), accessToken: '', expires: 0 }));
}
"""
EXPIRE = """
([seconds, refreshToken]) => {
  const [[key, text]] = Object.entries(localStorage);
  const grant = JSON.parse(text);
  const changes = { expires: Date.now() + seconds * 1000, refreshToken: refreshToken ?? grant.refreshToken };
  localStorage.setItem(key, JSON.stringify({ ...grant, ...changes }));
}
"""
SERVERS = "() => window.peers.at(-1).getConfiguration().iceServers"
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


class LinkTests(PageTest):
    def test_A11_the_page_says_how_it_is_connected(self):
        """A11.closed A11.connecting A11.connected A11.dropped"""
        anna = self.company.visitor(self.server)
        anna.sees_state("Not connected")
        anna.page.evaluate(WATCH_STATE)
        anna.enter("Anna").sees_state("Connected")
        self.assertEqual(anna.page.title(), "Parley")
        self.server.tell(signal.SIGKILL)
        self.server.wait()
        expect(anna.page.locator("#connection")).not_to_have_text("Connected")
        eventually(lambda: anna.page.title() != "Parley", "the title tells")
        self.server.begin()
        anna.sees_state("Connected")
        states = anna.page.evaluate("() => window.states")
        self.assertEqual(states[:4], ["Connecting…", "Connected", "Connection lost. Coming back…", "Connecting…"])
        self.assertEqual(states[-2:], ["Connecting…", "Connected"])

    def test_B03_it_comes_back_every_four_seconds_for_as_long_as_it_takes_and_at_once_with_the_network(self):
        """B03.endless B03.pause B03.online"""
        anna = self.company.visitor(self.server, scripts=(COUNT_ATTEMPTS,)).enter("Anna")
        clock, attempts = anna.page.clock, lambda: anna.page.evaluate("() => window.attempts")
        anna.sees_state("Connected")
        clock.install()
        clock.pause_at(time.time() + 3600)
        self.server.end()
        anna.sees_state("Connection lost. Coming back…")
        counts = [attempts()]
        for _ in range(12):
            clock.run_for(4_000)
            anna.sees_state("Connection lost. Coming back…")
            counts.append(attempts())
        growth = [after - before for before, after in zip(counts, counts[1:])]
        self.assertGreaterEqual(min(growth), 1, "never is there a pause of more than four seconds")
        self.assertLessEqual(max(growth[3:]), 2, "nor, after the first ones, one of less than two")
        clock.run_for(HOUR)
        anna.sees_state("Connection lost. Coming back…")
        tried = attempts()
        self.assertGreater(tried - counts[-1], 100, "it never gives up")
        self.server.begin()
        self.assertEqual(attempts(), tried, "the clock stands still, and so do the attempts")
        anna.sees_state("Connection lost. Coming back…")
        anna.context.set_offline(True)
        anna.context.set_offline(False)
        anna.sees_state("Connected")

    def test_C02_coming_and_going_shows_on_the_first_and_last_device_only(self):
        anna, bo = self.pair()
        row = anna.page.get_by_role("listitem").filter(has_text="Bo")
        expect(row).to_contain_text("online")
        second = bo.tab(bo.page.url)
        expect(second.locator("#lobby")).to_be_visible()
        expect(anna.page.get_by_role("listitem")).to_have_count(1)
        bo.page.close()
        expect(second.get_by_role("listitem").filter(has_text="Anna")).to_contain_text("online")
        expect(row).to_contain_text("online")
        second.close()
        expect(row).to_contain_text("offline")

    def test_A09_A10_another_page_sees_a_new_name_and_picture_without_a_reload(self):
        """A10.page"""
        anna, bo = self.pair()
        row = anna.page.get_by_role("listitem").filter(has_text="Bo")
        token = bo.page.evaluate(GRANT)["accessToken"]
        headers = {"Authorization": f"Bearer {token}"}
        content, kind = form("me.gif", gif(40, 30))
        file = ask_http(self.server, "POST", "/v1/files", content, headers | {"Content-Type": kind}).json["file"]
        for change, name in (({"avatar": file}, "Bo"), ({"name": "Bobby"}, "Bobby")):
            self.assertEqual(ask_http(self.server, "PATCH", "/v1/me", change, headers).status, 200)
            row = anna.page.get_by_role("listitem").filter(has_text=name)
            expect(row.locator("img")).to_have_js_property("naturalWidth", 40)
        expect(row.locator("img")).to_have_attribute("src", f"/v1/avatars/{file}")
        ask_http(self.server, "PATCH", "/v1/me", {"avatar": ""}, headers)
        expect(row.locator("img")).to_have_count(0)
        expect(row.locator(".face")).to_have_text("B")

    def test_a_broken_line_comes_back_in_the_middle_of_a_call(self):
        anna, bo = self.pair()
        self.connect(anna, bo)
        for _ in range(3):
            anna.cut_line()
            expect(anna.page.locator("#connection")).not_to_have_text("Connected")
            anna.sees_state("Connected")
            expect(bo.page.locator("#stage-status")).to_have_text("")
        self.assert_hears(bo, anna)
        bo.hang_up()
        anna.reads("Bo hung up.")

    def test_B02_the_page_works_where_no_websocket_comes_through(self):
        anna = self.company.visitor(self.server, 700, (BLOCKED,)).enter("Anna")
        bo = self.visitor("Bo", 1500)
        anna.sees_state("Connected")
        self.connect(anna, bo)
        self.assert_hears(bo, anna)
        anna.hang_up()
        bo.reads("Anna hung up.")

    def test_a_server_that_stops_while_it_rings_says_so_and_the_next_one_connects(self):
        anna, bo = self.pair()
        for ending in (signal.SIGTERM, signal.SIGKILL):
            anna.ring("Bo")
            bo.is_rung_by("Anna")
            self.restart_server(ending)
            # It stands there for six seconds, and Bo may be back later than that.
            anna.sees_state("Connected")
            anna.reads("The server was restarted")
            bo.sees_state("Connected")
            for visitor in (anna, bo):
                visitor.is_in_lobby()


class WhoTests(PageTest):
    """Who somebody is to the server: remembered, away on purpose, renewed, sent away."""

    def watcher(self) -> Person:
        watcher = Person(self.server)
        self.addCleanup(watcher.link.close)
        watcher.ask("presence.watch", everybody=True)
        return watcher

    def test_A04_who_leaves_while_they_sign_in_is_told_that_it_came_to_nothing(self):
        page = self.company.visitor(self.server).page
        for moment in ("", "await new Promise((done) => parley.addEventListener('state', done, { once: true }));"):
            outcome = page.evaluate(
                """async () => {
                  const { Parley } = await import('./parley.js');
                  const parley = new Parley();
                  const signedIn = parley.signIn({ name: 'Anna' }).then(() => 'signed in', ({ code }) => code);
                  %s
                  parley.close();
                  const late = new Promise((done) => setTimeout(done, 5000, 'nothing'));
                  return [await Promise.race([signedIn, late]), parley.state];
                }""" % moment)
            self.assertEqual(outcome, ["closed", "closed"])

    def test_A03_a_reload_keeps_the_session_and_signing_out_clears_it(self):
        """A03.reload A03.forget"""
        anna = self.visitor("Anna")
        first = anna.page.evaluate(GRANT)
        anna.page.reload()
        expect(anna.page.locator("#my-name")).to_have_text("Anna")
        anna.sees_state("Connected")
        self.assertEqual(anna.page.evaluate(GRANT)["user"], first["user"])
        self.assertEqual(set(first), {"user", "name", "accessToken", "refreshToken", "expires"})
        anna.page.get_by_role("button", name="Sign out").click()
        self.assertEqual(anna.page.evaluate("() => localStorage.length"), 0)
        eventually(
            lambda: post(self.server, "refresh", refreshToken=first["refreshToken"]).status == 401, "the server forgot her")
        anna.page.reload()
        expect(anna.page.get_by_label("Your name")).to_be_visible()

    def test_A03_a_password_is_sent_and_kept_nowhere(self):
        """A03.password"""
        password = "a-password-like-no-other"
        self.assertEqual(post(self.server, "register", userName="ada_1", password=password, name="Ada").status, 200)
        anna = self.company.visitor(self.server)
        for given, outcome in (("wrong-" + password, "unauthorized"), (password, "signed in")):
            self.assertEqual(anna.page.evaluate(LOG_IN, ["ada_1", given]), outcome)
        anna.page.reload()
        expect(anna.page.locator("#my-name")).to_have_text("Ada")
        kept = json.dumps([anna.context.storage_state(indexed_db=True), anna.page.evaluate(OTHER_STORES)])
        self.assertIn(anna.page.evaluate(GRANT)["refreshToken"], kept, "what is kept is found")
        self.assertNotIn(password, kept)

    def test_A04_disconnecting_reconnecting_and_signing_out_by_button_change_presence(self):
        watcher = self.watcher()
        anna = self.visitor("Anna")
        user = anna.page.evaluate(GRANT)["user"]
        watcher.expect("presence", user=user, online=True)
        for _ in range(2):
            anna.page.get_by_role("button", name="Disconnect").click()
            anna.sees_state("Not connected")
            expect(anna.page.locator("#nobody")).to_contain_text("You are not connected")
            watcher.expect("presence", user=user, online=False)
            anna.page.get_by_role("button", name="Reconnect").click()
            anna.sees_state("Connected")
            watcher.expect("presence", user=user, online=True)
        anna.page.get_by_role("button", name="Sign out").click()
        watcher.expect("presence", user=user, online=False)
        anna.enter("Anna")
        self.assertNotEqual(anna.page.evaluate(GRANT)["user"], user)

    def test_A04_who_disconnects_in_a_call_has_hung_up(self):
        anna, bo = self.pair()
        self.connect(anna, bo)
        anna.page.get_by_role("button", name="Disconnect").click()
        bo.reads("Anna hung up.")
        for visitor in (anna, bo):
            visitor.is_in_lobby()

    def test_A12_a_token_is_renewed_in_place_before_it_ends(self):
        anna, bo = self.pair()
        first = anna.page.evaluate(GRANT)
        anna.page.evaluate(EXPIRE, [63, None])
        anna.page.reload()
        anna.sees_state("Connected")
        lines = anna.page.evaluate("() => window.lines.length")
        self.connect(anna, bo)
        renewed = lambda: anna.page.evaluate(GRANT)["accessToken"] != first["accessToken"]  # noqa: E731
        eventually(renewed, "the token is renewed")
        self.assertEqual(anna.page.evaluate(GRANT)["user"], first["user"])
        self.assertEqual(anna.page.evaluate("() => window.lines.length"), lines)
        self.assert_hears(bo, anna)

    def test_A12_whose_token_ends_and_cannot_be_renewed_is_told_so(self):
        anna = self.visitor("Anna")
        # The page renews its token a minute before it ends. Were that before it is connected, it would sign in as a new user.
        anna.page.evaluate(EXPIRE, [70, "spent-long-ago"])
        anna.page.reload()
        anna.sees_state("Connected")
        anna.reads("You are signed out. Enter again.")
        expect(anna.page.get_by_label("Your name")).to_be_visible()

    def test_A12_who_is_sent_away_reads_why(self):
        for verb, text in (("kick", "You were sent out."), ("ban", "You may not come in here any more.")):
            with self.subTest(verb):
                anna, bo = self.pair()
                self.connect(anna, bo)
                self.server.ask_admin("POST", f"/v1/users/{anna.page.evaluate(GRANT)['user']}/{verb}")
                anna.reads(text)
                bo.reads("Anna hung up.", within=3)
                expect(anna.page.get_by_label("Your name")).to_be_visible()
                bo.is_in_lobby()
                self.assertEqual(self.company.go_home(), [])


@of_one_process
class ServerListTests(PageTest):
    """The STUN and TURN servers of ice-servers.json reach every connection, with credentials of the moment."""

    def write(self, *urls: str) -> None:
        servers = {"iceServers": [{"urls": list(urls), "secret": "a-secret-that-the-turn-server-shares"}]}
        Path(self.server.data, "ice-servers.json").write_text(json.dumps(servers))

    def turn(self, visitor: Visitor) -> dict | None:
        servers = visitor.page.evaluate(SERVERS)
        return next((server for server in servers if server["urls"][0].startswith("turn:")), None)

    def test_a_call_is_given_turn_servers_and_follows_the_file(self):
        self.write("turn:127.0.0.1:9?transport=udp")
        self.restart_server(signal.SIGTERM)
        anna = self.company.visitor(self.server, 700, (WATCHED,)).enter("Anna")
        bo = self.visitor("Bo", 1500, (WATCHED,))
        self.connect(anna, bo)
        for visitor in (anna, bo):
            first = self.turn(visitor)
            self.assertEqual(first["urls"], ["turn:127.0.0.1:9?transport=udp"])
            expiry, user = first["username"].split(":", 1)
            self.assertEqual(user, visitor.page.evaluate(GRANT)["user"])
            self.assertGreater(int(expiry), 0)
            self.assertTrue(first["credential"])
        self.write("turn:127.0.0.1:10?transport=udp")
        for visitor in (anna, bo):
            eventually(lambda: self.turn(visitor)["urls"] == ["turn:127.0.0.1:10?transport=udp"], "the new list")
        self.assert_hears(anna, bo)


class ManyWaysTests(PageTest):
    def test_everything_is_done_by_keyboard(self):
        anna, bo = self.pair()
        ring = anna.page.get_by_role("button", name="Voice call with Bo")
        for _ in range(10):
            if ring.evaluate("(button) => button === document.activeElement"):
                break
            anna.page.keyboard.press("Tab")
        anna.page.keyboard.press("Enter")
        bo.is_rung_by("Anna")
        bo.page.keyboard.press("Escape")
        anna.reads("Bo declined.")
        self.assertTrue(ring.evaluate("(button) => button === document.activeElement"), "the focus comes back")
        anna.page.keyboard.press("Enter")
        bo.is_rung_by("Anna")
        bo.page.keyboard.press("Control+Enter")
        anna.talks()

    def test_it_fits_a_narrow_phone(self):
        phone = {"viewport": {"width": 360, "height": 640}, "has_touch": True}
        anna = self.visitor("Anna Magdalena Wilhelmina", **phone)
        bo = self.visitor("Bo with a name of some length")
        overflow = "() => document.documentElement.scrollWidth - innerWidth"
        self.assertLessEqual(anna.page.evaluate(overflow), 0)
        button = anna.page.get_by_role("button", name="Video call with Bo with a name of some length").bounding_box()
        card = anna.page.locator("#lobby .card").first.bounding_box()
        self.assertLess(button["x"] + button["width"], card["x"] + card["width"])
        bo.ring("Anna Magdalena Wilhelmina", "picture")
        anna.is_rung_by("Bo")
        anna.answer()
        anna.talks()
        self.assertLessEqual(anna.page.evaluate(overflow), 0)
        tools = anna.page.get_by_role("button", name="Hang up").bounding_box()
        self.assertLessEqual(tools["y"] + tools["height"], 640)

    def test_a_microphone_that_may_not_be_used_is_named_and_nobody_is_rung(self):
        anna = self.visitor("Anna", 700, (NO_PERMISSION,))
        bo = self.visitor("Bo")
        anna.ring("Bo")
        anna.reads("Allow it in the address bar")
        anna.is_in_lobby()
        bo.ring("Anna")
        anna.is_rung_by("Bo")
        anna.answer()
        expect(anna.page.get_by_role("dialog").get_by_role("alert")).to_contain_text("Allow it in the address bar")
        anna.decline()
        bo.reads("Anna declined.")

    def test_A07_the_same_user_comes_back_by_refresh_token_and_who_signs_out_is_forgotten(self):
        anna = self.visitor("Anna")
        first = anna.page.evaluate(GRANT)
        anna.page.evaluate(FORGET_ACCESS)
        anna.page.reload()
        expect(anna.page.locator("#my-name")).to_have_text("Anna")
        anna.sees_state("Connected")
        second = anna.page.evaluate(GRANT)
        self.assertEqual(second["user"], first["user"])
        self.assertNotEqual(second["refreshToken"], first["refreshToken"])
        anna.page.get_by_role("button", name="Sign out").click()
        expect(anna.page.get_by_label("Your name")).to_be_focused()
        self.assertIsNone(anna.page.evaluate(GRANT))
        self.assertNotEqual(anna.enter("Anna").page.evaluate(GRANT)["user"], first["user"])


if __name__ == "__main__":
    unittest.main()
