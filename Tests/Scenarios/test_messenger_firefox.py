"""The same messenger in Firefox: what it keeps, sends and plays is the browser's own work."""

import test_messenger
import test_messenger_files
import test_messenger_groups
import test_messenger_history
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


class AlsoInFirefox(InFirefox):
    """What is the same in both, but for a defect of one of them."""

    is_long = True


class WritingTests(AlsoInFirefox, test_messenger.WritingTests):
    # Its protocol has no command for wishes about motion yet.
    test_N09_new_rows_slide_in_unless_motion_is_unwelcome = None


class ArchiveTests(AlsoInFirefox, test_messenger.ArchiveTests):
    pass


class HistoryTests(AlsoInFirefox, test_messenger_history.HistoryTests):
    pass


class FailureTests(AlsoInFirefox, test_messenger_history.FailureTests):
    pass


class FileTests(InFirefox, test_messenger_files.FileTests):
    pass


class VoiceTests(InFirefox, test_messenger_files.VoiceTests):
    pass


class SlowTests(AlsoInFirefox, test_messenger_groups.SlowTests):
    pass


class OrderTests(AlsoInFirefox, test_messenger_groups.OrderTests):
    pass


class PlaceTests(AlsoInFirefox, test_page_places.PlaceTests):
    pass


class GroupTests(AlsoInFirefox, test_messenger_groups.GroupTests):
    pass


class KindTests(AlsoInFirefox, test_page_kinds.KindTests):
    pass


class ReadyTests(AlsoInFirefox, test_page_kinds.ReadyTests):
    pass


class OrderPageTests(AlsoInFirefox, test_page_kinds.OrderPageTests):
    pass


class CameraTests(InFirefox, test_page_camera.CameraTests):
    pass


class EmotionTests(AlsoInFirefox, test_page_camera.EmotionTests):
    pass


class VoiceRowTests(InFirefox, test_page_camera.VoiceRowTests):
    pass
