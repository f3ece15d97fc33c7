"""The realtime tree over HTTP: every place has an address."""

import tempfile
import time
import unittest
from pathlib import Path

from server import Server
from tree_client import EMULATOR, OWNER, TreeSocket, TreeStream, ask, sign_up
from wire import ask_http


class Tree(unittest.TestCase):
    mostly_waits = True
    options: tuple[str, ...] = EMULATOR
    server: Server

    @classmethod
    def setUpClass(cls) -> None:
        cls.server = Server(*cls.options, testing=False)
        cls.addClassCleanup(cls.server.__exit__)
        cls.server.wait_for_tree()

    def ask(self, method: str, path: str, value=None, **headers):
        names = {name.replace("_", "-"): text for name, text in headers.items()}
        return ask(self.server, method, path, value, OWNER | names)

    def setUp(self) -> None:
        self.assertEqual(self.ask("DELETE", "/.json").json, None)

    def value(self, path: str):
        answer = self.ask("GET", path)
        self.assertEqual(answer.status, 200, answer.text)
        return answer.json


class Addresses(Tree):
    def test_L01_every_place_is_read_set_added_to_changed_and_removed(self):
        """L01"""
        self.assertEqual(self.ask("PUT", "/rooms/a.json", {"n": 1, "deep": {"x": True}}).json, {"n": 1, "deep": {"x": True}})
        self.assertEqual(self.value("/rooms/a/deep/x.json"), True)
        name = self.ask("POST", "/rooms/a/list.json", "first").json["name"]
        self.assertEqual(len(name), 20)
        self.assertEqual(self.value(f"/rooms/a/list/{name}.json"), "first")
        self.assertEqual(self.ask("PATCH", "/rooms/a.json", {"n": 2, "deep/y": [1, 2]}).json, {"n": 2, "deep/y": [1, 2]})
        self.assertEqual(self.value("/rooms/a/deep.json"), {"x": True, "y": [1, 2]})
        self.assertEqual(self.ask("DELETE", "/rooms/a/deep.json").json, None)
        self.assertEqual(self.value("/rooms/a.json"), {"n": 2, "list": {name: "first"}})
        # What is empty is not there, nor what only led to it.
        self.ask("DELETE", "/rooms/a/list.json")
        self.ask("PUT", "/rooms/a/n.json", None)
        self.assertEqual(self.value("/rooms.json"), None)
        self.assertEqual(self.ask("POST", "/m.json", 3, X_HTTP_Method_Override="PUT").json, 3)
        self.assertEqual(self.ask("POST", "/m.json?x-http-method-override=PATCH", {"k": 4}).json, {"k": 4})
        self.assertEqual(self.value("//m/.json"), {"k": 4})

    def test_L01_values_keep_their_kinds_and_arrays_are_objects_with_numbers(self):
        for value in (True, False, 0, -1.5, 1e300, "", "ünï 😀\u2028\0", 9007199254740991):
            self.assertEqual(self.ask("PUT", "/v.json", value).json, value)
            self.assertEqual(self.value("/v.json"), value)
        for written, read in (
            ([1, None, 3], [1, None, 3]), ({"0": "a", "1": "b"}, ["a", "b"]), ({"5": "x"}, {"5": "x"}),
            ({"a": [], "b": {}, "c": None, "d": 1}, {"d": 1}), (-0.0, 0), (1.0, 1), ([], None),
        ):
            self.ask("PUT", "/v.json", written)
            self.assertEqual(self.value("/v.json"), read)

    def test_L01_print_shallow_and_format_shape_the_answer(self):
        self.ask("PUT", "/s.json", {"a": {"b": 1}, "c": "text"})
        self.assertEqual(self.value("/s.json?shallow=true"), {"a": True, "c": True})
        self.assertEqual(self.value("/s/c.json?shallow=true"), "text")
        self.assertIn('\n  "a" : {\n', self.ask("GET", "/s.json?print=pretty").text)
        self.assertEqual(self.ask("GET", "/s.json?print=silent").status, 204)
        self.assertEqual(self.ask("PUT", "/s/d.json?print=silent", 1).status, 204)
        self.ask("PUT", "/p.json", {".value": 5, ".priority": "hi"})
        self.assertEqual(self.value("/p.json"), 5)
        self.assertEqual(self.value("/p.json?format=export"), {".value": 5, ".priority": "hi"})
        self.assertEqual(self.value("/p/.priority.json"), "hi")
        self.ask("PUT", "/p.json", 6)
        self.assertEqual(self.value("/p.json?format=export"), 6)
        self.assertEqual(self.ask("GET", "/s.json?callback=take").text[:6], "take({")

    def test_L01_entity_tags_keep_two_programs_from_writing_over_each_other(self):
        fresh = self.ask("GET", "/e.json", X_Firebase_ETag="true")
        self.assertEqual(fresh.headers["etag"], "null_etag")
        written = self.ask("PUT", "/e.json", 1, if_match="null_etag")
        self.assertEqual(written.status, 200)
        stale = self.ask("PUT", "/e.json", 2, if_match="null_etag")
        self.assertEqual((stale.status, stale.json), (412, 1))
        tag = stale.headers["etag"]
        self.assertEqual(tag, "YPVfR2bXt/lcDjiQZ8pOkAd3qkQ=")
        self.assertEqual(self.ask("GET", "/e.json", if_none_match=tag).status, 304)
        self.assertEqual(self.ask("DELETE", "/e.json", if_match=tag).status, 200)
        self.assertEqual(self.value("/e.json"), None)

    def test_L04_queries_have_an_order_bounds_and_limits(self):
        """L04"""
        self.ask("PUT", "/q.json", {
            "a": {"n": 3}, "b": {"n": 1}, "c": {"n": "x"}, "d": {"m": 1}, "10": {"n": 2}, "9": {"n": True}})
        order = '/q.json?orderBy="n"'
        for query, keys in (
            ("&limitToFirst=2", {"d", "9"}), ("&limitToLast=2", {"a", "c"}), ("&startAt=2", {"10", "a", "c"}),
            ("&startAt=1&endAt=2", {"b", "10"}), ("&equalTo=3", {"a"}), ("&startAfter=1&endBefore=3", {"10"}),
            ('&equalTo="x"', {"c"}), ("&equalTo=null", {"d"}), ("&equalTo=true", {"9"}),
        ):
            self.assertEqual(set(self.value(order + query)), keys, query)
        self.assertEqual(set(self.value('/q.json?orderBy="$key"&startAt="9"&limitToFirst=3')), {"9", "10", "a"})
        self.assertEqual(self.value('/q.json?orderBy="$key"&equalTo="b"'), {"b": {"n": 1}})
        self.ask("PUT", "/t.json", {"u1": True, "u2": False, "u3": True})
        self.assertEqual(self.value('/t.json?orderBy="$value"&equalTo=true'), {"u1": True, "u3": True})
        self.assertEqual(self.value('/t.json?orderBy="$value"&equalTo=true,"u3"'), {"u3": True})
        self.ask("PUT", "/r.json", {"x": {".value": 1, ".priority": 2}, "y": {".value": 2, ".priority": 1}, "z": 3})
        self.assertEqual(self.value('/r.json?orderBy="$priority"&limitToLast=1'), {"x": 1})
        self.assertEqual(self.value('/r.json?orderBy="$priority"&limitToFirst=2'), {"z": 3, "y": 2})

    def test_L09_the_server_gives_the_time_and_counts(self):
        """L09"""
        before = time.time() * 1000
        at = self.ask("PUT", "/time.json", {"at": {".sv": "timestamp"}, "deep": {"at": {".sv": "timestamp"}}}).json
        after = time.time() * 1000
        self.assertEqual(at["at"], at["deep"]["at"])
        self.assertTrue(before - 50 <= at["at"] <= after + 50, (before, at, after))
        for sum_ in (2, 4, 6):
            self.assertEqual(self.ask("PUT", "/n.json", {".sv": {"increment": 2}}).json, sum_)
        self.ask("PATCH", "/.json", {"n": {".sv": {"increment": -6}}, "m/k": {".sv": {"increment": 1.5}}})
        self.assertEqual((self.value("/n.json"), self.value("/m/k.json")), (0, 1.5))

    def test_L01_an_accent_behind_a_slash_begins_a_name(self):
        self.assertEqual(self.ask("PUT", "/p/%CC%81q.json", 1).status, 200)
        self.assertEqual(self.value("/p.json"), {"\u0301q": 1})

    def test_what_is_wrong_is_refused_with_its_reason(self):
        self.ask("PUT", "/kept.json", 1)
        for method, path, value, status in (
            ("PUT", "/x.json", {"a.b": 1}, 400), ("PUT", "/x.json", {"a/b": 1}, 400), ("PUT", "/x.json", {"": 1}, 400),
            ("PUT", "/x.json", {"k" * 769: 1}, 400), ("PUT", "/x.json", {".sv": "time"}, 400),
            ("PUT", "/x.json", {".priority": True, "a": 1}, 400), ("PATCH", "/x.json", {"a": 1, "a/b": 2}, 400),
            ("PATCH", "/x.json", [1], 400), ("GET", "/a%2Fb.json", None, 400), ("GET", "/a%5Bb.json", None, 400),
            ("GET", "/a%2F%CC%81b.json", None, 400),
            ("GET", "/x.json?limitToFirst=1", None, 400), ("GET", "/x.json?orderBy=n", None, 400),
            ("GET", '/x.json?orderBy="n"&limitToFirst=1&limitToLast=1', None, 400),
            ("GET", '/x.json?orderBy="n"&shallow=true', None, 400), ("GET", '/x.json?orderBy="$key"&startAt=1', None, 400),
            ("PUT", "/" + "/".join("d" * 33) + ".json", 1, 400), ("PUT", "/x.json", "a" * (5 << 20), 400),
        ):
            answer = self.ask(method, path, value)
            self.assertEqual(answer.status, status, (method, path))
            self.assertTrue(answer.json["error"])
        for body in (b"", b"{", b'{"a":1}x', b"nul", b"[1,", b'{"a":1e999}'):
            self.assertEqual(ask_http(self.server, "PUT", "/x.json", body, OWNER).status, 400, body)
        self.assertEqual(self.value("/.json"), {"kept": 1})

    def test_who_is_nobody_may_do_nothing(self):
        for method in ("GET", "PUT", "POST", "PATCH", "DELETE"):
            answer = ask(self.server, method, "/x.json", {"a": 1}, headers={})
            self.assertEqual((answer.status, answer.json), (401, {"error": "Permission denied"}))
        self.assertEqual(ask(self.server, "GET", "/x.json?auth=nonsense", headers={}).status, 401)

    def test_A06_a_user_without_a_name_signs_in_as_sdks_do_and_keeps_the_id(self):
        """A06"""
        one, other = sign_up(self.server), sign_up(self.server)
        self.assertNotEqual(one["localId"], other["localId"])
        self.assertEqual(set(one), {"kind", "idToken", "refreshToken", "expiresIn", "localId"})
        found = ask_http(
            self.server, "POST", "/www.googleapis.com/identitytoolkit/v3/relyingparty/getAccountInfo",
            {"idToken": one["idToken"]}).json
        self.assertEqual(found["users"][0]["localId"], one["localId"])
        self.assertNotIn("email", found["users"][0])
        # Believed at this door, where rules say what it may: here they say that nobody may anything.
        self.assertEqual(ask(self.server, "GET", f"/x.json?auth={one['idToken']}", headers={}).json["error"], "Permission denied")

    def test_A07_the_same_id_comes_back_by_a_token_that_never_changes(self):
        """A07"""
        user = sign_up(self.server)
        form = f"grant_type=refresh_token&refresh_token={user['refreshToken']}"
        kind = {"Content-Type": "application/x-www-form-urlencoded"}
        self.server.restart()
        self.server.wait_for_tree()
        for _ in range(2):
            fresh = ask_http(self.server, "POST", "/securetoken.googleapis.com/v1/token?key=k", form, kind).json
            self.assertEqual((fresh["user_id"], fresh["refresh_token"]), (user["localId"], user["refreshToken"]))
        by_apple = {"grantType": "refresh_token", "refreshToken": user["refreshToken"]}
        self.assertEqual(ask_http(self.server, "POST", "/securetoken.googleapis.com/v1/token", by_apple).status, 200)
        wrong = ask_http(self.server, "POST", "/securetoken.googleapis.com/v1/token", form[:-3] + "xyz", kind)
        self.assertEqual((wrong.status, wrong.json["error"]["message"]), (400, "INVALID_REFRESH_TOKEN"))
        self.server.ask_admin("POST", f"/v1/users/{user['localId']}/ban?seconds=60")
        banned = ask_http(self.server, "POST", "/securetoken.googleapis.com/v1/token", form, kind)
        self.assertEqual(banned.status, 400)


class Streams(Tree):
    def stream(self, path: str, **options) -> TreeStream:
        stream = TreeStream(options.pop("server", self.server), path, **options)
        self.addCleanup(stream.close)
        return stream

    def test_L07_a_stream_tells_what_is_there_and_then_each_change(self):
        """L07"""
        self.ask("PUT", "/s/a.json", {"x": 1})
        stream = self.stream("/s.json")
        self.assertEqual(stream.event(), ("put", {"path": "/", "data": {"a": {"x": 1}}}))
        self.ask("PUT", "/s/a/y.json", 2)
        self.assertEqual(stream.event(), ("put", {"path": "/a/y", "data": 2}))
        self.ask("PATCH", "/s/a.json", {"x": None, "z/deep": 3})
        self.assertEqual(stream.event(), ("patch", {"path": "/a", "data": {"x": None, "z/deep": 3}}))
        self.ask("PUT", "/s/a/y.json", 2)
        self.ask("PUT", "/other.json", 2)
        self.ask("PUT", "/.json", {"s": "whole"})
        self.assertEqual(stream.event(), ("put", {"path": "/", "data": "whole"}))

    def test_L07_a_stream_of_a_query_is_its_window(self):
        self.ask("PUT", "/w.json", {"a": 1, "b": 2, "c": 3})
        stream = self.stream('/w.json?orderBy="$key"&limitToLast=2')
        self.assertEqual(stream.event(), ("put", {"path": "/", "data": {"b": 2, "c": 3}}))
        self.ask("PUT", "/w/d.json", 4)
        self.assertEqual(stream.event(), ("put", {"path": "/d", "data": 4}))
        self.assertEqual(stream.event(), ("put", {"path": "/b", "data": None}))
        self.ask("DELETE", "/w/c.json")
        self.assertEqual(stream.event(), ("put", {"path": "/b", "data": 2}))
        self.assertEqual(stream.event(), ("put", {"path": "/c", "data": None}))

    def test_L07_a_stream_ends_when_its_user_is_kept_out(self):
        with Server("--doors", "realtime-tree", "--tree-open", testing=False) as server:
            server.wait_for_tree()
            user = sign_up(server)
            stream = self.stream(f"/s.json?auth={user['idToken']}", headers={}, server=server)
            self.assertEqual(stream.event(), ("put", {"path": "/", "data": None}))
            server.ask_admin("POST", f"/v1/users/{user['localId']}/ban?seconds=60")
            self.assertEqual(stream.event(), ("auth_revoked", "credential is no longer valid"))
            self.assertRaises(EOFError, stream.event)

    def test_L07_a_stream_is_cancelled_when_the_rules_no_longer_allow_it(self):
        with tempfile.TemporaryDirectory() as folder:
            rules = Path(folder, "rules.json")
            rules.write_text('{"rules": {".read": true}}')
            with Server("--doors", "realtime-tree", "--tree-rules", str(rules), testing=False) as server:
                server.wait_for_tree()
                stream = self.stream("/s.json", headers={}, server=server)
                self.assertEqual(stream.event(), ("put", {"path": "/", "data": None}))
                socket = TreeSocket(server)
                self.addCleanup(socket.close)
                socket.listen("/s")
                rules.write_text('{"rules": {')
                server.event("tree.rules_not_read")
                self.assertEqual(ask(server, "GET", "/s.json", headers={}).status, 200)
                rules.write_text('{"rules": {".read": false}}')
                self.assertEqual(stream.event(), ("cancel", None))
                self.assertRaises(EOFError, stream.event)
                self.assertEqual(socket.push()[:2], ("c", "s"))

    def test_L07_a_stream_that_is_quiet_is_kept_alive(self):
        stream = self.stream("/quiet.json")
        stream.event()
        stream.socket.settimeout(40)
        self.assertEqual(stream.event(), ("keep-alive", None))


if __name__ == "__main__":
    unittest.main()
