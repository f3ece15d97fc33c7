"""Who one is on the page, and what it keeps of that, in Chromium."""

import json
import unittest

from pages import GRANT, PageTest
from people import Person, post
from server import eventually
from visitors import expect, need_browser

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
EXPIRE = """
([seconds, refreshToken]) => {
  const [[key, text]] = Object.entries(localStorage);
  const grant = JSON.parse(text);
  const changes = { expires: Date.now() + seconds * 1000, refreshToken: refreshToken ?? grant.refreshToken };
  localStorage.setItem(key, JSON.stringify({ ...grant, ...changes }));
}
"""


def setUpModule() -> None:
    need_browser()


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


if __name__ == "__main__":
    unittest.main()
