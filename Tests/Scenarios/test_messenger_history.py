"""What was said before, on the page that the server brings along."""

import re
import signal

from balancer import Balancer
from messenger import FILL, MessengerTest
from server import eventually
from visitors import Visitor, expect, need_browser

# How many rows a tab draws from now on.
COUNT_ROWS = """
() => {
  window.drawn = 0;
  new MutationObserver((changes) => { for (const { addedNodes } of changes) window.drawn += addedNodes.length; })
    .observe(document.querySelector('#history ol'), { childList: true });
}
"""


def setUpModule() -> None:
    need_browser()


class Between:
    """Stands between a page and the server."""

    def __init__(self, page):
        page.route_web_socket(re.compile("/socket.io/"), self.connect)

    def connect(self, page) -> None:
        server = page.connect_to_server()
        page.on_message(lambda text: self.say(server, text))
        server.on_message(lambda text: self.hear(page, server, text))


class LateAnswers(Between):
    """The page has the server's answer to its first request of one kind when two events of another kind have come, the answer to the second
    when two more have, and so on."""

    def __init__(self, page, request: str, event: str):
        self.request, self.event = request, event
        self.asked: list[str] = []
        self.waiting: dict[int, str] = {}
        self.events = 0
        super().__init__(page)

    def say(self, server, text: str) -> None:
        if found := re.match(rf'42(\d+)\["{re.escape(self.request)}"', text):
            self.asked.append(found[1])
        server.send(text)

    def hear(self, page, server, text: str) -> None:
        answered = re.match(r"43(\d+)\[", text)
        if answered and answered[1] in self.asked:
            self.waiting[2 * self.asked.index(answered[1]) + 2] = text
        else:
            page.send(text)
        self.events += text.startswith(f'42["{self.event}"')
        for number in [number for number in self.waiting if number <= self.events]:
            page.send(self.waiting.pop(number))


class HeldAnswer(Between):
    """The page has the answer to its first request of one kind when the test says so."""

    def __init__(self, page, request: str):
        self.request = request
        self.number = self.answer = ""
        self.page = None
        super().__init__(page)

    def say(self, server, text: str) -> None:
        found = re.match(rf'42(\d+)\["{re.escape(self.request)}"', text)
        self.number = self.number or (found[1] if found else "")
        server.send(text)

    def hear(self, page, server, text: str) -> None:
        if self.number and not self.answer and text.startswith(f"43{self.number}["):
            self.page, self.answer = page, text
        else:
            page.send(text)

    def release(self) -> None:
        self.page.send(self.answer)


class LateEvent(Between):
    """Once the page follows its conversations, the server is asked one thing when something has happened, and the page hears of that
    behind the answer."""

    def __init__(self, page, request: str, event: str):
        self.request, self.event = request, event
        self.follows = self.is_over = False
        self.sync = self.asked = self.happened = ""
        super().__init__(page)

    def say(self, server, text: str) -> None:
        if found := re.match(r'42(\d+)\["chat.sync"', text):
            self.sync = found[1]
        if not self.asked and re.match(rf'42\d+\["{re.escape(self.request)}"', text):
            self.asked = text
        else:
            server.send(text)

    def hear(self, page, server, text: str) -> None:
        if not self.happened and text.startswith(f'42["{self.event}"'):
            self.happened = text
            return server.send(self.asked)
        page.send(text)
        answered = re.match(r"43(\d+)\[", text)
        self.follows |= answered is not None and answered[1] == self.sync
        if answered and self.asked.startswith(f"42{answered[1]}["):
            self.is_over = True
            page.send(self.happened)


class HistoryTests(MessengerTest):
    def test_N03_a_message_of_which_an_answer_knew_before_it_was_told_is_shown(self):
        anna, bo = self.talking()
        late = LateEvent(bo.page, "chat.conversations", "chat.entry")
        bo.page.reload()
        expect(self.messages(bo)).to_have_text([re.compile("Hello Bo")])
        # Messages pass only while the page is asked something.
        eventually(lambda: bo.page.evaluate("true") and late.follows, "Bo's page follows the conversation")
        self.write(anna, "one")
        expect(self.messages(bo)).to_have_text([re.compile("Hello Bo"), re.compile("one")])
        self.assertTrue(late.is_over)
        self.write(anna, "two")
        expect(self.messages(bo)).to_have_text([re.compile(text) for text in ("Hello Bo", "one", "two")])

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
