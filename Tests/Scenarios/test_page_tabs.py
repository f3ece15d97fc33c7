"""Several tabs of one browser: one session with the server, whoever of them is closed."""

import re

from firefox import need_firefox
from messenger import MessengerTest
from server import eventually
from visitors import Visitor, expect, need_browser

OPEN_LINES = "() => window.lines.filter(({ readyState }) => readyState <= WebSocket.OPEN).length"

ALIVE = "() => [...document.querySelectorAll('.tile:not(.mine) video')].every((video) => video.srcObject?.active === true)"


def setUpModule() -> None:
    need_browser()


class TabTests(MessengerTest):
    def lines(self, *tabs) -> int:
        return sum(tab.evaluate(OPEN_LINES) for tab in tabs)

    def shows(self, tab, count: int) -> None:
        expect(tab.locator("#history .message")).to_have_count(count)

    def say(self, tab, text: str) -> None:
        tab.locator("#write").fill(text)
        tab.keyboard.press("Enter")

    def two_tabs(self) -> tuple[Visitor, Visitor, object]:
        anna, bo = self.talking()
        other = anna.tab(anna.page.url)
        self.shows(other, 1)
        return anna, bo, other

    def test_E05_two_tabs_have_one_line_and_both_hear_what_either_says(self):
        """E05.tabs"""
        anna, bo, other = self.two_tabs()
        self.assertEqual(self.lines(anna.page, other), 1)
        self.say(anna.page, "from the first")
        self.say(other, "from the second")
        self.write(bo, "an answer")
        for tab in (anna.page, other, bo.page):
            self.shows(tab, 4)
        eventually(lambda: self.lines(anna.page, other) == 1, "there is one line")

    def test_E05_when_the_tab_with_the_line_is_closed_the_other_goes_on_with_it(self):
        """E05.tabs"""
        anna, bo, other = self.two_tabs()
        third = anna.tab(anna.page.url)
        self.shows(third, 1)
        anna.page.close()
        self.write(bo, "are you there?")
        for tab in (other, third):
            self.shows(tab, 2)
        self.say(third, "still here")
        self.say(other, "here as well")
        for tab in (other, third, bo.page):
            self.shows(tab, 4)
        self.assertEqual(self.lines(other, third), 1)
        anna.page = other

    def test_E05_a_call_that_one_tab_takes_rings_in_no_other(self):
        """E05.tabs"""
        anna, bo, other = self.two_tabs()
        bo.page.get_by_role("button", name="Voice call with Anna").first.click()
        for tab in (anna.page, other):
            expect(tab.get_by_role("dialog", name="Bo")).to_be_visible()
        other.get_by_role("button", name="Answer").click()
        expect(other.locator("#stage-clock")).not_to_be_empty()
        expect(anna.page.get_by_role("dialog", name="Bo")).to_be_hidden()
        expect(bo.page.locator("#stage-clock")).not_to_be_empty()
        # The call's own tab goes on without the one that had the line.
        anna.page.close()
        eventually(lambda: self.lines(other) == 1, "the other tab has the line")
        bo.page.get_by_role("button", name="Hang up").click()
        expect(other.locator("#stage")).to_be_hidden()
        anna.page = other

    def test_E05_a_room_is_in_one_tab_and_moves_to_the_other(self):
        """E05.tabs"""
        anna, bo, other = self.two_tabs()
        for tab in (anna.page, bo.page, other):
            tab.locator("button[data-place=contacts]").click()
        anna.join("kitchen")
        bo.join("kitchen")
        expect(anna.page.locator(".tile")).to_have_count(2)
        other.get_by_label("Room name").fill("kitchen")
        other.get_by_role("button", name="Voice only").click()
        expect(other.locator(".tile")).to_have_count(2)
        expect(anna.page.locator("#stage")).to_be_hidden()
        expect(bo.page.locator(".tile")).to_have_count(2)
        eventually(lambda: bo.page.evaluate(ALIVE), "Bo and the other tab are connected")

    def test_E05_a_tab_that_is_looked_at_takes_the_line_from_one_that_stands_still(self):
        """E05.tabs"""
        anna, bo, other = self.two_tabs()
        other.bring_to_front()
        anna.page.evaluate("() => void setTimeout(() => { const end = Date.now() + 12_000; while (Date.now() < end); }, 0)")
        self.say(other, "is anybody there?")
        expect(self.messages(bo)).to_have_count(2, timeout=11_000)
        expect(anna.page.locator("#history .message")).to_have_count(2, timeout=20_000)
        self.say(anna.page, "now I am")
        for tab in (anna.page, other, bo.page):
            self.shows(tab, 3)
        eventually(lambda: self.lines(anna.page, other) == 1, "there is one line")

    def test_E05_who_signs_out_in_one_tab_is_signed_out_in_all(self):
        """E05.tabs"""
        anna, bo, other = self.two_tabs()
        anna.page.locator("button[data-place=me]").click()
        anna.page.get_by_role("button", name="Sign out", exact=True).first.click()
        for tab in (anna.page, other):
            expect(tab.locator("#name")).to_be_visible()
        eventually(lambda: anna.page.evaluate("async () => (await indexedDB.databases()).length") == 0, "nothing is kept")
        self.assertEqual(self.lines(anna.page, other), 0)


class FirefoxTabTests(TabTests):
    browser = "firefox"

    @classmethod
    def setUpClass(cls) -> None:
        need_firefox()
        super().setUpClass()
