"""Reads the files of the project the way the guards want them."""

import re
import subprocess
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

# What the compiler does not read as code. A string may hold interpolations with
# parentheses three deep, which is deeper than anybody should write.
_INTERPOLATION = r"\\\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)"
_NOT_CODE = re.compile(
    r'(?P<comment>//[^\n]*|/\*.*?\*/)'
    r'|(?P<string>(?P<hashes>\#*)"""(?:.*?)"""(?P=hashes)'
    r'|(?P<raw>\#+)".*?"(?P=raw)'
    rf'|"(?:{_INTERPOLATION}|\\.|[^"\\\n])*")',
    re.DOTALL,
)


def _blank(match: re.Match) -> str:
    """As many lines as before, so that line numbers stay true."""
    filler = "" if match["comment"] else '""'
    return filler + "\n" * match[0].count("\n")


@dataclass
class Source:
    """One text file, named as seen from the top of the project."""

    path: str
    text: str = field(repr=False)

    @property
    def is_swift(self) -> bool:
        return self.path.endswith(".swift")

    @property
    def is_program(self) -> bool:
        """In one of the languages that we write."""
        return self.path.endswith((".swift", ".py", ".js", ".cjs", ".c", ".h", ".go")) or self.text.startswith("#!")

    @property
    def is_test(self) -> bool:
        return self.path.startswith("Tests/")

    @cached_property
    def lines(self) -> list[str]:
        return self.text.splitlines()

    @cached_property
    def code(self) -> str:
        """The text of a Swift file without comments and with empty strings."""
        return _NOT_CODE.sub(_blank, self.text)

    @cached_property
    def code_lines(self) -> list[str]:
        return self.code.splitlines()


def project_files(root: Path) -> list[str]:
    """Every file that is, or is about to be, part of the project."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listing = subprocess.run(command, cwd=root, check=True, capture_output=True).stdout
    return sorted(set(listing.decode().split("\0")) - {""})


def read_sources(root: Path) -> list[Source]:
    """Every file that is text; recordings, pictures and fuzz corpora are not."""
    sources = []
    for path in project_files(root):
        file = root / path
        if not file.is_file():
            continue
        content = file.read_bytes()
        try:
            text = content.decode()
        except UnicodeDecodeError:
            continue
        if "\0" not in text:
            sources.append(Source(path, text))
    return sources
