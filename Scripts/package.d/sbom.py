"""Writes what a folder of Debian packages holds as a bill of materials, SPDX 2.3 in JSON.

usage: sbom.py FOLDER NAME, with VERSION and SOURCE_DATE_EPOCH in the environment; the document goes to standard output
"""

import datetime
import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

FIELDS = ("Package", "Version", "Architecture", "Maintainer", "Homepage", "Description")
DOCUMENT = "SPDXRef-DOCUMENT"


def control(archive: Path) -> dict[str, str]:
    form = "\\t".join(f"${{{field}}}" for field in FIELDS)
    values = subprocess.run(["dpkg-deb", "--show", f"--showformat={form}", archive], check=True, capture_output=True, text=True).stdout
    return dict(zip(FIELDS, values.split("\t", len(FIELDS) - 1), strict=True))


def package(archive: Path) -> dict:
    told = control(archive)
    name, version = told["Package"], told["Version"]
    vendor = "parley" if name == "parley" else "debian"
    described = {
        "SPDXID": f"SPDXRef-Package-{name.replace('+', '-plus')}",
        "name": name,
        "versionInfo": version,
        "supplier": "Organization: " + told["Maintainer"].translate(str.maketrans("<>", "()")),
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "checksums": [{"algorithm": "SHA256", "checksumValue": hashlib.sha256(archive.read_bytes()).hexdigest()}],
        "licenseConcluded": "Apache-2.0" if vendor == "parley" else "NOASSERTION",
        "licenseDeclared": "Apache-2.0" if vendor == "parley" else "NOASSERTION",
        "copyrightText": "NOASSERTION",
        "comment": f"Its licence is in /usr/share/doc/{name}/copyright.",
        "summary": told["Description"].splitlines()[0],
        "externalRefs": [{
            "referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
            "referenceLocator": f"pkg:deb/{vendor}/{name.replace('+', '%2B')}@{version.replace('+', '%2B').replace(':', '%3A')}"
            f"?arch={told['Architecture']}",
        }],
    }
    return described | ({"homepage": told["Homepage"]} if told["Homepage"] else {})


def main() -> None:
    packages = [package(archive) for archive in sorted(Path(sys.argv[1]).glob("*.deb"))]
    created = datetime.datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), datetime.timezone.utc)
    own = next(one["SPDXID"] for one in packages if one["name"] == "parley")
    relations = [(DOCUMENT, "DESCRIBES", own)]
    relations += [(own, "DEPENDS_ON", one["SPDXID"]) for one in packages if one["SPDXID"] != own]
    document = {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": DOCUMENT,
        "name": sys.argv[2],
        # A name, not a place; the same contents have the same.
        "documentNamespace": f"https://parley.invalid/spdx/{sys.argv[2]}-"
        + hashlib.sha256(json.dumps(packages, sort_keys=True).encode()).hexdigest(),
        "creationInfo": {"created": created.strftime("%Y-%m-%dT%H:%M:%SZ"), "creators": ["Tool: Scripts/package"]},
        "packages": packages,
        "relationships": [
            {"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other} for one, kind, other in relations],
    }
    json.dump(document, sys.stdout, indent=1, sort_keys=True)
    print()


if __name__ == "__main__":
    main()
