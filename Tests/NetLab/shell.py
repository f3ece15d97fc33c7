"""A laboratory to look around in: `Scripts/netlab shell cone symmetric`."""

import os
import subprocess
import sys

from lab import KINDS, SERVERS, Lab

unknown = [kind for kind in sys.argv[1:] if kind not in KINDS]
if unknown:
    print(f"Scripts/netlab: {unknown[0]} is none of {', '.join(KINDS)}", file=sys.stderr)
    sys.exit(64)
with Lab(*sys.argv[1:]) as lab:
    print(f"wan: {', '.join(SERVERS)}")
    for number, kind in enumerate(sys.argv[1:], start=1):
        print(f"lan{number}: {kind}, 10.{number}.0.2 outside {lab.outer(number)}")
    print(f"{' '.join(lab.command('lan1'))} COMMAND")
    subprocess.run([os.environ.get("SHELL", "/bin/sh")], check=False)
