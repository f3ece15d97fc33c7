"""Work that goes on in the background for as long as a block of a test runs."""

import contextlib
import threading
from collections.abc import Callable, Iterator


@contextlib.contextmanager
def repeated(work: Callable[[], object], every: float = 0) -> Iterator[None]:
    """Does `work` again and again on a thread of its own, after so many seconds each time. What it raises is raised at the end."""
    is_over = threading.Event()
    troubles: list[Exception] = []

    def run() -> None:
        try:
            while not is_over.wait(every):
                work()
        except Exception as trouble:
            troubles.append(trouble)

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()
    if troubles:
        raise troubles[0]
