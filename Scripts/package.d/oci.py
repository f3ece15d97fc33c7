"""Writes an image in the layout of the Open Container Initiative, with nothing in it that depends on when or where.

usage: oci.py ROOT OUTPUT.tar, with VERSION, REVISION, ARCHITECTURE and SOURCE_DATE_EPOCH in the environment

Everything in the folder ROOT becomes one layer; what is below `var/lib/parley` belongs to the user of the image.
"""

import datetime
import gzip
import hashlib
import io
import json
import os
import sys
import tarfile
from pathlib import Path

USER = 10001
DATA = "var/lib/parley"
LAYER = "application/vnd.oci.image.layer.v1.tar+gzip"
CONFIGURATION = "application/vnd.oci.image.config.v1+json"
MANIFEST = "application/vnd.oci.image.manifest.v1+json"
INDEX = "application/vnd.oci.image.index.v1+json"
SECOND = 1_000_000_000


def digest(blob: bytes) -> str:
    return f"sha256:{hashlib.sha256(blob).hexdigest()}"


def encoded(value: dict) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


class Layout:
    """The files of an image layout, by their path."""

    def __init__(self) -> None:
        self.files = {"oci-layout": encoded({"imageLayoutVersion": "1.0.0"})}

    def add(self, media_type: str, blob: bytes) -> dict:
        """Keeps a blob under its digest; the descriptor leads to it."""
        name = digest(blob)
        self.files[f"blobs/{name.replace(':', '/')}"] = blob
        return {"mediaType": media_type, "digest": name, "size": len(blob)}

    def write(self, path: Path, epoch: int) -> None:
        with tarfile.open(path, "w", format=tarfile.USTAR_FORMAT) as archive:
            for name in sorted(self.files):
                entry = tarfile.TarInfo(name)
                entry.size, entry.mtime, entry.mode = len(self.files[name]), epoch, 0o644
                archive.addfile(entry, io.BytesIO(self.files[name]))


def layer(root: Path, epoch: int) -> bytes:
    """Every file of a folder as a tar archive: sorted, with owners and times that are always the same."""
    names = sorted(str(path.relative_to(root)) for path in root.rglob("*"))
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for name in names:
            entry = archive.gettarinfo(str(root / name), arcname=name)
            owner = USER if name == DATA or name.startswith(f"{DATA}/") else 0
            entry.uid = entry.gid = owner
            entry.uname = entry.gname = ""
            entry.mtime = epoch
            with open(root / name, "rb") if entry.isreg() else io.BytesIO() as content:
                archive.addfile(entry, content if entry.isreg() else None)
    return buffer.getvalue()


def configuration(content: bytes, labels: dict[str, str], created: str) -> dict:
    return {
        "architecture": os.environ["ARCHITECTURE"],
        "os": "linux",
        "created": created,
        "config": {
            "User": f"{USER}:{USER}",
            "Entrypoint": ["/usr/bin/parley"],
            "Cmd": ["serve"],
            "Env": ["PATH=/usr/bin", f"PARLEY_DATA=/{DATA}", "PARLEY_LISTEN=0.0.0.0:8080"],
            "WorkingDir": "/",
            "Volumes": {f"/{DATA}": {}},
            "ExposedPorts": {"8080/tcp": {}, "3478/tcp": {}, "3478/udp": {}},
            "StopSignal": "SIGTERM",
            "Labels": labels,
            # Not of the specification, which reserves the name for it; engines that know no health check pass it over.
            "Healthcheck": {
                "Test": ["CMD", "/usr/bin/parley", "check", "health"],
                "Interval": 30 * SECOND, "Timeout": 10 * SECOND, "StartPeriod": 10 * SECOND, "Retries": 3,
            },
        },
        "rootfs": {"type": "layers", "diff_ids": [digest(content)]},
        "history": [{"created": created, "created_by": "Scripts/package image"}],
    }


def main() -> None:
    root, output = Path(sys.argv[1]), Path(sys.argv[2])
    epoch = int(os.environ["SOURCE_DATE_EPOCH"])
    created = datetime.datetime.fromtimestamp(epoch, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    labels = {
        "org.opencontainers.image.title": "parley",
        "org.opencontainers.image.description": "Signalling, chat and calls on your own machine",
        "org.opencontainers.image.licenses": "Apache-2.0",
        "org.opencontainers.image.version": os.environ["VERSION"],
        "org.opencontainers.image.revision": os.environ["REVISION"],
        "org.opencontainers.image.created": created,
    }
    layout = Layout()
    content = layer(root, epoch)
    manifest = {
        "schemaVersion": 2,
        "mediaType": MANIFEST,
        "config": layout.add(CONFIGURATION, encoded(configuration(content, labels, created))),
        "layers": [layout.add(LAYER, gzip.compress(content, 9, mtime=0))],
        "annotations": labels,
    }
    entry = layout.add(MANIFEST, encoded(manifest))
    entry["annotations"] = {"org.opencontainers.image.ref.name": os.environ["VERSION"]}
    layout.files["index.json"] = encoded({"schemaVersion": 2, "mediaType": INDEX, "manifests": [entry]})
    layout.write(output, epoch)


if __name__ == "__main__":
    main()
