"""Groups and the chats of orders on the page that the server brings along."""

import re

from messenger import MessengerTest
from people import APP, APP_SECRET
from server import eventually
from visitors import Visitor, expect, need_browser
from wire import ask_http

# Creates a group of all users who are online.
GROUP = """
async (title) => {
  const { Parley } = await import('./parley.js');
  const parley = new Parley();
  await parley.signIn();
  const users = [...document.querySelectorAll('#people li')].map(({ dataset }) => dataset.user).filter((user) => user !== parley.user);
  const { conversation } = await parley.request('chat.create', { kind: 'group', title, users });
  parley.close();
  return conversation;
}
"""
# Slow mode: members wait so many seconds between two messages; 0 ends it.
SLOW = """
async ([conversation, seconds]) => {
  const { Parley } = await import('./parley.js');
  const parley = new Parley();
  await parley.signIn();
  await parley.request('chat.slow', { conversation, ...(seconds ? { seconds } : { on: false }) });
  parley.close();
}
"""


def setUpModule() -> None:
    need_browser()


class GroupTests(MessengerTest):
    def test_F01_N12_a_group_is_made_and_people_are_added_and_leave(self):
        anna, bo = self.pair()
        cleo = self.visitor("Cleo")
        self.place(anna, "chats")
        anna.page.get_by_role("button", name="New group").click()
        anna.page.get_by_label("Group name").fill("Tea club")
        anna.page.get_by_role("checkbox", name="Bo").check()
        anna.page.get_by_role("button", name="Create").click()
        expect(anna.page.locator("#chat-name")).to_have_text("Tea club")
        self.write(anna, "Welcome")
        self.place(bo, "chats")
        bo.page.locator("#chat-list").get_by_role("button", name="Tea club").click()
        expect(self.messages(bo)).to_contain_text(["Welcome"])
        expect(self.messages(bo).locator(".sender")).to_have_text(["Anna"])
        expect(self.messages(bo).locator(".face")).to_have_text(["A"])
        anna.page.locator("#chat-title").click()
        anna.page.get_by_role("button", name="Add people").click()
        anna.page.get_by_role("checkbox", name="Cleo").check()
        anna.page.get_by_role("button", name="Add", exact=True).click()
        expect(bo.page.locator("#chat-status")).to_have_text("3 members")
        self.place(cleo, "chats")
        cleo.page.locator("#chat-list").get_by_role("button", name="Tea club").click()
        cleo.page.locator("#chat-title").click()
        cleo.page.get_by_role("button", name="Leave group").click()
        cleo.page.get_by_role("button", name="Leave group").click()
        expect(bo.page.locator(".happening").last).to_have_text("Cleo left")
        expect(cleo.page.locator("#chat-list li")).to_have_count(0)


class SlowTests(MessengerTest):
    """What members of a slow group see."""

    def group(self, seconds: int = 0) -> tuple[Visitor, Visitor]:
        """A group in which Bo waits between two messages."""
        anna, bo = self.pair()
        expect(anna.page.locator("#people li")).to_have_count(1)
        self.conversation = anna.page.evaluate(GROUP, "Tea club")
        if seconds:
            anna.page.evaluate(SLOW, [self.conversation, seconds])
        for visitor in (anna, bo):
            self.place(visitor, "chats")
            visitor.page.locator("#chat-list").get_by_role("button", name="Tea club").click()
            expect(visitor.page.locator("#chat-name")).to_have_text("Tea club")
        self.assertIn(self.conversation, bo.page.url)
        return anna, bo

    def test_F15_who_waits_sees_for_how_long_and_what_is_written_stays(self):
        """F15.shown"""
        anna, bo = self.group(600)
        clock = bo.page.locator("#slow")
        expect(clock).to_be_hidden()
        self.write(bo, "first")
        expect(self.messages(anna)).to_have_text([re.compile("first")])
        expect(clock).to_have_text(re.compile(r"again in (10:00|9:5\d)"))
        shown = clock.inner_text()
        eventually(lambda: clock.inner_text() != shown, "it counts down")
        self.write(bo, "second")
        expect(bo.page.locator("#write")).to_have_value("second")
        expect(bo.page.locator("#send")).to_be_disabled()
        bo.page.reload()
        expect(clock).to_have_text(re.compile(r"again in 9:\d\d"))
        expect(bo.page.locator("#write")).to_have_value("second")
        for text in ("one", "two"):
            self.write(anna, text)
        expect(anna.page.locator("#slow")).to_be_hidden()
        expect(self.messages(bo)).to_have_text([re.compile("first"), re.compile("one"), re.compile("two")])

    def test_F15_who_hears_of_the_rule_after_writing_sees_the_wait_as_well(self):
        """F15.shown"""
        anna, bo = self.group()
        self.write(bo, "first")
        expect(self.messages(anna)).to_have_text([re.compile("first")])
        expect(bo.page.locator("#slow")).to_be_hidden()
        anna.page.evaluate(SLOW, [self.conversation, 600])
        expect(bo.page.locator("#slow")).to_have_text(re.compile(r"again in (10:00|9:[345]\d)"))
        anna.page.evaluate(SLOW, [self.conversation, 0])
        expect(bo.page.locator("#slow")).to_be_hidden()

    def test_F15_a_wait_that_is_over_lets_one_write_again(self):
        """F15.shown"""
        anna, bo = self.group(3)
        self.write(bo, "first")
        expect(bo.page.locator("#slow")).to_be_visible()
        expect(bo.page.locator("#slow")).to_be_hidden()
        self.write(bo, "second")
        expect(self.messages(anna)).to_have_text([re.compile("first"), re.compile("second")])


class OrderTests(MessengerTest):
    def shop(self, method: str, path: str, **fields: str | dict) -> None:
        answer = ask_http(self.server, method, f"/v1/orders/A-7{path}", {"application": APP, "secret": APP_SECRET} | fields)
        self.assertEqual(answer.json["ret_code"], 200, answer.text)

    def user(self, visitor: Visitor) -> str:
        return visitor.page.evaluate("() => JSON.parse(localStorage.getItem(`parley ${location.origin}/`)).user")

    def test_I08_I09_an_order_shows_how_it_goes_from_the_start_and_after_a_rating(self):
        anna, bo = self.pair()
        self.shop("PUT", "", driver=self.user(anna), passenger=self.user(bo))
        self.shop("POST", "/events", type="DRIVER_ARRIVE")
        for visitor, role in ((anna, "Driver"), (bo, "Passenger")):
            visitor.page.evaluate("() => { location.hash = '#/order/A-7'; }")
            expect(visitor.page.locator("#chat-name")).to_have_text("Order A-7")
            expect(visitor.page.locator("#chat-status")).to_have_text(f"{role} · The driver is there")
        self.write(bo, "On my way down")
        expect(self.messages(anna).last).to_contain_text("On my way down")
        self.shop("POST", "/events", type="ORDER_RATED", content={"text": "Five stars"})
        expect(bo.page.locator("#chat-status")).to_have_text("Passenger · Five stars")
        bo.page.locator("#chat-title").click()
        menu = bo.page.get_by_role("dialog", name="Order A-7")
        expect(menu.locator(".side-menu li")).to_contain_text(["Driver", "Passenger"])
        expect(menu.locator(".course li")).to_contain_text(["The driver is there", "Five stars"])
        bo.page.keyboard.press("Escape")
        expect(menu).to_have_count(0)
