"""What the description of the admin listener says, held against its routes and against requests that nobody thought of."""

import json
import os
import re
import subprocess
import unittest
from pathlib import Path

from talk import Talk
from test_description import CHECKS, PROGRAM

ROUTES = Path(__file__).parents[2] / "Sources" / "Service" / "Admin"


class AdminDescription(Talk):

    def test_P12_every_route_of_the_admin_listener_is_described_and_no_other(self):
        """P12.described"""
        paths = json.loads(self.server.get("/v1/openapi.json", admin=True)[1])["paths"]
        described = {(method, path) for path, methods in paths.items() for method in methods}
        text = "".join(file.read_text() for file in ROUTES.glob("*.swift"))
        made = re.findall(r'(?:on|onPush)\(\.(\w+), "(/[^"]*)"', text)
        routes = {(method, re.sub(r":(\w+)", r"{\1}", path)) for method, path in made}
        self.assertGreater(len(routes), 20)
        self.assertEqual(described, routes)

    @unittest.skipUnless(PROGRAM.exists(), "needs schemathesis: Scripts/install tests")
    def test_P12_no_request_is_answered_in_a_way_that_is_not_described(self):
        """P12.described"""
        a, b = self.listener("A"), self.listener("B")
        sent = self.say(a, "look", user=b.user)
        b.ask("chat.report", conversation=sent["conversation"], number=sent["number"], reason="spam")
        target = "http://{}:{}".format(*self.server.admin)
        command = [
            PROGRAM, "run", f"{target}/v1/openapi.json", "--url", target, "--checks", CHECKS, "--phases", "examples,coverage,fuzzing",
            "--max-examples", "15", "--seed", "1", "--generation-deterministic", "--no-shrink", "--request-timeout", "10",
            "--suppress-health-check", "all", "--no-color", "--warnings", "off", "--continue-on-failure",
        ]  # fmt: skip
        folder = Path(self.server.data)
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, env=os.environ | {"TERM": "dumb"})
        self.assertEqual(done.returncode, 0, (done.stdout + done.stderr)[-9000:])


if __name__ == "__main__":
    unittest.main()
