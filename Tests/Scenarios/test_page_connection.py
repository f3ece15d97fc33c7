"""How the page finds the server, loses it and comes back, in Chromium."""

import json
import signal
import time
import unittest
from pathlib import Path

from pages import GRANT, WATCHED, PageTest
from server import eventually, of_one_process
from test_files import form, gif
from visitors import Visitor, expect, need_browser
from wire import ask_http

BLOCKED = "window.WebSocket = class { constructor() { setTimeout(() => this.onclose?.()); } close() {} };"
NO_PERMISSION = """
navigator.mediaDevices.getUserMedia = async () => { throw new DOMException('no', 'NotAllowedError'); };
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
HOUR = 3_600_000
FORGET_ACCESS = """
() => {
  const [[key, grant]] = Object.entries(localStorage);
  localStorage.setItem(key, JSON.stringify({ ...JSON.parse(grant), accessToken: '', expires: 0 }));
}
"""
SERVERS = "() => window.peers.at(-1).getConfiguration().iceServers"


def setUpModule() -> None:
    need_browser()


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
