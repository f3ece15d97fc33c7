"""Signing in at a provider of OpenID Connect: one that tells the truth, one that lies, and one that others wrote."""

import http.client
import itertools
import json
import os
import ssl
import subprocess
import tempfile
import unittest
import urllib.parse
from pathlib import Path
from unittest import mock

from provider import Key, Provider, others_provider
from server import TIMEOUT, Server, binary, companions_wanted, eventually
from test_nodes_requests import Addressed
from test_serve import make_certificate, tls_client
from visitors import Company, expect, need_browser


class Browser:
    """Goes where it is sent and keeps what it is given, as a browser does; `stops` at a path without going there."""

    def __init__(self, server: Server):
        self.server = server
        self.home = f"http://127.0.0.1:{server.address[1]}"
        self.cookies: dict[str, str] = {}

    def ask(self, method: str, url: str, **headers: str) -> tuple[http.client.HTTPResponse, bytes]:
        place = urllib.parse.urlsplit(url)
        if place.scheme == "https":
            line = http.client.HTTPSConnection(place.hostname, place.port, timeout=TIMEOUT, context=tls_client())
        else:
            line = http.client.HTTPConnection(place.hostname, place.port, timeout=TIMEOUT)
        if url.startswith(self.home) and self.cookies:
            headers["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        line.request(method, f"{place.path}?{place.query}" if place.query else place.path, headers=headers)
        answer = line.getresponse()
        body = answer.read()
        line.close()
        if cookie := answer.getheader("Set-Cookie"):
            name, _, value = cookie.split(";")[0].partition("=")
            self.cookies[name] = value
        return answer, body

    def go(self, path: str, stops: str = "") -> str:
        """The last address. Ends where the page would be."""
        url = self.home + path
        for _ in range(5):
            answer, _ = self.ask("GET", url)
            place = answer.getheader("Location")
            if place is None:
                return url
            url = urllib.parse.urljoin(url, place)
            if url.startswith(f"{self.home}/?") or urllib.parse.urlsplit(url).path == stops:
                return url
        raise AssertionError(f"sent on and on: {url}")

    def sign_in(self, back: str = "/") -> str:
        return self.go("/v1/auth/oidc?" + urllib.parse.urlencode({"return": back})).removeprefix(self.home)

    def fetch(self, **headers: str) -> tuple[int, dict]:
        answer, body = self.ask("POST", f"{self.home}/v1/auth/oidc/session", **headers)
        return answer.status, json.loads(body)


class ProviderTests(unittest.TestCase):
    provider: Provider
    server: Server

    @classmethod
    def setUpClass(cls) -> None:
        cls.provider = Provider()
        cls.addClassCleanup(cls.provider.close)
        cls.server = Server(*cls.provider.options(), "--oidc-label", "Sign in with Example", "--sign-in", "none")
        cls.addClassCleanup(cls.server.__exit__)

    def setUp(self) -> None:
        self.provider.tell_truth()
        if self.server.is_of_several:
            # Each asks for keys at most once a second; a balancer leads to all of them in turn.
            signs_in = lambda: Browser(self.server).sign_in() == "/?signed-in"
            eventually(lambda: all(signs_in() for _ in range(9)), "every node knows the keys of now")
        self.browser = Browser(self.server)

    def is_told(self, why: str) -> None:
        """The operator, in the journal."""
        while why not in self.server.event("oidc.failed")["error"]:
            pass

    def test_A19_truth_ends_where_the_user_was_with_tokens_that_are_fetched_once(self):
        """A19.tokens"""
        self.assertEqual(self.browser.sign_in("/#/room/tea"), "/?signed-in#/room/tea")
        status, signed = self.browser.fetch()
        self.assertEqual((status, signed["name"]), (200, "Anna Example"))
        self.assertTrue(signed["user"].startswith("oidc:"))
        answer, body = self.browser.ask(
            "GET", f"{self.browser.home}/v1/auth/devices", Authorization=f"Bearer {signed['accessToken']}")
        self.assertEqual((answer.status, json.loads(body)["devices"][0].keys() >= {"device", "current"}), (200, True))
        self.assertEqual(self.browser.fetch()[0], 401)

    def test_A19_the_same_subject_is_the_same_user_whatever_they_are_called(self):
        """A19.tokens"""
        self.browser.sign_in()
        first = self.browser.fetch()[1]
        self.provider.name = "Somebody Else"
        self.browser.sign_in()
        self.assertEqual(self.browser.fetch()[1]["user"], first["user"])
        self.provider.subject, self.provider.name = "user-2", "Anna Example"
        self.browser.sign_in()
        self.assertNotEqual(self.browser.fetch()[1]["user"], first["user"])

    def test_A19_pages_are_told_of_it_and_other_ways_are_as_closed_as_before(self):
        """A19.tokens"""
        methods = json.loads(self.server.get("/v1/auth/methods")[1])
        self.assertEqual(methods, {
            "anonymous": False, "register": False, "applications": False,
            "oidc": {"start": "/v1/auth/oidc", "label": "Sign in with Example"},
        })
        answer, _ = self.browser.ask("POST", f"{self.browser.home}/v1/auth/anonymous")
        self.assertEqual(answer.status, 403)

    def test_A19_rotated_keys_are_asked_for_and_a_key_of_nobody_is_not_believed(self):
        """A19.rotation"""
        self.browser.sign_in()
        for algorithm in ("RS256", "ES256"):
            with self.subTest(algorithm):
                self.provider.key = Key(algorithm)
                # Keys are asked for anew at most once a second.
                eventually(lambda: self.browser.sign_in() == "/?signed-in", f"a new key for {algorithm} is believed")
        self.provider.signer = Key(name="unheard-of")
        self.assertEqual(self.browser.sign_in(), "/?sign-in=refused")

    def test_A19_lies_in_the_token_are_refused(self):
        """A19.lies"""
        self.browser.sign_in()
        stranger = Key(name=self.provider.key.name)
        for what, claims, header, signer, why in (
            ("issuer", {"iss": "https://evil.example"}, {}, None, "wrongIssuer"),
            ("audience", {"aud": "another"}, {}, None, "wrongAudience"),
            ("party", {"aud": ["parley", "another"]}, {}, None, "wrongAudience"),
            ("nonce", {"nonce": "of another sign-in"}, {}, None, "wrongNonce"),
            ("expired", {"exp": 1_700_000_000}, {}, None, "expired"),
            ("future", {"iat": 4_000_000_000, "exp": 4_000_000_300}, {}, None, "issuedInTheFuture"),
            ("subject", {"sub": ""}, {}, None, "missingClaim"),
            ("none", {}, {"alg": "none"}, None, "unknownAlgorithm"),
            ("shared", {}, {"alg": "HS256"}, None, "unknownAlgorithm"),
            ("forged", {}, {}, stranger, "badSignature"),
        ):
            with self.subTest(what):
                self.provider.claims, self.provider.header, self.provider.signer = claims, header, signer
                self.assertEqual(self.browser.sign_in(), "/?sign-in=refused")
                self.is_told(why)
                self.assertEqual(self.browser.fetch()[0], 401)

    def test_A19_a_sign_in_ends_only_in_the_browser_that_began_it(self):
        """A19.lies"""
        callback = self.browser.go("/v1/auth/oidc", stops="/v1/auth/oidc/callback")
        other = Browser(self.server)
        path = callback.removeprefix(self.browser.home)
        self.assertEqual(other.go(path), f"{self.browser.home}/?sign-in=expired")
        other.go("/v1/auth/oidc", stops="/v1/auth/oidc/callback")
        self.assertEqual(other.go(path), f"{self.browser.home}/?sign-in=expired")
        self.browser.cookies["parley-sign-in"] += "x"
        self.assertEqual(self.browser.go(path), f"{self.browser.home}/?sign-in=expired")
        foreign, _ = self.browser.ask("POST", f"{self.browser.home}/v1/auth/oidc/session", Origin="https://evil.example")
        self.assertEqual(foreign.status, 403)

    def test_A19_an_answer_in_the_name_of_another_provider_is_refused(self):
        """A19.lies"""
        callback = self.browser.go("/v1/auth/oidc", stops="/v1/auth/oidc/callback").removeprefix(self.browser.home)
        self.assertEqual(
            self.browser.go(f"{callback}&iss=https%3A%2F%2Fevil.example"), f"{self.browser.home}/?sign-in=refused")
        self.is_told("calls itself https://evil.example")

    def test_A19_what_the_provider_refuses_is_said_without_its_words_in_an_address(self):
        """A19.lies"""
        callback = self.browser.go("/v1/auth/oidc?return=/%23/me", stops="/v1/auth/oidc/callback")
        state = urllib.parse.parse_qs(urllib.parse.urlsplit(callback).query)["state"][0]
        query = urllib.parse.urlencode({"state": state, "error": "access_denied", "error_description": "no\n\x1b[31m"})
        self.assertEqual(
            self.browser.go(f"/v1/auth/oidc/callback?{query}"), f"{self.browser.home}/?sign-in=refused#/me")
        self.is_told("the provider refused: access_denied: no[31m")

    def test_A19_the_way_back_leads_to_this_server_alone(self):
        """A19.lies"""
        for path in ("//evil.example", "https://evil.example", "/\\evil.example"):
            self.assertEqual(self.browser.sign_in(path), "/?signed-in")

    def test_A19_signing_out_goes_to_the_provider_and_back(self):
        """A19.tokens"""
        place = self.browser.go("/v1/auth/oidc/logout", stops="/end")
        query = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(place).query))
        self.assertEqual(query, {"client_id": "parley", "post_logout_redirect_uri": f"{self.browser.home}/"})


class Wanderer(Browser):
    """Each request goes to the next of several servers, as a balancer without sticky sessions sends them."""

    def __init__(self, servers: list[Server]):
        super().__init__(servers[0])
        self.turns = itertools.cycle(servers)

    def ask(self, method: str, url: str, **headers: str) -> tuple[http.client.HTTPResponse, bytes]:
        if url.startswith(self.home):
            old, self.home = self.home, "http://127.0.0.1:%d" % next(self.turns).address[1]
            url = url.replace(old, self.home, 1)
        return super().ask(method, url, **headers)


class NodesTests(Addressed):
    @property
    def options(self) -> tuple[str, ...]:
        return self.provider.options()

    def setUp(self) -> None:
        self.provider = Provider()
        self.addCleanup(self.provider.close)
        super().setUp()

    def test_Y24_a_sign_in_goes_on_on_any_node(self):
        for first in range(3):
            browser = Wanderer(self.nodes[first:] + self.nodes[:first])
            self.assertIn("/?signed-in", browser.sign_in())
            status, signed = browser.fetch()
            self.assertEqual((status, signed["name"]), (200, "Anna Example"))
            self.assertEqual([browser.fetch()[0] for _ in range(3)], [401] * 3, "it is fetched once")


class DescriptionTests(unittest.TestCase):
    """Each time another server, which knows nothing of the provider yet."""

    def failed(self, *options: str, **provider) -> tuple[str, str]:
        model = Provider()
        self.addCleanup(model.close)
        for name, value in provider.items():
            setattr(model, name, value(model) if callable(value) else value)
        with Server(*model.options(), *options) as server:
            place = Browser(server).sign_in()
            return place, "" if "signed-in" in place else server.event("oidc.failed")["error"]

    def test_A19_a_description_that_leads_elsewhere_is_not_followed(self):
        """A19.elsewhere"""
        inside = Provider()
        self.addCleanup(inside.close)
        for what, lie, why in (
            ("issuer", {"issuer": "https://evil.example"}, "calls itself https://evil.example"),
            ("token", {"token_endpoint": f"{inside.issuer}/token"}, "nobody has allowed its network"),
            ("keys", {"jwks_uri": f"{inside.issuer}/keys"}, "nobody has allowed its network"),
            ("scheme", {"authorization_endpoint": "javascript:alert(1)"}, "'authorization_endpoint' is no address"),
        ):
            with self.subTest(what):
                place, reason = self.failed(description=lie)
                self.assertIn("sign-in=unavailable", place)
                self.assertIn(why, reason)
        self.assertEqual(inside.asked, [])
        place, _ = self.failed("--outgoing-allow", "127.0.0.0/8", description={"jwks_uri": f"{inside.issuer}/keys"})
        self.assertEqual(place, "/?sign-in=refused")
        # Each node asks for itself, and two take part where there are several.
        self.assertIn(inside.asked, [["/keys"]] if not companions_wanted() else [["/keys"], ["/keys"] * 2])

    def test_A19_a_provider_is_asked_by_TLS_and_has_to_prove_its_name(self):
        """A19.elsewhere"""
        with tempfile.TemporaryDirectory() as folder:
            certificate, key = make_certificate(folder, "localhost")
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate, key)
            model = Provider(context)
            self.addCleanup(model.close)
            with Server(*model.options()) as server:
                self.assertEqual(Browser(server).sign_in(), "/?sign-in=unavailable")
                self.assertIn("certificate", server.event("oidc.failed")["error"])
            with mock.patch.dict(os.environ, SSL_CERT_FILE=certificate), Server(*model.options()) as server:
                self.assertEqual(Browser(server).sign_in(), "/?signed-in")

    def test_A19_a_provider_that_talks_nonsense_is_named(self):
        """A19.lies"""
        for path, answer, why in (
            ("/.well-known/openid-configuration", (500, b""), "it answered 500"),
            ("/.well-known/openid-configuration", (200, b"<html>"), "it is no JSON object"),
            ("/.well-known/openid-configuration", (200, b" " * 300_000), "is no HTTP"),
            ("/keys", (200, b'{"keys":[]}'), "no key of the set"), ("/keys", (404, b""), "it answered 404"),
        ):
            with self.subTest(path, why=why):
                place, reason = self.failed(raw={path: answer})
                self.assertEqual(place, "/?sign-in=unavailable")
                self.assertIn(why, reason)

    def test_A19_what_is_wrong_with_the_options_is_found_before_a_start(self):
        """A19.checked"""
        model = Provider()
        self.addCleanup(model.close)
        with tempfile.TemporaryDirectory() as folder:
            secret = Path(folder, "secret")
            secret.write_text("a secret & more\n")
            base = ["--data", f"{folder}/data", "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0"]
            for code, options, words in (
                (0, ["--oidc", model.issuer, "--oidc-client-id", "a", "--oidc-client-secret-file", str(secret)], "answers, with 1 keys"),
                (1, ["--oidc", f"{model.issuer}/other", "--oidc-client-id", "a"], "it answered 404"),
                (64, ["--oidc", model.issuer], "needs --oidc-client-id"),
                (64, ["--oidc", "http://id.example.org", "--oidc-client-id", "a"], "without TLS"),
                (64, ["--oidc-client-id", "a"], "need --oidc"),
                (64, ["--oidc", model.issuer, "--oidc-client-id", "a", "--oidc-scope", "profile"], "has to contain openid"),
                (64, ["--oidc", model.issuer, "--oidc-client-id", "a", "--oidc-client-secret-file", "/nowhere"], "no such file"),
            ):
                with self.subTest(words):
                    told = subprocess.run(
                        [binary(), "check", "config", *base, *options], capture_output=True, text=True, timeout=TIMEOUT)
                    self.assertEqual(told.returncode, code, told.stdout + told.stderr)
                    self.assertIn(words.lower(), (told.stdout + told.stderr).lower())


class PageTests(unittest.TestCase):
    def test_A19_a_browser_signs_in_at_a_provider_of_others_and_out_again(self):
        """A19.browser"""
        need_browser()
        company = Company()
        self.addCleanup(company.close)
        options = ("--oidc-client-id", "parley", "--oidc-client-secret", "any will do")
        with others_provider() as issuer, Server("--oidc", issuer, *options, testing=False) as server:
            context = company.browser.new_context(locale="en")
            self.addCleanup(context.close)
            page = context.new_page()
            page.goto(f"http://127.0.0.1:{server.address[1]}/#/contacts")
            page.get_by_role("button", name="Sign in with your account").click()
            page.get_by_role("button", name="Deny").click()
            expect(page.locator("#notices")).to_contain_text("Begin it again")
            page.get_by_role("button", name="Sign in with your account").click()
            page.get_by_role("button", name="anna").click()
            expect(page.locator("#my-name")).to_have_text("Anna Elsewhere")
            expect(page.locator("#home")).to_be_visible()
            self.assertTrue(page.url.endswith("/#/contacts"), page.url)
            page.reload()
            expect(page.locator("#connection")).to_have_attribute("data-state", "connected")
            expect(page.locator("#my-name")).to_have_text("Anna Elsewhere")
            page.get_by_role("button", name="Sign out").first.click()
            expect(page.get_by_role("button", name="Sign in with your account")).to_have_count(0)
            self.assertTrue(page.url.startswith(f"{issuer}/oauth2/end_session"), page.url)
