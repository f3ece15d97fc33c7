"""An S3 store that runs for as long as a test looks at it: OpenStack Swift with its S3 door, which checks every signature, on loopback and in a
folder of its own."""

import os
import shutil
import signal
import subprocess
import tempfile
import textwrap
from pathlib import Path

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError
from ports import free_ports
from server import TIMEOUT, eventually

PYTHON = "/usr/bin/python3"
USER = "parley:tester"
SECRET = "a-secret-of-tests"
SERVICES = ("account", "container", "object")

# The parts of Swift are programs of Debian's own packages, which begin with a system; their entry points are all that is needed.
RUN = ("import os, sys; from swift.common import utils; utils.set_swift_dir(os.path.dirname(sys.argv[1])); "
       "from swift.common.wsgi import run_wsgi; sys.exit(run_wsgi(sys.argv[1], sys.argv[2]))")
RING = textwrap.dedent("""
    import sys
    from swift.common import utils
    folder, *ports = sys.argv[1:]
    utils.set_swift_dir(folder)
    from swift.common.ring import RingBuilder
    for name, port in zip(("account", "container", "object"), ports):
        ring = RingBuilder(4, 1, 0)
        ring.add_dev(dict(region=1, zone=1, ip="127.0.0.1", port=int(port), device="disk", weight=1.0,
                          replication_ip="127.0.0.1", replication_port=int(port), meta=""))
        ring.rebalance()
        ring.get_ring().save(f"{folder}/{name}.ring.gz")
""")


class S3Store:
    """With one bucket, `files`."""

    bucket = "files"

    def __init__(self):
        self.folder = Path(tempfile.mkdtemp(prefix="s3-", dir="/tmp"))
        self.processes: list[subprocess.Popen] = []
        self.port, *ports = free_ports(4)
        (self.folder / "disk" / "disk").mkdir(parents=True)
        (self.folder / "swift.conf").write_text("[swift-hash]\nswift_hash_path_suffix = tests\n")
        subprocess.run([PYTHON, "-c", RING, self.folder, *map(str, ports)], check=True, cwd=self.folder)
        self._configure(dict(zip(SERVICES, ports)))
        self.start()

    def _configure(self, ports: dict[str, int]) -> None:
        common = f"swift_dir = {self.folder}\ndevices = {self.folder}/disk\nmount_check = false\nbind_ip = 127.0.0.1\n" \
                 "workers = 0\nuser = " + ("root" if os.geteuid() == 0 else os.environ.get("USER", "nobody")) + "\n"
        for name, port in ports.items():
            (self.folder / f"{name}.conf").write_text(
                f"[DEFAULT]\n{common}bind_port = {port}\n[pipeline:main]\npipeline = {name}-server\n"
                f"[app:{name}-server]\nuse = egg:swift#{name}\n")
        (self.folder / "proxy.conf").write_text(
            f"[DEFAULT]\n{common}bind_port = {self.port}\n[pipeline:main]\n"
            "pipeline = catch_errors cache listing_formats s3api tempauth bulk slo dlo proxy-server\n"
            "[app:proxy-server]\nuse = egg:swift#proxy\naccount_autocreate = true\n"
            f"[filter:tempauth]\nuse = egg:swift#tempauth\nuser_{USER.replace(':', '_')} = {SECRET} .admin\n"
            "[filter:s3api]\nuse = egg:swift#s3api\nallow_no_owner = true\ns3_acl = false\nlocation = eu-1\n"
            "min_segment_size = 1048576\n"
            "[filter:catch_errors]\nuse = egg:swift#catch_errors\n[filter:cache]\nuse = egg:swift#memcache\nmemcache_servers = \n"
            "[filter:listing_formats]\nuse = egg:swift#listing_formats\n[filter:slo]\nuse = egg:swift#slo\n"
            "[filter:bulk]\nuse = egg:swift#bulk\n[filter:dlo]\nuse = egg:swift#dlo\n")

    def start(self) -> None:
        environment = os.environ | {"PYTHONWARNINGS": "ignore"}
        for name in (*SERVICES, "proxy"):
            with (self.folder / f"{name}.log").open("ab") as log:
                self.processes.append(subprocess.Popen(
                    [PYTHON, "-c", RUN, self.folder / f"{name}.conf", f"{name}-server"], stdin=subprocess.DEVNULL,
                    stdout=log, stderr=log, cwd=self.folder, env=environment, start_new_session=True))
        eventually(self._is_ready, "the store answers")

    def _is_ready(self) -> bool:
        try:
            client = self.client()
            if not any(bucket["Name"] == self.bucket for bucket in client.list_buckets()["Buckets"]):
                client.create_bucket(Bucket=self.bucket)
            return True
        except (BotoCoreError, ClientError) as error:
            ended = [process for process in self.processes if process.poll() is not None]
            if ended:
                logs = "".join(path.read_text()[-1500:] for path in self.folder.glob("*.log"))
                raise AssertionError(f"the store ended: {logs}") from error
            return False

    def stop(self) -> None:
        for process in self.processes:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()
        self.processes = []

    def __enter__(self) -> "S3Store":
        return self

    def __exit__(self, *_) -> None:
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def url(self, prefix: str = "p", bucket: str | None = None, **more) -> str:
        """What `--files` is given."""
        query = "&".join(f"{name}={value}" for name, value in {"endpoint": self.endpoint, "region": "eu-1", **more}.items())
        return f"s3://{bucket or self.bucket}/{prefix}?{query}"

    def keys(self, folder: str | Path, secret: str = SECRET, user: str = USER) -> str:
        """A file with keys, for `--files-keys`."""
        path = Path(folder, f"s3-keys-{os.urandom(4).hex()}")
        path.write_text(f"[default]\naws_access_key_id = {user}\naws_secret_access_key = {secret}\n")
        path.chmod(0o600)
        return str(path)

    # What others see there, by AWS's own client.

    def client(self):
        config = Config(signature_version="s3v4", s3={"addressing_style": "path"}, retries={"max_attempts": 0},
                        connect_timeout=TIMEOUT, read_timeout=TIMEOUT,
                        request_checksum_calculation="when_required", response_checksum_validation="when_required")
        return boto3.client("s3", endpoint_url=self.endpoint, aws_access_key_id=USER, aws_secret_access_key=SECRET,
                            region_name="eu-1", config=config)

    def objects(self, prefix: str = "") -> dict[str, int]:
        found = self.client().list_objects_v2(Bucket=self.bucket, Prefix=prefix)
        return {item["Key"]: item["Size"] for item in found.get("Contents", [])}

    def unfinished(self) -> list[str]:
        return [item["Key"] for item in self.client().list_multipart_uploads(Bucket=self.bucket).get("Uploads", [])]
