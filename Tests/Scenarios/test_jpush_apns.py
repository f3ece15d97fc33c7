"""What programs push by JPush's interface to Apple's devices."""

import jpush

from jpush_program import Program
from server import eventually
from test_push_apns import APNs


class Door(Program, APNs):
    @classmethod
    def setUpClass(cls) -> None:
        cls.more = cls.options_of_door()
        super().setUpClass()
        cls.meet()

    def tell(self, notification: dict, **more) -> None:
        push = self.client().create_push()
        push.platform, push.audience, push.notification = jpush.all_, jpush.all_, notification
        push.options = more or None
        self.number = int(push.send().payload["msg_id"])

    def test_H07_a_push_goes_to_devices_of_the_service_it_names(self):
        """H07.apns"""
        (b, released), (c, development) = self.sleeper(), self.sleeper("Carol", self.development, environment="development")
        self.tell({"alert": "tea"}, apns_production=True)
        eventually(lambda: released.pushes, "it came")
        self.tell({"alert": "coffee"}, apns_production=False)
        eventually(lambda: development.pushes, "it came")
        self.assertEqual([push.aps["alert"] for push in released.pushes], ["tea"])
        self.assertEqual([push.aps["alert"] for push in development.pushes], ["coffee"])

    def test_H08_what_a_program_says_for_Apples_devices_arrives_as_it_is(self):
        b, installation = self.sleeper()
        alert = {"title": "Tea", "subtitle": "now", "body": "It is ready", "loc-key": "TEA"}
        ios = {
            "alert": alert, "sound": {"critical": 1, "name": "bell.caf", "volume": 0.5}, "badge": "+1", "content-available": True,
            "mutable-content": True, "category": "TEA", "thread-id": "kitchen", "interruption-level": "active",
            "extras": {"type": "order", "id": 7, "aps": {"alert": "forged"}},
        }  # fmt: skip
        self.tell({"ios": ios}, time_to_live=0)
        eventually(lambda: installation.pushes, "it came")
        [push] = installation.pushes
        self.assertEqual(push.aps, {
            "alert": alert, "badge": 1, "sound": ios["sound"], "content-available": 1, "mutable-content": 1, "category": "TEA",
            "thread-id": "kitchen", "interruption-level": "active"})  # fmt: skip
        self.assertEqual((push.message["type"], push.message["id"], push.message["_j_msgid"]), ("order", 7, self.number))
        self.assertEqual((push.headers["apns-push-type"], push.headers["apns-priority"]), ("alert", "10"))
        self.assertEqual(push.headers["apns-expiration"], "0")

    def test_H08_what_shows_nothing_comes_in_the_background(self):
        b, installation = self.sleeper()
        self.tell({"ios": {"alert": "", "content-available": True, "extras": {"k": "v"}}})
        eventually(lambda: installation.pushes, "it came")
        [push] = installation.pushes
        self.assertEqual((push.headers["apns-push-type"], push.headers["apns-priority"], push.message["k"]), ("background", "5", "v"))
