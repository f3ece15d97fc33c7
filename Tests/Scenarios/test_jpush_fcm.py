"""What programs push by JPush's interface to devices with Google's services."""

import json

import jpush

from jpush_program import Program
from server import eventually
from test_push_fcm import FCM


class Door(Program, FCM):
    more = ("--fcm-style", "notification")

    @classmethod
    def setUpClass(cls) -> None:
        cls.more = (*cls.more, *cls.options_of_door())
        super().setUpClass()
        cls.meet()

    def test_H08_what_a_program_says_reaches_devices_of_FCM(self):
        b, installation = self.sleeper()
        push = self.client().create_push()
        push.platform, push.audience = jpush.all_, jpush.all_
        extras = {"objectId": {"content": "在吗"}}
        push.notification = jpush.notification(android=jpush.android("It is ready", title="Tea", extras=extras))
        push.options = {"time_to_live": 0}
        number = push.send().payload["msg_id"]
        eventually(lambda: installation.messages, "it came")
        [message] = installation.messages
        self.assertEqual((message["data"]["announcement"], json.loads(message["data"]["extras"])), (number, extras))
        self.assertEqual(message["notification"], {"title": "Tea", "body": "It is ready"})
        self.assertEqual(message["android"]["ttl"], "0s")
        push.notification, push.message = None, jpush.message("raw")
        push.send()
        eventually(lambda: len(installation.messages) == 2, "it came")
        self.assertEqual(installation.messages[1]["data"]["content"], "raw")
        self.assertNotIn("notification", installation.messages[1], "what is for the app alone is not shown")
