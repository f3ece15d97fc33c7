"""The store of certificates (NSS) that browsers have."""

import subprocess
from pathlib import Path


def trust(certificate: str, folder: Path) -> None:
    """Makes it an authority in the store of that folder."""
    folder.mkdir(parents=True, exist_ok=True)
    store = ["certutil", "-d", f"sql:{folder}"]
    if not (folder / "cert9.db").exists():
        subprocess.run([*store, "-N", "--empty-password"], check=True, capture_output=True)
    subprocess.run([*store, "-A", "-t", "C,,", "-n", "a test", "-i", certificate], check=True, capture_output=True)
