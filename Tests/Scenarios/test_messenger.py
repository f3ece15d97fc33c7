"""People write to each other on the page that the server brings along."""

import re
import signal
import tempfile
from pathlib import Path

from balancer import Balancer
from pages import PageTest
from people import APP, APP_SECRET
from server import eventually, of_one_process
from test_files import gif
from visitors import Visitor, expect, need_browser
from wire import ask_http

# The times of messages are the server's; what the page makes of them is asked of its own modules.
LABELS = """
async ([now, times]) => {
  const { dayLabel, listTime, isSameHour } = await import('./page-time.js');
  return times.map((time) => [dayLabel(time, now), listTime(time, now), isSameHour(time, now)]);
}
"""
BUBBLES = """
() => [...document.querySelectorAll('#history .bubble')].map((bubble) =>
  [bubble.getBoundingClientRect().right, getComputedStyle(bubble).backgroundColor])
"""
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
# How many rows a tab draws from now on.
COUNT_ROWS = """
() => {
  window.drawn = 0;
  new MutationObserver((changes) => { for (const { addedNodes } of changes) window.drawn += addedNodes.length; })
    .observe(document.querySelector('#history ol'), { childList: true });
}
"""
# How many tones a page has sounded.
LISTENING = """
window.tones = [];
window.OscillatorNode = class extends OscillatorNode {
  constructor(context, options) { super(context, options); window.tones.push(options.frequency); }
};
"""
DAY = 86_400_000
HOUR = 3_600_000
NOON = 1_795_262_400_000
# What is written comes with a script: a person would take an hour.
FILL = """
async ([conversation, count]) => {
  const { Parley } = await import('./parley.js');
  const parley = new Parley();
  await parley.signIn();
  for (let number = 0; number < count; number += 1) {
    await parley.request('chat.send', { conversation, kind: 'text', body: { text: `line ${number}` } });
  }
  parley.close();
}
"""

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

# Turns on slow mode: members wait so many seconds between two messages.
SLOW = """
async ([conversation, seconds]) => {
  const { Parley } = await import('./parley.js');
  const parley = new Parley();
  await parley.signIn();
  await parley.request('chat.slow', { conversation, seconds });
  parley.close();
}
"""


def setUpModule() -> None:
    need_browser()


class MessengerTest(PageTest):
    def write(self, visitor: Visitor, text: str) -> None:
        visitor.page.locator("#write").fill(text)
        visitor.page.keyboard.press("Enter")

    def open_chat(self, visitor: Visitor, name: str) -> None:
        visitor.page.locator("#lobby").get_by_role("button", name=f"Write to {name}").click()
        expect(visitor.page.locator("#chat-name")).to_have_text(name)

    def messages(self, visitor: Visitor):
        return visitor.page.locator("#history .message")

    def place(self, visitor: Visitor, name: str) -> None:
        visitor.page.locator(f"button[data-place={name}]").click()

    def talking(self) -> tuple[Visitor, Visitor]:
        """Two who have written to each other once."""
        anna, bo = self.pair()
        self.open_chat(anna, "Bo")
        self.write(anna, "Hello Bo")
        self.place(bo, "chats")
        bo.page.locator("#chat-list").get_by_role("button", name="Anna").click()
        expect(self.messages(bo)).to_have_text([re.compile("Hello Bo")])
        return anna, bo

    def menu(self, visitor: Visitor, text: str, item: str) -> None:
        row = self.messages(visitor).filter(has_text=text).first
        row.hover()
        row.get_by_role("button", name="Message actions").click()
        visitor.page.get_by_role("menuitem", name=item).click()


class LateAnswers:
    """The page has the server's answer to its first request of one kind when two events of another kind have come, the answer to the second
    when two more have, and so on."""

    def __init__(self, page, request: str, event: str):
        self.request, self.event = request, event
        self.asked: list[str] = []
        self.waiting: dict[int, str] = {}
        self.events = 0
        page.route_web_socket(re.compile("/socket.io/"), self.connect)

    def connect(self, page) -> None:
        server = page.connect_to_server()
        page.on_message(lambda text: self.say(server, text))
        server.on_message(lambda text: self.hear(page, text))

    def say(self, server, text: str) -> None:
        if found := re.match(rf'42(\d+)\["{re.escape(self.request)}"', text):
            self.asked.append(found[1])
        server.send(text)

    def hear(self, page, text: str) -> None:
        answered = re.match(r"43(\d+)\[", text)
        if answered and answered[1] in self.asked:
            self.waiting[2 * self.asked.index(answered[1]) + 2] = text
        else:
            page.send(text)
        self.events += text.startswith(f'42["{self.event}"')
        for number in [number for number in self.waiting if number <= self.events]:
            page.send(self.waiting.pop(number))


class WritingTests(MessengerTest):
    def test_N03_N06_N10_two_write_to_each_other(self):
        anna, bo = self.talking()
        self.assertEqual(anna.page.locator("#write").input_value(), "")
        self.write(bo, "Hello Anna")
        expect(self.messages(anna)).to_have_text([re.compile("Hello Bo"), re.compile("Hello Anna")])
        (mine, my_color), (theirs, their_color) = anna.page.evaluate(BUBBLES)
        self.assertGreater(mine, theirs)
        red, green, blue = self.color(my_color)
        self.assertGreater(blue, red + 50)
        red, green, blue = self.color(their_color)
        self.assertLess(max(red, green, blue) - min(red, green, blue), 16)

    def color(self, text: str) -> list[int]:
        return [int(number) for number in re.findall(r"\d+", text)[:3]]

    def test_N10_what_is_said_while_a_new_conversation_opens_is_all_there(self):
        anna, bo = self.pair()
        self.open_chat(anna, "Bo")
        lines = [f"line {number}" for number in range(6)]
        for line in lines:
            self.write(anna, line)
        expect(self.messages(anna)).to_contain_text(lines)
        self.place(bo, "chats")
        bo.page.locator("#chat-list").get_by_role("button", name="Anna").click()
        expect(self.messages(bo)).to_contain_text(lines)
        self.write(bo, "heard")
        expect(self.messages(anna)).to_contain_text([*lines, "heard"])

    @of_one_process
    def test_N10_what_is_said_is_in_order_however_late_a_new_conversation_is_known(self):
        anna, bo = self.pair()
        late = LateAnswers(anna.page, "chat.conversation", "chat.entry")
        anna.page.reload()
        anna.is_in_lobby()
        self.open_chat(anna, "Bo")
        lines = [f"line {number}" for number in range(6)]
        for line in lines:
            self.write(anna, line)
        expect(self.messages(anna)).to_contain_text(lines)
        self.assertGreater(len(late.asked), 0)
        numbers = "() => [...document.querySelectorAll('#history .message')].map((row) => Number(row.dataset.number))"
        # The last may still be on its way.
        eventually(lambda: anna.page.evaluate(numbers) == list(range(1, 7)), "all are there, in order")

    def test_N10_who_has_gone_elsewhere_stays_there_when_the_conversation_begins(self):
        anna, bo = self.pair()
        self.place(bo, "chats")
        self.open_chat(anna, "Bo")
        self.server.tell(signal.SIGSTOP)
        self.write(anna, "Hello Bo")
        self.place(anna, "me")
        self.server.tell(signal.SIGCONT)
        expect(bo.page.locator("#chat-list").get_by_role("button", name="Anna")).to_contain_text("Hello Bo")
        expect(anna.page.locator("#chat-list").get_by_role("button", name="Bo", include_hidden=True)).to_contain_text("Hello Bo")
        expect(anna.page.locator("body")).to_have_attribute("data-place", "me")

    def test_N10_a_message_is_sent_delivered_and_read(self):
        anna, bo = self.pair()
        self.open_chat(anna, "Bo")
        self.write(anna, "Are you there?")
        fate = self.messages(anna).get_by_role("img")
        expect(fate).to_have_attribute("aria-label", "Delivered")
        self.place(bo, "chats")
        bo.page.locator("#chat-list").get_by_role("button", name="Anna").click()
        expect(fate).to_have_attribute("aria-label", "Read")

    def test_E02_E03_unread_messages_are_counted_until_they_are_seen(self):
        anna, bo = self.pair()
        self.open_chat(anna, "Bo")
        for text in ("one", "two", "three"):
            self.write(anna, text)
        expect(bo.page.locator("#chats-badge")).to_have_text("3")
        self.assertTrue(bo.page.title().startswith("(3) "))
        self.place(bo, "chats")
        row = bo.page.locator("#chat-list li")
        expect(row.locator(".count")).to_have_text("3")
        expect(row.locator("small")).to_have_text("three")
        row.get_by_role("button").click()
        expect(bo.page.locator("#chats-badge")).to_have_text("")
        self.write(anna, "four")
        expect(self.messages(bo)).to_have_count(4)
        expect(row.locator(".count")).to_have_text("")

    def test_N04_the_input_grows_with_its_text_between_limits(self):
        anna, _ = self.talking()
        height = lambda: anna.page.locator("#write").bounding_box()["height"]
        one = height()
        anna.page.locator("#write").fill("a\nb\nc")
        self.assertGreater(height(), one + 20)
        anna.page.locator("#write").fill("a\n" * 60)
        self.assertLess(height(), 260)

    def test_D17_D18_messages_are_edited_answered_forwarded_and_taken_back(self):
        anna, bo = self.talking()
        self.menu(anna, "Hello Bo", "Edit")
        self.write(anna, "Good morning Bo")
        expect(self.messages(bo)).to_contain_text(["Good morning Bo"])
        expect(self.messages(bo).first).to_contain_text("edited")
        self.menu(bo, "Good morning", "Reply")
        self.write(bo, "Good morning Anna")
        expect(self.messages(anna).last.locator(".quote")).to_contain_text("Good morning Bo")
        self.menu(anna, "Good morning Anna", "React 👍")
        expect(self.messages(bo).last.locator(".reactions")).to_contain_text("👍 1")
        self.messages(bo).last.locator(".reactions button").click()
        expect(self.messages(anna).last.locator(".reactions")).to_contain_text("👍 2")
        self.menu(anna, "Good morning Bo", "Take back")
        expect(self.messages(bo).first).to_have_text(re.compile("Anna took back a message"))
        expect(bo.page.get_by_text("Good morning Bo")).to_have_count(0)

    def test_D18_the_text_of_a_message_is_copied_from_its_menu(self):
        """D18.copy D18.menu"""
        anna, bo = self.talking()
        bo.page.evaluate("navigator.clipboard.writeText = async (text) => { window.copied = text; }")
        self.menu(bo, "Hello Bo", "Copy text")
        self.assertEqual(bo.page.evaluate("window.copied"), "Hello Bo")

    def test_D15_a_message_of_a_kind_nobody_knows_is_said_kindly(self):
        anna, bo = self.talking()
        anna.page.evaluate("""async () => {
          const { Parley } = await import('./parley.js');
          const parley = new Parley();
          await parley.signIn();
          const { conversations } = await parley.request('chat.conversations');
          await parley.request('chat.send', { conversation: conversations[0].conversation, kind: 'hologram', body: { x: 1 } });
          parley.close();
        }""")
        expect(self.messages(bo).last).to_contain_text("newer version")

    def test_N05_a_keyboard_that_opens_covers_nothing(self):
        anna, _ = self.talking()
        for number in range(12):
            self.write(anna, f"line {number}")
        expect(self.messages(anna).last).to_contain_text("line 11")
        anna.page.set_viewport_size({"width": 390, "height": 360})
        expect(self.messages(anna).last).to_be_in_viewport()
        expect(anna.page.locator("#write")).to_be_in_viewport()

    def test_N14_rows_keep_their_place_and_the_focus_when_others_come_and_go(self):
        anna, bo = self.talking()
        self.place(bo, "contacts")
        row = bo.page.locator("#people .row").first
        row.focus()
        cleo = self.visitor("Aaron")
        expect(bo.page.locator("#people li")).to_have_count(2)
        self.assertTrue(bo.page.evaluate("() => document.activeElement.matches('[aria-label^=\"Write to Anna\"]')"))
        cleo.context.close()
        self.company.visitors.remove(cleo)
        expect(bo.page.locator("#people li.offline")).to_have_count(1)
        self.assertTrue(bo.page.evaluate("() => document.activeElement.matches('[aria-label^=\"Write to Anna\"]')"))

    def test_N09_new_rows_slide_in_unless_motion_is_unwelcome(self):
        anna, bo = self.talking()
        moving = "() => document.querySelector('#history .new') && getComputedStyle(document.querySelector('#history .new')).animationName"
        self.write(bo, "one more")
        expect(self.messages(anna)).to_have_count(2)
        self.assertEqual(anna.page.evaluate(moving), "rise")
        anna.page.emulate_media(reduced_motion="reduce")
        self.assertEqual(anna.page.evaluate(moving), "none")

    def test_G01_G02_who_types_is_seen_typing(self):
        anna, bo = self.talking()
        anna.page.locator("#write").press_sequentially("hm")
        expect(bo.page.locator("#chat-status")).to_have_text("Anna is typing…")
        anna.page.locator("#write").fill("")
        expect(bo.page.locator("#chat-status")).to_have_text("online")

    def test_N01_N02_times_are_told_as_people_tell_them(self):
        anna = self.visitor("Anna", timezone_id="UTC", locale="en-GB")
        times = [NOON, NOON - HOUR, NOON - DAY, NOON - 3 * DAY, NOON - 40 * DAY]
        labels = anna.page.evaluate(LABELS, [NOON, times])
        self.assertEqual([label for label, _, _ in labels], [
            "Today, 12:00", "Today, 11:00", "Yesterday, 12:00", "18 November 2026, 12:00", "12 October 2026, 12:00"])
        self.assertEqual([short for _, short, _ in labels], ["12:00", "11:00", "Yesterday", "Wednesday", "12/10/26"])
        self.assertEqual([same for _, _, same in labels], [True, False, False, False, False])

    def test_N08_a_message_is_heard_when_it_is_sent_and_when_it_comes(self):
        anna, bo = self.visitor("Anna", scripts=(LISTENING,)), self.visitor("Bo", scripts=(LISTENING,))
        self.open_chat(anna, "Bo")
        self.write(anna, "Hello Bo")
        eventually(lambda: anna.page.evaluate("window.tones") == [520], "one tone for what was sent")
        eventually(lambda: bo.page.evaluate("window.tones") == [740, 880], "two for what came")

    def test_N12_a_row_shows_that_it_is_being_sent(self):
        anna, _ = self.talking()
        self.server.tell(signal.SIGSTOP)
        self.write(anna, "on its way")
        expect(self.messages(anna).last.get_by_role("img")).to_have_attribute("aria-label", "Sending…")
        self.server.tell(signal.SIGCONT)
        expect(self.messages(anna).last.get_by_role("img")).to_have_attribute("aria-label", re.compile("Sent|Delivered|Read"))

    def test_N11_the_three_places_by_click_and_by_keyboard(self):
        anna, _ = self.pair()
        for name, title in (("chats", "#chats-title"), ("contacts", "#people-title"), ("me", "#me-title")):
            self.place(anna, name)
            expect(anna.page.locator(title)).to_be_visible()
            self.assertTrue(anna.page.url.endswith(f"#/{name}"))
        anna.page.bring_to_front()
        anna.page.locator("button[data-place=chats]").focus()
        anna.page.keyboard.press("Enter")
        expect(anna.page.locator("#chats-title")).to_be_visible()
        anna.page.go_back()
        expect(anna.page.locator("#me-title")).to_be_visible()


class ArchiveTests(MessengerTest):
    def rows(self, page):
        return page.locator("#chat-list li")

    def test_E16_what_is_put_away_is_away_on_every_tab_and_comes_back_with_a_message(self):
        """E16.devices E16.back"""
        anna, bo = self.talking()
        other = bo.tab(bo.page.url.split("#")[0])
        expect(self.rows(other)).to_have_count(1)
        bo.page.locator("#chat-title").click()
        bo.page.get_by_role("button", name="Archive conversation").click()
        expect(bo.page.locator("#conversation")).to_be_hidden()
        for page in (bo.page, other):
            expect(self.rows(page)).to_have_count(0)
            expect(page.locator("#archive")).to_have_text("Archived (1)")
        expect(self.rows(anna.page)).to_have_count(1)
        bo.page.reload()
        expect(bo.page.locator("#archive")).to_have_text("Archived (1)")
        expect(self.rows(bo.page)).to_have_count(0)
        self.write(anna, "Are you still there?")
        for page in (bo.page, other):
            expect(self.rows(page).locator(".count")).to_have_text("1")
            expect(page.locator("#archive")).to_be_hidden()

    def test_E16_the_archive_is_looked_through_and_gives_back(self):
        """E16.kept"""
        _, bo = self.talking()
        bo.page.locator("#chat-title").click()
        bo.page.get_by_role("button", name="Archive conversation").click()
        bo.page.locator("#archive").click()
        expect(bo.page.locator("#chats-title")).to_have_text("Archived")
        bo.page.locator("#archive").click()
        expect(self.rows(bo.page)).to_have_count(0)
        bo.page.locator("#archive").click()
        bo.page.locator("#chat-list").get_by_role("button", name="Anna").click()
        bo.page.locator("#chat-title").click()
        bo.page.get_by_role("button", name="Back into the list").click()
        expect(bo.page.locator("#chats-title")).to_have_text("Chats")
        expect(bo.page.locator("#archive")).to_be_hidden()
        expect(self.rows(bo.page)).to_have_count(1)


class HistoryTests(MessengerTest):
    def test_N03_older_messages_come_and_what_is_in_view_stays(self):
        anna, bo = self.talking()
        conversation = anna.page.url.split("/")[-1]
        anna.page.evaluate(FILL, [conversation, 180])
        expect(self.messages(anna).last).to_contain_text("line 179")
        bo.page.reload()
        expect(self.messages(bo).last).to_contain_text("line 179")
        for _ in range(30):
            before = self.messages(bo).first.inner_text()
            if "Hello Bo" in before:
                break
            self.assert_place_is_kept(bo)
        expect(self.messages(bo).first).to_contain_text("Hello Bo")

    def assert_place_is_kept(self, visitor: Visitor) -> None:
        moved = visitor.page.evaluate("""async () => {
          const history = document.querySelector('#history');
          const first = history.querySelector('.message');
          history.scrollTop = 100;
          const seen = [...history.querySelectorAll('.message')].find((row) => row.getBoundingClientRect().bottom > history.getBoundingClientRect().top);
          const before = seen.getBoundingClientRect().top;
          for (let turn = 0; turn < 100 && history.querySelector('.message') === first; turn += 1) await new Promise(requestAnimationFrame);
          return document.querySelector(`[data-number="${seen.dataset.number}"]`).getBoundingClientRect().top - before;
        }""")
        self.assertLess(abs(moved), 2)

    def test_a_found_message_is_shown_in_its_place(self):
        anna, _ = self.talking()
        conversation = anna.page.url.split("/")[-1]
        anna.page.evaluate(FILL, [conversation, 120])
        self.place(anna, "chats")
        anna.page.get_by_label("Search people and messages").fill("Hello Bo")
        anna.page.locator("#found").get_by_role("button", name="Hello Bo").click()
        expect(self.messages(anna).filter(has_text="Hello Bo")).to_be_in_viewport()
        anna.page.locator("#to-end").click()
        expect(self.messages(anna).filter(has_text="line 119")).to_be_in_viewport()

    def test_E05_what_was_seen_is_there_without_a_network(self):
        anna, _ = self.talking()
        anna.page.reload()
        expect(self.messages(anna)).to_contain_text(["Hello Bo"])
        anna.page.evaluate("async () => { await navigator.serviceWorker.ready; }")
        self.server.tell(9)
        self.server.wait()
        anna.page.reload()
        expect(self.messages(anna)).to_contain_text(["Hello Bo"])
        # What is loaded when it is needed is there, too.
        self.place(anna, "me")
        expect(anna.page.get_by_label("Language")).to_be_visible()
        self.place(anna, "chats")
        self.write(anna, "Written without a network")
        expect(self.messages(anna).last.get_by_role("img")).to_have_attribute("aria-label", "Waiting for the network")
        self.server.begin()
        expect(self.messages(anna).last.get_by_role("img")).to_have_attribute("aria-label", re.compile("Sent|Delivered|Read"))
        expect(self.messages(anna).filter(has_text="Written without a network")).to_have_count(1)

    def test_E05_the_page_is_there_while_a_proxy_answers_for_a_server_that_is_away(self):
        with Balancer([self.server.address]) as proxy:
            url = "http://{}:{}/".format(*proxy.address)
            anna = self.company.visitor_at(url, 440).enter("Anna")
            anna.page.evaluate("async () => { await navigator.serviceWorker.ready; }")
            self.server.end()
            try:
                self.assertEqual(anna.page.request.get(url).status, 502)
                self.assertEqual(anna.page.reload().status, 200)
                expect(anna.page.locator("button[data-place=chats]")).to_be_visible()
            finally:
                self.server.begin()

    def test_E05_what_was_written_without_a_network_leaves_once_and_in_order(self):
        anna, bo = self.talking()
        self.server.tell(9)
        self.server.wait()
        for number in range(5):
            self.write(anna, f"offline {number}")
        self.server.begin()
        expect(self.messages(bo)).to_have_count(6)
        self.assertEqual([re.sub(r"\s.*", "", text.removeprefix("offline ")) for text in
                          self.messages(bo).locator(".text").all_inner_texts()[1:]], [str(n) for n in range(5)])

    def test_E05_two_tabs_say_what_was_written_once(self):
        anna, bo = self.talking()
        other = anna.tab(anna.page.url)
        expect(other.locator("#history .message")).to_have_count(1)
        self.server.tell(9)
        self.server.wait()
        self.write(anna, "from the first tab")
        other.locator("#write").fill("from the second tab")
        other.keyboard.press("Enter")
        self.server.begin()
        expect(self.messages(bo)).to_have_count(3)
        for tab in (anna.page, other):
            expect(tab.locator("#history .message")).to_have_count(3)

    def test_E05_a_tab_sends_once_what_another_that_was_closed_could_not(self):
        anna, bo = self.talking()
        other = anna.tab(anna.page.url)
        expect(other.locator("#history .message")).to_have_count(1)
        self.server.tell(9)
        self.server.wait()
        other.locator("#write").fill("from a tab that closes")
        other.keyboard.press("Enter")
        expect(self.messages(anna)).to_have_count(2)
        other.close()
        self.server.begin()
        expect(self.messages(bo)).to_have_count(2)
        expect(self.messages(bo).last).to_contain_text("from a tab that closes")
        expect(self.messages(anna).last.get_by_role("img")).to_have_attribute("aria-label", re.compile("Sent|Delivered|Read"))
        expect(self.messages(anna)).to_have_count(2)

    def test_E05_a_second_tab_is_answered_while_others_draw(self):
        """A message draws itself, not all that are there: tabs that drew all of them each time were too busy to take answers."""
        anna, bo = self.talking()
        other = anna.tab(anna.page.url)
        expect(other.locator("#history .message")).to_have_count(1)
        tabs = (anna.page, other, bo.page)
        for tab in tabs:
            tab.evaluate(COUNT_ROWS)
        other.evaluate(FILL, [anna.page.url.split("/")[-1], 60])
        for tab in tabs:
            expect(tab.locator("#history .message").last).to_contain_text("line 59")
            self.assertLess(tab.evaluate("window.drawn"), 150)
        expect(self.messages(anna).last.get_by_role("img")).to_have_attribute("aria-label", "Read")

    def test_E05_a_page_loaded_anew_while_it_sends_sends_once(self):
        anna, bo = self.talking()
        anna.page.evaluate("async () => { await navigator.serviceWorker.ready; }")
        self.server.tell(signal.SIGSTOP)
        for number in range(3):
            self.write(anna, f"under way {number}")
        expect(self.messages(anna)).to_have_count(4)
        anna.page.evaluate("() => void location.reload()")
        self.server.tell(signal.SIGCONT)
        for visitor in (anna, bo):
            expect(self.messages(visitor)).to_contain_text(["Hello Bo", *(f"under way {number}" for number in range(3))], timeout=20_000)

    def test_E05_a_file_goes_on_where_a_loaded_page_and_a_lost_server_stopped(self):
        anna, bo = self.talking()
        anna.page.locator("#files").set_input_files({"name": "film.bin", "mimeType": "application/x-film", "buffer": bytes(30_000_000)})
        progress = self.messages(anna).last
        expect(progress).to_contain_text(re.compile(r"film.bin [1-9]"))
        anna.page.reload()
        expect(progress).to_contain_text(re.compile(r"film.bin [1-9]"))
        self.restart_server(signal.SIGKILL)
        expect(bo.page.get_by_role("link", name="Download film.bin")).to_contain_text("30 MB", timeout=60_000)
        expect(self.messages(bo)).to_have_count(2)

    def test_E05_of_a_long_conversation_the_browser_keeps_the_newest_part(self):
        anna = self.visitor("Anna")
        kept = anna.page.evaluate("""async () => {
          const { ChatCache } = await import('./parley-cache.js');
          const cache = new ChatCache('bounded');
          cache.putEntries(['long', 'short'].flatMap((conversation) => [1, 1000, 1001, 1900].map((number) => ({ conversation, number }))));
          await cache.trim([{ conversation: 'long', last: 3000 }, { conversation: 'short', last: 2000 }]);
          const found = [['long', 1], ['long', 1000], ['long', 1001], ['short', 1]].map(([conversation, number]) => cache.entry(conversation, number));
          const there = (await Promise.all(found)).map((entry) => entry !== undefined);
          await cache.erase();
          return there;
        }""")
        self.assertEqual(kept, [False, False, True, True])

    def test_E05_signing_out_leaves_nothing_in_the_browser(self):
        anna, _ = self.talking()
        anna.page.bring_to_front()
        anna.page.get_by_role("button", name="Sign out").click()
        expect(anna.page.get_by_label("Your name")).to_be_focused()
        eventually(lambda: anna.page.evaluate("async () => (await indexedDB.databases()).length") == 0, "nothing is kept")


class FailureTests(MessengerTest):
    def test_D03_D04_a_message_that_was_refused_says_why_and_can_be_sent_again(self):
        anna, bo = self.talking()
        bo.page.locator("#chat-title").click()
        bo.page.get_by_role("button", name="Block").click()
        expect(bo.page.get_by_role("dialog")).to_have_count(0)
        self.write(anna, "Still there?")
        failure = self.messages(anna).last.get_by_role("alert")
        expect(failure).to_contain_text("They do not want messages from you.")
        self.place(bo, "me")
        bo.page.get_by_role("button", name="Unblock: Anna").click()
        expect(bo.page.get_by_text("Nobody.")).to_be_visible()
        failure.get_by_role("button", name="Send again").click()
        expect(self.messages(anna).last.get_by_role("img")).to_have_attribute("aria-label", re.compile("Sent|Delivered|Read"))
        expect(self.messages(anna)).to_have_count(2)


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
        self.place(bo, "contacts")
        self.place(bo, "chats")
        bo.page.locator("#chat-list").get_by_role("button", name="Tea club").click()
        expect(bo.page.locator("#slow")).to_have_text(re.compile(r"again in (10:00|9:[345]\d)"))

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


class LanguageTests(MessengerTest):
    def test_every_text_of_the_page_is_there_in_chinese(self):
        bo = self.company.visitor(self.server, locale="zh-CN")
        expect(bo.page.locator("html")).to_have_attribute("lang", "zh-CN")
        tables = bo.page.evaluate("""async () => {
          const { en } = await import('./page-texts-en.js');
          const { zh } = await import('./page-texts-zh.js');
          const keys = (table) => Object.entries(table).flatMap(([key, value]) => (typeof value === 'object' ? keys(value).map((k) => `${key}.${k}`) : [key]));
          return [keys(en).sort(), keys(zh).sort()];
        }""")
        self.assertEqual(tables[0], tables[1])
        bo.page.locator("#name").fill("小波")
        bo.page.keyboard.press("Enter")
        expect(bo.page.locator("#people-title")).to_have_text("谁在这里")
        self.place(bo, "me")
        bo.page.get_by_label("语言").select_option("en")
        expect(bo.page.locator("#me-title")).to_have_text("Me")

    def test_a_password_account_is_made_and_comes_back_elsewhere(self):
        anna = self.company.visitor(self.server)
        self.fill_account(anna, "Create account")
        expect(anna.page.locator("#my-name")).to_have_text("anna7")
        again = self.company.visitor(self.server)
        self.fill_account(again, "Sign in")
        expect(again.page.locator("#my-name")).to_have_text("anna7")
        self.place(again, "me")
        expect(again.page.get_by_text("this one")).to_be_visible()
        self.assertEqual(again.page.evaluate("() => JSON.parse(Object.values(localStorage)[0]).user"),
                         anna.page.evaluate("() => JSON.parse(Object.values(localStorage)[0]).user"))

    def fill_account(self, visitor: Visitor, button: str) -> None:
        visitor.page.get_by_text("I have a password").click()
        visitor.page.get_by_label("User name").fill("anna7")
        visitor.page.locator("#account").get_by_label("Password", exact=True).fill("correct horse 7")
        visitor.page.get_by_role("button", name=button).click()
