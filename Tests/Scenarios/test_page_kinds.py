"""What messages of less usual kinds look like on the page: cards, mixed ones, voices on their way, in rooms and in orders."""

import re

import messenger
import test_messenger_groups
from visitors import Visitor, expect, need_browser

# Says something as nothing on the page does.
SAY = """
async ([target, kind, body]) => {
  const { Parley } = await import('./parley.js');
  const parley = new Parley();
  await parley.signIn();
  const answer = await parley.request('chat.send', { ...target, kind, body });
  parley.close();
  return answer.number;
}
"""
# A room of all who come, as an application opens it.
MEET = """
async () => {
  const { Parley } = await import('./parley.js');
  const parley = new Parley();
  await parley.signIn();
  await parley.request('chat.create', { kind: 'room', conversation: 'everybody' })
    .catch(() => parley.request('chat.join', { conversation: 'everybody' }));
  parley.close();
}
"""
# Files are told of when the test says so.
HELD = """
(() => {
  const ask = window.fetch;
  const released = new Promise((release) => { window.release = release; });
  window.fetch = async (...options) => {
    if (/\\/v1\\/files\\//.test(options[0]?.url ?? options[0])) await released;
    return ask(...options);
  };
})();
"""
LISTENERS = """
async ([user]) => {
  const { Parley } = await import('./parley.js');
  const parley = new Parley();
  await parley.signIn();
  await parley.chat.open();
  const heard = { first: [], second: [] };
  let come;
  const listener = (name) => ({ detail }) => { heard[name].push(detail.body.text); come?.(); };
  const [first, second] = [listener('first'), listener('second')];
  const say = async (text) => {
    const came = new Promise((resolve) => { come = resolve; });
    await parley.request('chat.send', { user, kind: 'text', body: { text } });
    await came;
  };
  parley.chat.addEventListener('entry', first);
  parley.chat.addEventListener('entry', second);
  await say('both');
  parley.chat.removeEventListener('entry', first);
  await say('one');
  parley.close();
  return heard;
}
"""


def setUpModule() -> None:
    need_browser()


class KindTests(messenger.MessengerTest):
    def user(self, visitor: Visitor) -> str:
        return visitor.page.evaluate("() => JSON.parse(localStorage.getItem(`parley ${location.origin}/`)).user")

    def say(self, visitor: Visitor, kind: str, body: dict) -> None:
        conversation = visitor.page.url.split("/")[-1]
        visitor.page.evaluate(SAY, [{"conversation": conversation}, kind, body])

    def test_D16_mixed_content_points_of_interest_and_cards_show_what_they_say(self):
        """D16.shown"""
        anna, bo = self.talking()
        self.say(anna, "mixed", {"parts": [{"text": "first this"}, {"text": "then that"}, None, {"x": 1}]})
        expect(self.messages(bo).last.locator(".text")).to_have_text(["first this", "then that"])
        self.say(anna, "location", {"latitude": 30.25, "longitude": 120.2, "name": "West Lake", "detail": "Hangzhou"})
        place = self.messages(bo).last.get_by_role("link")
        expect(place).to_contain_text("West Lake")
        expect(place).to_contain_text("Hangzhou")
        self.assertIn("#/position/30.25,120.2", place.get_attribute("href"))
        self.say(anna, "card", {"title": "Tea house", "detail": "Open until ten"})
        expect(self.messages(bo).last.locator(".bubble")).to_contain_text(re.compile("Tea house.*Open until ten"))

    def test_I06_cards_of_a_ride_show_their_facts_and_their_map(self):
        """I06.shown"""
        anna, bo = self.talking()
        self.say(anna, "card", {"title": "Booked", "detail": {"car": "red", "seats": [1, 2]}})
        card = self.messages(bo).last
        expect(card.locator(".card-name")).to_have_text("Booked")
        expect(card.locator("dt")).to_have_text(["car", "seats"])
        expect(card.locator("dd")).to_have_text(["red", "1, 2"])
        self.say(anna, "card", {"title": "Driver departed"})
        expect(self.messages(bo).last.locator(".card-name")).to_have_text("Driver departed")
        self.say(anna, "card", {"title": "Driver in place", "map": {"latitude": 1.5, "longitude": 2}})
        expect(self.messages(bo).last.locator(".card-name")).to_have_text("Driver in place")
        self.assertIn("#/position/1.5,2", self.messages(bo).last.get_by_role("link").get_attribute("href"))

    def test_D16_a_card_of_a_stranger_breaks_nothing(self):
        anna, bo = self.talking()
        for body in ({"title": {"a": 1}, "detail": [1], "map": "x"}, {"detail": None, "map": None}, {"detail": {"<b>": {"c": [None]}}}):
            self.say(anna, "card", body)
        self.say(anna, "mixed", {"parts": 7, "files": {"a": 1}, "text": 5})
        self.write(anna, "still here")
        expect(self.messages(bo)).to_have_count(6)
        expect(self.messages(bo).last).to_contain_text("still here")

    def test_N07_nobody_has_a_face_in_the_anonymous_room(self):
        anna, bo = self.pair()
        for visitor in (anna, bo):
            visitor.page.evaluate(MEET)
            visitor.page.evaluate("() => { location.hash = '#/c/everybody'; }")
        expect(anna.page.locator("#conversation")).to_be_visible()
        self.write(anna, "Hello everybody")
        expect(self.messages(bo)).to_have_text([re.compile("Hello everybody")])
        expect(self.messages(bo).locator(".face")).to_have_count(0)

    def test_B08_two_listeners_hear_one_event_and_one_that_was_let_go_hears_nothing(self):
        anna, bo = self.pair()
        heard = anna.page.evaluate(LISTENERS, [self.user(bo)])
        self.assertEqual(heard, {"first": ["both"], "second": ["both", "one"]})


class ReadyTests(messenger.MessengerTest):
    def test_K06_a_voice_message_is_ready_when_its_sound_is_there(self):
        anna = self.visitor("Anna", 700)
        bo = self.visitor("Bo", 1500, (HELD,))
        self.open_chat(anna, "Bo")
        box = anna.page.locator("#record").bounding_box()
        anna.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        anna.page.mouse.down()
        anna.page.wait_for_function("() => document.querySelector('#recording').textContent.includes('0:02')")
        anna.page.mouse.up()
        self.place(bo, "chats")
        bo.page.locator("#chat-list").get_by_role("button", name="Anna").click()
        voice = bo.page.locator("#history .voice")
        expect(voice.get_by_role("button", name="The sound is on its way")).to_be_disabled()
        bo.page.evaluate("window.release()")
        expect(voice.get_by_role("button", name="Play")).to_be_enabled()


class OrderPageTests(messenger.MessengerTest):
    shop, user = test_messenger_groups.OrderTests.shop, test_messenger_groups.OrderTests.user

    def order(self) -> tuple[Visitor, Visitor]:
        anna, bo = self.pair()
        self.shop("PUT", "", driver=self.user(anna), passenger=self.user(bo))
        return anna, bo

    def test_I04_an_event_of_an_order_changes_its_page_at_once(self):
        """I04.page"""
        _, bo = self.order()
        self.shop("POST", "/events", type="DRIVER_ACCEPT")
        bo.page.evaluate("() => { location.hash = '#/order/A-7'; }")
        status = bo.page.locator("#chat-status")
        expect(status).to_have_text("Passenger · The driver takes the order")
        for event, text in (("DRIVER_ARRIVE", "The driver is there"), ("ORDER_START", "The ride began"), ("ORDER_END", "The ride ended")):
            self.shop("POST", "/events", type=event)
            expect(status).to_have_text(f"Passenger · {text}")

    def test_I03_I05_what_concerns_the_account_looks_its_own_way_and_has_a_dot_until_it_is_opened(self):
        """I03.views I05.dot"""
        anna, bo = self.order()
        self.place(bo, "chats")
        self.shop("POST", "/events", type="DRIVER_ARRIVE")
        row = bo.page.locator("#chat-list li").filter(has_text="Order A-7")
        expect(row).to_contain_text("The driver is there")
        dot = row.get_by_role("img", name="News for your account")
        expect(dot).to_have_count(0)
        self.shop("POST", "/events", **{"type": "COUPON", "class": 3, "content": {"text": "Ten off"}})
        expect(dot).to_be_visible()
        anna.page.evaluate("() => { location.hash = '#/order/A-7'; }")
        expect(anna.page.locator("#chat-name")).to_have_text("Order A-7")
        self.write(anna, "I wait outside")
        expect(row).to_contain_text("I wait outside")
        expect(dot).to_be_visible()
        bo.page.reload()
        expect(dot).to_be_visible()
        row.get_by_role("button").click()
        expect(dot).to_have_count(0)
        expect(bo.page.locator("#history .bubble")).to_have_count(3)
        looks = bo.page.evaluate("""() => [...document.querySelectorAll('#history .bubble')].map((bubble) => {
          const style = getComputedStyle(bubble);
          return [style.backgroundColor, style.borderTopStyle, style.borderInlineStartWidth].join(' ');
        })""")
        self.assertEqual(len(set(looks)), 3, "how it goes, what the account gets, and what is said each look their own way")
