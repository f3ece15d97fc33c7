"""Several servers over one PostgreSQL, with files in one store: what is brought to one is fetched from another, in parts by any of them."""

import os
import tempfile
import unittest

import s3store
from people import Person
from server import Server, eventually
from test_files import MEBIBYTE, Files
from test_files_s3 import fetch
from test_moderation import ask_admin
from test_nodes import Nodes


class FileNodes(Nodes):
    mostly_waits = False
    count = 3

    # As clients do, each through one of the nodes.
    ask, tus, begin, patch, bring, describe = Files.ask, Files.tus, Files.begin, Files.patch, Files.bring, Files.describe

    def setUp(self):
        self.store = self.enterContext(s3store.S3Store())
        folder = self.enterContext(tempfile.TemporaryDirectory(prefix="s3-keys-"))
        self.options = ("--files", self.store.url(), "--files-keys", self.store.keys(folder))
        super().setUp()
        self.server = self.nodes[0]
        for node in self.nodes:
            while len(self.reachable(node)) < self.count:
                node.get("/livez", admin=True)

    def reachable(self, node: Server) -> list[dict]:
        return [n for n in ask_admin(node, "GET", "/v1/nodes").json["nodes"] if n["this"] or n.get("address")]

    def at(self, node: int) -> "FileNodes":
        self.server = self.nodes[node]
        return self

    def content(self, person: Person, file: str) -> bytes:
        answer = self.ask(person, "GET", f"/v1/files/{file}/content")
        self.assertEqual(answer.status, 307, answer.text)
        return fetch(answer.headers["location"]).body

    def test_Y20_a_file_that_was_brought_to_one_node_is_fetched_from_any(self):
        """Y20"""
        a, b = self.person(0, "A"), self.person(2, "B")
        content = os.urandom(20 * MEBIBYTE)
        file = self.at(0).bring(a, content)
        a.ask("chat.send", user=b.user, kind="file", body={"file": file})
        self.assertEqual(b.expect("chat.entry")["body"]["file"], file)
        self.assertEqual(self.at(2).content(b, file), content)
        self.nodes[0].end()
        self.assertEqual(self.at(1).content(b, file), content)

    def test_Y21_an_upload_goes_on_through_whichever_node_a_request_reaches(self):
        """Y21.on"""
        a = self.person(0, "A")
        content = os.urandom(9 * MEBIBYTE)
        place = self.at(0).begin(a, len(content))
        self.assertEqual(self.at(0).patch(a, place, 0, content[: 2 * MEBIBYTE]).status, 204)
        told = self.at(1).tus(a, "HEAD", place)
        self.assertEqual((told.status, told.headers["upload-offset"]), (200, str(2 * MEBIBYTE)))
        self.assertEqual(told.headers["upload-length"], str(len(content)))
        wrong = self.at(1).patch(a, place, 0, content[:10])
        self.assertEqual((wrong.status, wrong.json["code"], wrong.headers["upload-offset"]), (409, "wrong_offset", str(2 * MEBIBYTE)))
        before = self.nodes[1].memory("VmRSS")
        self.nodes[1].forget_peak()
        brought = self.at(1).patch(a, place, 2 * MEBIBYTE, content[2 * MEBIBYTE : 8 * MEBIBYTE])
        self.assertEqual((brought.status, brought.headers["upload-offset"]), (204, str(8 * MEBIBYTE)), brought.text)
        self.assertLess(self.nodes[1].memory("VmHWM") - before, 6 << 10)
        self.assertEqual(self.at(2).patch(a, place, 8 * MEBIBYTE, content[8 * MEBIBYTE :]).status, 204)
        self.assertEqual(self.at(2).content(a, place.rpartition("/")[2]), content)
        self.assertEqual([os.listdir(f"{node.data}/uploads") for node in self.nodes], [[], [], []])

    def test_Y21_whoever_has_no_token_or_another_ones_is_refused_by_the_node_that_keeps_it(self):
        """Y21.rights"""
        a, b = self.person(0, "A"), self.person(1, "B")
        place = self.at(0).begin(a, 10)
        self.assertEqual(self.at(1).tus(b, "HEAD", place).status, 404)
        self.assertEqual(self.at(1).tus(b, "DELETE", place).status, 404)
        self.assertEqual(self.at(1).ask(None, "HEAD", place, Tus_Resumable="1.0.0").status, 401)
        self.assertEqual(self.at(1).tus(a, "DELETE", place).status, 204)
        self.assertEqual(self.at(2).tus(a, "HEAD", place).status, 404)

    def test_Y21_a_node_that_was_started_anew_goes_on_with_what_it_had(self):
        """Y21.restarted"""
        a = self.person(1, "A")
        content = os.urandom(MEBIBYTE)
        place = self.at(0).begin(a, len(content))
        self.assertEqual(self.at(0).patch(a, place, 0, content[:1000]).status, 204)
        self.nodes[0].restart()
        eventually(lambda: self.at(1).tus(a, "HEAD", place).status == 200, "the node is back")
        self.assertEqual(self.at(1).patch(a, place, 1000, content[1000:]).status, 204)
        self.assertEqual(self.at(2).content(a, place.rpartition("/")[2]), content)

    def test_Y22_an_upload_whose_node_is_gone_is_told_so_and_begun_anew(self):
        """Y22.told"""
        a = self.person(1, "A")
        place = self.at(0).begin(a, 10)
        self.assertEqual(self.at(0).patch(a, place, 0, b"12345").status, 204)
        self.nodes[0].end()

        def status(node: int) -> int:
            answer = self.at(node).tus(a, "HEAD", place)
            self.assertIn(answer.status, (503, 410))
            return answer.status

        for node in (1, 2):
            eventually(lambda: status(node) == 410, "the others know that the node is gone")
        self.assertEqual(self.at(2).patch(a, place, 5, b"67890").json["code"], "gone")
        self.assertEqual(self.at(1).content(a, self.at(1).bring(a, b"1234567890")), b"1234567890")


if __name__ == "__main__":
    unittest.main()
