"""The realtime tree on the page, for people whom the operator named, in Chromium and in Firefox."""

import json
import re
from importlib.resources import files

import test_accessibility
import websocket
from pages import PageTest
from people import APP, APP_SECRET, VOUCHED, vouch
from server import TIMEOUT, Server, eventually
from tree_client import EMULATOR, OWNER, ask
from visitors import Visitor, expect, need_browser

IDENTITY = "() => JSON.parse(Object.entries(localStorage).find(([key]) => key.startsWith('parley http'))[1])"


def setUpModule() -> None:
    need_browser()


class TreeTest(PageTest):
    def setUp(self) -> None:
        self.server = Server(*VOUCHED, *EMULATOR, testing=False)
        self.addCleanup(self.server.__exit__)
        self.server.wait_for_tree()

    def put(self, path: str, value, method: str = "PUT") -> None:
        answer = ask(self.server, method, f"/{path}.json", value, OWNER)
        self.assertEqual(answer.status, 200, answer.text)

    def viewer(self, name: str = "Anna", **options) -> Visitor:
        """A visitor whom the operator lets look at the tree."""
        anna = self.visitor(name, **options)
        self.server.options += ["--tree-viewer", anna.page.evaluate(IDENTITY)["user"]]
        self.server.restart()
        self.server.wait_for_tree()
        return anna

    def look(self, visitor: Visitor, path: str) -> None:
        visitor.page.goto(f"{visitor.page.url.split('#')[0]}#/tree/{path}")
        expect(visitor.page.get_by_role("dialog", name="Realtime tree")).to_be_visible()

    def item(self, visitor: Visitor, name: str):
        return visitor.page.get_by_role("treeitem", name=name, exact=True)


class TreePageTests(TreeTest):
    def test_L06_a_subtree_is_shown_and_what_changes_in_it_stands_out(self):
        """L06.live"""
        anna = self.viewer()
        self.put("rooms", {"a": {"title": "Tea", "open": True, "n": 3}, "b": "text"})
        self.put("other", 1)
        self.look(anna, "rooms")
        expect(anna.page.get_by_role("treeitem")).to_have_count(3)
        expect(self.item(anna, "/rooms: 2 children")).to_have_attribute("aria-expanded", "true")
        self.item(anna, "a: 3 children").locator(".tree-line").click()
        expect(self.item(anna, 'title: "Tea"')).to_be_visible()
        self.assertEqual(anna.page.locator(".changed").count(), 0)
        self.put("rooms/a/title", "Coffee")
        expect(self.item(anna, 'title: "Coffee"').locator(".tree-line")).to_have_class(re.compile("changed"))
        expect(self.item(anna, "a: 3 children").locator("> .tree-line")).to_have_class(re.compile("changed"))
        expect(anna.page.locator(".changed")).to_have_count(0)
        self.put("rooms", {"a/n": None, "a/later": False, "aa": 1, "10": "ten", "9": "nine"}, "PATCH")
        keys = anna.page.locator(".tree [role=group] .tree-key")
        expect(keys).to_have_text(["9", "10", "a", "later", "open", "title", "aa", "b"])
        expect(self.item(anna, "later: false").locator(".tree-line")).to_have_class(re.compile("changed"))
        # What was open and has no children any more is closed.
        self.put("rooms/a", 5)
        expect(keys).to_have_text(["9", "10", "a", "aa", "b"])
        expect(self.item(anna, "a: 5")).not_to_have_attribute("aria-expanded", "true")
        self.put("rooms", None)
        expect(self.item(anna, "/rooms: nothing")).to_be_visible()
        expect(anna.page.get_by_role("treeitem")).to_have_count(1)

    def test_L06_the_view_comes_back_after_a_crash_of_the_server(self):
        anna = self.viewer()
        self.put("rooms", {"a": {"n": 1}})
        self.look(anna, "rooms")
        self.item(anna, "a: 1 child").locator(".tree-line").click()
        expect(self.item(anna, "n: 1")).to_be_visible()
        self.server.end()
        expect(anna.page.get_by_role("status").filter(has_text="Trying again")).to_be_visible()
        self.server.begin()
        self.server.wait_for_tree()
        self.put("rooms/a/n", 2)
        expect(self.item(anna, "n: 2")).to_be_visible(timeout=30_000)

    def test_L06_a_token_that_is_refused_is_renewed(self):
        anna = self.viewer()
        self.put("rooms", {"n": 1})
        token = anna.page.evaluate(IDENTITY)["accessToken"]
        asked = anna.page.evaluate("""async (token) => {
            const { TreeView } = await import('./parley-tree.js');
            const asked = [];
            const view = new TreeView(new URL('.', location.href), async (isStale) => {
                asked.push(isStale);
                return isStale ? token : 'nonsense';
            });
            view.open('rooms');
            const change = await new Promise((told) => view.addEventListener('change', ({ detail }) => told(detail), { once: true }));
            view.end();
            return { asked, rows: change.rows };
        }""", token)
        self.assertEqual(asked, {"asked": [False, True], "rows": [{"at": 0, "key": "n", "value": 1}]})

    def test_L06_only_who_was_named_may_look(self):
        """L06.denied"""
        anna, bo = self.viewer(), self.visitor("Bo")
        self.put("rooms", {"secret": "of others"})
        self.look(bo, "rooms")
        expect(bo.page.get_by_role("dialog")).to_contain_text("Only people whom the operator named")
        self.assertEqual(bo.page.get_by_role("treeitem").count(), 0)
        user, token = (anna.page.evaluate(IDENTITY)[name] for name in ("user", "accessToken"))
        for credential, code in ((bo.page.evaluate(IDENTITY)["accessToken"], "forbidden"), (vouch(APP, APP_SECRET, user), "forbidden"),
                                 (token[:-3], "unauthorized"), ("", "unauthorized"), (None, "forbidden")):
            with self.subTest(code=code):
                self.assertEqual(self.first_answer(credential), {"error": code})
        self.assertEqual(self.first_answer(token)["path"], "")
        # To read everything by other ways is not what the operator allowed, nor to write.
        for path, method in (("/rooms.json", "GET"), ("/rooms/secret.json", "PUT")):
            self.assertEqual(ask(self.server, method, f"{path}?auth={token}", 1, {}).status, 401)
        # Whoever is banned looks no longer.
        self.look(anna, "rooms")
        expect(self.item(anna, 'secret: "of others"')).to_be_visible()
        self.server.ask_admin("POST", f"/v1/users/{user}/ban")
        expect(anna.page.get_by_role("treeitem")).to_have_count(0)

    def connect_viewer(self) -> websocket.WebSocket:
        host, port = self.server.address
        socket = websocket.create_connection(f"ws://{host}:{port}/.view", timeout=TIMEOUT)
        self.addCleanup(socket.close)
        return socket

    def test_L06_what_one_viewer_has_open_is_bounded(self):
        anna = self.viewer()
        socket = self.connect_viewer()
        socket.send(json.dumps({"auth": anna.page.evaluate(IDENTITY)["accessToken"]}))
        for number in range(65):
            socket.send(json.dumps({"open": f"p{number}", "limit": 1}))
        answers = [json.loads(socket.recv()) for _ in range(65)]
        self.assertEqual([answer for answer in answers if "error" in answer], [{"path": "p64", "error": "too_many"}])
        socket.send(json.dumps({"close": ""}))
        for number in range(6):
            socket.send(json.dumps({"open": f"p{number}", "limit": 1000}))
        answers = [json.loads(socket.recv()) for _ in range(6)]
        self.assertEqual([answer for answer in answers if "error" in answer], [{"path": "p5", "error": "too_many"}])
        socket.send("nonsense")
        self.assertEqual(socket.recv(), "")

    def test_L06_no_more_than_64_look_at_the_tree_at_once(self):
        anna = self.viewer()
        token = json.dumps({"auth": anna.page.evaluate(IDENTITY)["accessToken"]})
        sockets = [self.connect_viewer() for _ in range(65)]
        for socket in sockets[:64]:
            socket.send(token)
            socket.send(json.dumps({"open": ""}))
            self.assertEqual(json.loads(socket.recv())["path"], "")
        sockets[64].send(token)
        self.assertEqual(json.loads(sockets[64].recv())["error"]["code"], "unavailable")
        sockets[0].close()

        def has_room() -> bool:
            socket = self.connect_viewer()
            socket.send(token)
            socket.send(json.dumps({"open": ""}))
            return "path" in json.loads(socket.recv())

        eventually(has_room, "who went leaves room")

    def first_answer(self, credential: str | None) -> dict:
        socket = self.connect_viewer()
        if credential is not None:
            socket.send(json.dumps({"auth": credential}))
        socket.send(json.dumps({"open": ""}))
        answer = json.loads(socket.recv())
        if "error" not in answer:
            return answer
        # Nothing follows.
        self.assertEqual(socket.recv(), "")
        return {"error": answer["error"]["code"]}

    def test_L06_of_a_large_place_the_first_children_come_and_more_are_asked_for(self):
        """L06.bounded"""
        anna = self.viewer()
        self.put("log", {f"k{number:04}": {"n": number} for number in range(1250)} | {"a": "long " * 4000})
        self.look(anna, "log")
        expect(anna.page.get_by_role("treeitem")).to_have_count(102)
        expect(self.item(anna, "/log: 1251 children")).to_be_visible()
        self.assertLess(len(anna.page.locator(".tree-value[data-kind=string]").inner_text()), 400)
        expect(anna.page.locator(".tree-value[data-kind=string]")).to_contain_text("in all)")
        more = anna.page.locator(".tree-more")
        expect(more).to_have_text("Show more (1151 left)")
        more.locator(".tree-line").click()
        expect(anna.page.get_by_role("treeitem")).to_have_count(202)
        expect(more).to_be_focused()
        for count in range(302, 1003, 100):
            anna.page.keyboard.press("Enter")
            expect(anna.page.get_by_role("treeitem")).to_have_count(count)
        expect(more).to_have_text("251 more are not shown; open them by their path")
        # What lies beyond is counted, and a place moves up when one before it goes.
        self.put("log/k0000", None)
        expect(self.item(anna, "/log: 1250 children")).to_be_visible()
        expect(self.item(anna, "k0999: 1 child")).to_be_visible()
        expect(anna.page.get_by_role("treeitem")).to_have_count(1002)

    def test_L06_the_tree_is_used_by_keyboard_alone(self):
        """L06.keyboard"""
        anna = self.viewer()
        self.put("rooms", {"a": {"deep": {"n": 1}}, "b": 2})
        self.look(anna, "rooms")
        expect(self.item(anna, "b: 2")).to_be_visible()
        keys = anna.page.keyboard
        for _ in range(8):
            if anna.page.evaluate("() => document.activeElement.matches('[role=treeitem]')"):
                break
            keys.press("Tab")
        expect(self.item(anna, "/rooms: 2 children")).to_be_focused()
        for key, name in (("ArrowRight", "a: 1 child"), ("ArrowDown", "b: 2"), ("ArrowUp", "a: 1 child")):
            keys.press(key)
            expect(self.item(anna, name)).to_be_focused()
        keys.press("ArrowRight")
        expect(self.item(anna, "deep: 1 child")).to_be_visible()
        keys.press("ArrowRight")
        keys.press("Enter")
        expect(self.item(anna, "n: 1")).to_be_visible()
        keys.press("End")
        expect(self.item(anna, "b: 2")).to_be_focused()
        keys.press("ArrowUp")
        expect(self.item(anna, "n: 1")).to_be_focused()
        # What is removed takes the focus no further than to its parent.
        self.put("rooms/a/deep", {"m": 5})
        expect(self.item(anna, "deep: 1 child")).to_be_focused()
        keys.press("ArrowLeft")
        expect(self.item(anna, "deep: 1 child")).to_have_attribute("aria-expanded", "false")
        keys.press("ArrowLeft")
        expect(self.item(anna, "a: 1 child")).to_be_focused()
        keys.press("Home")
        expect(self.item(anna, "/rooms: 2 children")).to_be_focused()
        keys.press("Escape")
        expect(anna.page.get_by_role("dialog")).to_have_count(0)

    def test_L06_a_place_is_typed_or_has_a_link(self):
        """L06.link"""
        anna = self.viewer()
        self.put("rooms", {"茶 室%": {"n": 1}, "b": {"n": 2}})
        self.look(anna, "rooms/%E8%8C%B6%20%E5%AE%A4%25")
        expect(self.item(anna, "/rooms/茶 室%: 1 child")).to_be_visible()
        path = anna.page.get_by_label("Path")
        path.fill("/rooms//b/")
        anna.page.keyboard.press("Enter")
        expect(self.item(anna, "n: 2")).to_be_visible()
        self.assertTrue(anna.page.url.endswith("#/tree/rooms/b"))
        anna.page.reload()
        expect(self.item(anna, "/rooms/b: 1 child")).to_be_visible()
        anna.page.evaluate("() => { location.hash = '#/tree/rooms/b/n'; }")
        expect(self.item(anna, "/rooms/b/n: 2")).to_be_visible()
        anna.page.get_by_role("button", name="Close").click()
        expect(anna.page.get_by_role("dialog")).to_have_count(0)
        expect(anna.page).not_to_have_url(re.compile("tree"))
        anna.page.evaluate("() => { location.hash = '#/tree/'; }")
        expect(self.item(anna, "rooms: 2 children")).to_be_visible()
        anna.page.go_back()
        expect(anna.page.get_by_role("dialog")).to_have_count(0)


class TreeLooksTests(TreeTest):
    """What only Chromium can be asked to pretend."""

    def test_L06_axe_finds_nothing_in_the_tree(self):
        """L06.axe"""
        self.axe = files("axe_playwright_python").joinpath("axe.min.js").read_text()
        anna = self.viewer(reduced_motion="reduce")
        self.put("rooms", {f"k{number:03}": {"n": number, "text": "words"} for number in range(150)} | {"t": True, "u": "text"})
        self.look(anna, "rooms")
        self.item(anna, "k001: 2 children").locator(".tree-line").click()
        expect(self.item(anna, "n: 1")).to_be_visible()
        for number, theme in ((2, "light"), (3, "dark")):
            anna.page.emulate_media(color_scheme=theme, reduced_motion="reduce")
            self.put("rooms/k001/n", number)
            expect(self.item(anna, f"n: {number}").locator(".changed")).to_be_visible()
            test_accessibility.AccessibilityTests.check(self, anna, f"the tree, {theme}")

    def test_L06_what_changed_stands_out_without_motion(self):
        anna = self.viewer(reduced_motion="reduce")
        self.put("rooms", {"n": 1})
        self.look(anna, "rooms")
        line = self.item(anna, "n: 1").locator(".tree-line")
        plain = line.evaluate("(line) => getComputedStyle(line).boxShadow")
        self.put("rooms/n", 2)
        changed = anna.page.locator(".changed")
        expect(changed).to_have_count(1)
        shadow, motion = changed.evaluate("(line) => [getComputedStyle(line).boxShadow, getComputedStyle(line).animationName]")
        self.assertNotEqual(shadow, plain)
        self.assertEqual(motion, "none")

    def test_L06_the_tree_speaks_chinese(self):
        anna = self.company.visitor(self.server, locale="zh-CN")
        anna.page.locator("#name").fill("小安")
        anna.page.keyboard.press("Enter")
        expect(anna.page.locator("#home")).to_be_visible()
        anna.page.goto(f"{anna.page.url.split('#')[0]}#/tree/rooms")
        expect(anna.page.get_by_role("dialog", name="实时数据树")).to_contain_text("只有运营者指定的人可以查看数据树。")


class FirefoxTreePageTests(TreePageTests):
    browser = "firefox"
    is_long = True
