"""The same messenger in Firefox: what it keeps, sends and plays is the browser's own work."""

import test_messenger
import test_page_camera
import test_page_kinds
import test_page_places
from firefox import need_firefox
from visitors import need_browser


def setUpModule() -> None:
    need_browser()
    need_firefox()


class InFirefox:
    browser = "firefox"


class WritingTests(InFirefox, test_messenger.WritingTests):
    # Its protocol has no command for wishes about motion yet.
    test_N09_new_rows_slide_in_unless_motion_is_unwelcome = None


class ArchiveTests(InFirefox, test_messenger.ArchiveTests):
    pass


class HistoryTests(InFirefox, test_messenger.HistoryTests):
    pass


class FailureTests(InFirefox, test_messenger.FailureTests):
    pass


class FileTests(InFirefox, test_messenger.FileTests):
    pass


class VoiceTests(InFirefox, test_messenger.VoiceTests):
    pass


class SlowTests(InFirefox, test_messenger.SlowTests):
    pass


class OrderTests(InFirefox, test_messenger.OrderTests):
    pass


class PlaceTests(InFirefox, test_page_places.PlaceTests):
    pass


class GroupTests(InFirefox, test_messenger.GroupTests):
    pass


class KindTests(InFirefox, test_page_kinds.KindTests):
    pass


class ReadyTests(InFirefox, test_page_kinds.ReadyTests):
    pass


class OrderPageTests(InFirefox, test_page_kinds.OrderPageTests):
    pass


class CameraTests(InFirefox, test_page_camera.CameraTests):
    pass


class EmotionTests(InFirefox, test_page_camera.EmotionTests):
    pass


class VoiceRowTests(InFirefox, test_page_camera.VoiceRowTests):
    pass
