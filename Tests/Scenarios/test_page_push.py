"""A browser whose page is closed is woken: Firefox by a push service of the test's own, Chromium by its own protocol."""

import json
import time

from autopush import Autopush
from firefox import Firefox, need_firefox
from pages import PageTest
from people import VOUCHED, Person
from pushed import bearer
from server import Server, eventually
from visitors import expect
from wire import ask_http

import unittest

SHOWN = """
async () => {
  const worker = await navigator.serviceWorker.getRegistration('/');
  const shown = await worker?.getNotifications() ?? [];
  return shown.map(({ title, body, tag }) => ({ title, body, tag }));
}
"""
# How many pushes a worker has heard; what it does about one has ended when its turn has.
HEARD = """
() => {
  if (self.heard === undefined) {
    self.heard = 0;
    addEventListener('push', () => { self.heard += 1; });
  }
  return self.heard;
}
"""
COUNT = "() => registration.getNotifications().then((all) => all.length)"
TAP = """
async () => {
  const [notification] = await registration.getNotifications();
  dispatchEvent(new NotificationEvent('notificationclick', { notification }));
}
"""
SIGN_IN = """
async (name) => {
  const field = document.querySelector('#name');
  field.value = name;
  field.form.requestSubmit();
}
"""


class FirefoxTests(unittest.TestCase):
    """H09 and H12 as a user of Firefox sees them."""

    @classmethod
    def setUpClass(cls) -> None:
        need_firefox()

    def test_H12_a_closed_page_tells_of_a_message_within_a_second(self):
        """H12.closed H01.browser"""
        service = Autopush()
        self.addCleanup(service.close)
        server = Server(*VOUCHED, "--outgoing-allow", "127.0.0.0/8", testing=False)
        self.addCleanup(server.__exit__)
        browser = Firefox(service.preferences)
        self.addCleanup(browser.close)
        page = f"http://127.0.0.1:{server.address[1]}/"
        browser.open(page)
        browser.evaluate("() => localStorage.setItem('parley settings', JSON.stringify({ notifications: true }))")
        browser.open(page)
        browser.evaluate(SIGN_IN, "Bo")
        eventually(lambda: service.channels, "the browser has a subscription", within=30)
        ann = Person(server, "Ann")
        self.addCleanup(ann.link.close)
        grant = browser.evaluate("() => JSON.parse(Object.entries(localStorage).find(([key]) => key.startsWith('parley http'))[1])")
        bo, token = grant["user"], grant["accessToken"]
        eventually(
            lambda: ask_http(server, "GET", "/v1/push/devices", headers=bearer(token)).json["devices"], "the server knows the browser")
        self.assertEqual(service.keys, [ask_http(server, "GET", "/v1/push", headers=bearer(token)).json["publicKey"]])
        # No page any more, but one of the same origin that shows nothing by itself.
        browser.open(f"{page}page-icon.svg")
        eventually(lambda: not ann.ask("presence.watch", users=[bo])["users"][0]["online"], "they are gone")
        began = time.monotonic()
        answer = ann.ask("chat.send", user=bo, body={"text": "are you there?"})
        eventually(lambda: service.acknowledged, "the worker has it")
        self.assertLess(time.monotonic() - began, 1)
        self.assertEqual([update["code"] for update in service.acknowledged], [100], "it could be opened")
        eventually(
            lambda: browser.evaluate(SHOWN) == [{"title": "Ann", "body": "are you there?", "tag": answer["conversation"]}], "it is shown")
        ann.ask("chat.send", user=bo, kind="location", body={"latitude": 30.25, "longitude": 120.2})
        eventually(lambda: [n["body"] for n in browser.evaluate(SHOWN)] == ["[Location]"], "the later one takes its place")


class WorkerTests(PageTest):
    """Chromium's worker, told by the browser's protocol what a push service would tell it."""

    shows_notifications = True

    def test_H09_H10_a_push_shows_nothing_to_whoever_reads_and_a_tap_opens_its_place(self):
        """H09.foreground H11.route"""
        anna, bo = self.pair()
        bo.page.context.grant_permissions(["notifications"])
        bo.page.evaluate("() => navigator.serviceWorker.ready.then(() => {})")
        conversation = self.conversation(anna, bo)
        page, address = bo.page, bo.page.url
        worker = page.context.service_workers[0]
        shown = lambda: worker.evaluate(  # noqa: E731
            "() => registration.getNotifications().then((all) => all.map(({ title, body, tag }) => ({ title, body, tag })))")
        # A page that has the focus shows the message itself.
        self.push(bo, {"type": "message", "conversation": "other", "name": "Anna", "text": "seen", "badge": 1})
        worker_session = self.registration(bo)
        self.leave(page, worker)
        self.push(bo, {"type": "message", "conversation": conversation, "name": "Anna", "text": "hello", "badge": 1}, worker_session)
        note = {"title": "Anna", "body": "hello", "tag": conversation}
        eventually(lambda: page.wait_for_timeout(20) or shown() == [note], "the notification of this message, and no other")
        page.goto(address.split("#")[0] + "#/contacts")
        expect(page.locator("#people-title")).to_be_visible()
        worker.evaluate(TAP)
        expect(page.locator("#chat-name")).to_have_text("Anna")
        self.assertTrue(page.url.endswith(f"#/c/{conversation}"), page.url)
        eventually(lambda: page.wait_for_timeout(20) or shown() == [], "it is gone")

    def test_H09_a_tap_leads_from_another_place_of_a_page_in_the_background_to_the_conversation(self):
        """H09.background"""
        anna, bo = self.pair()
        bo.page.context.grant_permissions(["notifications"])
        bo.page.evaluate("() => navigator.serviceWorker.ready.then(() => {})")
        conversation = self.conversation(anna, bo)
        place, worker = self.registration(bo), bo.page.context.service_workers[0]
        bo.page.locator("button[data-place=me]").click()
        # Another page stands in front of it.
        session = bo.page.context.new_cdp_session(bo.page)
        session.send("Emulation.setFocusEmulationEnabled", {"enabled": False})
        bo.page.context.new_page().bring_to_front()
        has_focus = "() => clients.matchAll({ type: 'window' }).then((all) => all.some(({ focused }) => focused))"
        eventually(lambda: bo.page.wait_for_timeout(20) or not worker.evaluate(has_focus), "it is behind")
        self.push(bo, {"type": "message", "conversation": conversation, "name": "Anna", "text": "later"}, place)
        eventually(lambda: bo.page.wait_for_timeout(20) or worker.evaluate(COUNT) == 1, "it is shown")
        worker.evaluate(TAP)
        expect(bo.page).to_have_url(f"{bo.page.url.split('#')[0]}#/c/{conversation}")
        expect(bo.page.locator("#chat-name")).to_be_visible()

    def test_H09_a_tap_opens_the_conversation_where_no_page_is_open(self):
        """H09.cold"""
        anna, bo = self.pair()
        bo.page.context.grant_permissions(["notifications"])
        bo.page.evaluate("() => navigator.serviceWorker.ready.then(() => {})")
        conversation = self.conversation(anna, bo)
        place, worker = self.registration(bo), bo.page.context.service_workers[0]
        page, address = bo.page, bo.page.url.split("#")[0]
        self.leave(page, worker)
        self.push(bo, {"type": "message", "conversation": conversation, "name": "Anna", "text": "hello"}, place)
        eventually(lambda: page.wait_for_timeout(20) or worker.evaluate(COUNT) == 1, "it is shown")
        # A browser opens windows for a hand that taps, and for no program: what it would open is opened here.
        worker.evaluate("() => { clients.openWindow = async (url) => { self.opened = new URL(url, registration.scope).href; }; }")
        worker.evaluate(TAP)
        eventually(lambda: page.wait_for_timeout(20) or worker.evaluate("() => self.opened"), "a window is asked for")
        opened = worker.evaluate("() => self.opened")
        self.assertTrue(opened.startswith(address), opened)
        page.goto(opened)
        expect(page.locator("#chat-name")).to_have_text("Anna")
        expect(page.locator("#history")).to_contain_text("hello")
        self.assertEqual(worker.evaluate(COUNT), 0)

    def test_H16_a_message_that_was_read_elsewhere_is_shown_no_more(self):
        """H16.page"""
        _, bo = self.pair()
        bo.page.context.grant_permissions(["notifications"])
        bo.page.evaluate("() => navigator.serviceWorker.ready.then(() => {})")
        page, place = bo.page, self.registration(bo)
        worker = page.context.service_workers[0]
        shown = lambda: page.wait_for_timeout(20) or worker.evaluate(  # noqa: E731
            "() => registration.getNotifications().then((all) => all.map(({ body }) => body).sort())")
        self.leave(page, worker)
        message = {"type": "message", "name": "Anna", "badge": 1}
        for conversation, number in (("tea", 3), ("coffee", 5)):
            self.push(bo, message | {"conversation": conversation, "number": number, "text": conversation}, place)
        eventually(lambda: shown() == ["coffee", "tea"], "both are shown")
        self.push(bo, {"type": "read", "conversation": "coffee", "number": 4, "badge": 1}, place)
        self.push(bo, {"type": "read", "conversation": "tea", "number": 3, "badge": 1}, place)
        eventually(lambda: shown() == ["coffee"], "the one that was read is gone, and the one with something newer is not")

    def test_H16_what_was_read_elsewhere_takes_nothing_with_it_that_is_about_to_be_shown(self):
        """H16.page"""
        _, bo = self.pair()
        bo.page.context.grant_permissions(["notifications"])
        bo.page.evaluate("() => navigator.serviceWorker.ready.then(() => {})")
        page, place = bo.page, self.registration(bo)
        worker = page.context.service_workers[0]
        self.leave(page, worker)
        pushes = [
            push
            for number in range(20)
            for push in (
                {"type": "message", "name": "Anna", "text": "new", "conversation": f"new-{number}", "number": 1, "badge": 1},
                {"type": "read", "conversation": f"old-{number}", "number": 1, "badge": 1})]
        self.push_at_once(bo, pushes, place)
        self.assertEqual(worker.evaluate(COUNT), 20)

    def test_H12_what_a_program_announces_is_shown_replaced_and_taken_back(self):
        """H12.announced"""
        _, bo = self.pair()
        bo.page.context.grant_permissions(["notifications"])
        bo.page.evaluate("() => navigator.serviceWorker.ready.then(() => {})")
        page, address, place = bo.page, bo.page.url.split("#")[0], self.registration(bo)
        worker = page.context.service_workers[0]
        shown = lambda: page.wait_for_timeout(20) or worker.evaluate(  # noqa: E731
            "() => registration.getNotifications().then((all) => all.map(({ title, body, tag }) => ({ title, body, tag })))")
        # Nothing else shows it, so it comes to a page that has the focus, too.
        news = {"type": "announcement", "announcement": "7", "topic": "t7", "title": "Tea", "text": "It is ready", "badge": 1}
        note = {"title": "Tea", "body": "It is ready", "tag": "t7"}
        self.push(bo, news, place)
        eventually(lambda: shown() == [note], "it is shown")
        cold = news | {"announcement": "8", "text": "It is cold"}
        self.push(bo, cold, place)
        eventually(lambda: shown() == [note | {"body": "It is cold"}], "one of the same topic takes its place")
        raw = {"type": "announcement", "announcement": "9", "topic": "t9", "content": "raw"}
        self.push(bo, raw, place)
        eventually(lambda: {"title": "Parley", "body": "raw", "tag": "t9"} in shown(), "what has no title is the program's own")
        over = {"type": "announcementOver", "announcement": "8", "topic": "t7"}
        self.push(bo, over, place)
        eventually(lambda: [note["tag"] for note in shown()] == ["t9"], "it is taken back, and the other stays")
        self.leave(page, worker)
        worker.evaluate("() => { clients.openWindow = async (url) => { self.opened = new URL(url, registration.scope).href; }; }")
        worker.evaluate(TAP)
        eventually(lambda: page.wait_for_timeout(20) or worker.evaluate("() => self.opened") == address, "a tap opens the page")

    def test_H15_a_call_is_shown_until_it_rings_no_more_and_a_tap_opens_it(self):
        """H15.page"""
        anna, bo = self.pair()
        bo.page.context.grant_permissions(["notifications"])
        bo.page.evaluate("() => navigator.serviceWorker.ready.then(() => {})")
        page, address, place = bo.page, bo.page.url, self.registration(bo)
        worker = page.context.service_workers[0]
        shown = lambda: page.wait_for_timeout(20) or worker.evaluate(  # noqa: E731
            "() => registration.getNotifications().then((all) => all.map(({ title, body, tag }) => ({ title, body, tag })))")
        self.leave(page, worker)
        call = "abcdefghijklmnopqrst"
        for end in ("callOver", "tap"):
            self.push(bo, {"type": "call", "call": call, "kind": "audio", "name": "Anna", "words": "Incoming voice call"}, place)
            note = {"title": "Anna", "body": "Incoming voice call", "tag": f"call {call}"}
            eventually(lambda: shown() == [note], "it rings")
            if end == "callOver":
                self.push(bo, {"type": "callOver", "call": call}, place)
                eventually(lambda: shown() == [], "it is taken back")
        page.goto(address.split("#")[0] + "#/chats")
        expect(page.locator("#chats-title")).to_be_visible()
        worker.evaluate(TAP)
        bo.reads("This call is over.")

    def leave(self, page, worker) -> None:
        """The worker knows of no page any more: a little later than the page is gone."""
        page.goto("about:blank")
        count = "() => clients.matchAll({ type: 'window', includeUncontrolled: true }).then((all) => all.length)"
        eventually(lambda: page.wait_for_timeout(20) or worker.evaluate(count) == 0, "no page is open")

    def conversation(self, anna, bo) -> str:
        anna.page.get_by_role("button", name="Write to Bo").click()
        anna.page.locator("#write").fill("hello")
        anna.page.keyboard.press("Enter")
        bo.page.locator("button[data-place=chats]").click()
        row = bo.page.locator("#chats [data-conversation]")
        expect(row).to_contain_text("hello")
        return row.get_attribute("data-conversation")

    def registration(self, visitor) -> dict:
        """Where the browser's protocol finds the worker."""
        session = visitor.page.context.new_cdp_session(visitor.page)
        registrations: list[dict] = []
        session.on("ServiceWorker.workerRegistrationUpdated", lambda event: registrations.extend(event["registrations"]))
        session.send("ServiceWorker.enable")
        eventually(lambda: visitor.page.wait_for_timeout(20) or registrations, "the worker is known")
        return {
            "origin": visitor.page.evaluate("() => location.origin"), "registrationId": registrations[-1]["registrationId"]}

    def push(self, visitor, message: dict, registration: dict | None = None) -> None:
        """What a push service would bring. It comes back when the worker has done what it does about it: whoever asks Chromium what it
        shows while it is about to show something makes it forget that."""
        self.push_at_once(visitor, [message], registration or self.registration(visitor))

    def push_at_once(self, visitor, messages: list[dict], registration: dict) -> None:
        worker = visitor.page.context.service_workers[0]
        wanted = worker.evaluate(HEARD) + len(messages)
        session = visitor.page.context.new_cdp_session(visitor.page)
        session.send("ServiceWorker.enable")
        for message in messages:
            session.send("ServiceWorker.deliverPushMessage", registration | {"data": json.dumps(message)})
        eventually(lambda: visitor.page.wait_for_timeout(20) or worker.evaluate(HEARD) == wanted, "the worker has heard all")
        worker.evaluate("() => turn")
