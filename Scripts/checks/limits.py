"""One table of every limit in the sources: what it is, its value, its constant, and the option that changes it."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TARGET = ROOT / "docs" / "limits.md"

DECLARATION = re.compile(
    r"^\s*(?:(?:package|public|private|fileprivate|internal|private\(set\)|package private\(set\)) )*"
    r"(?P<static>static )?(?:let|var) (?P<name>\w+)(?:: [\w.<>\[\]?]+)? = (?P<value>[^{]+?)\s*$")
TYPE = re.compile(r"^(?P<indent> *)(?:(?:package|public|private|fileprivate|final|indirect) )*(?:struct|class|enum|extension|actor|protocol) (?P<name>[\w.]+)")
NAME = re.compile(r"^(?:maximum|most)[A-Z]\w*$|^\w+(?:AtOnce|PerUser|PerLine|PerLane|PerAddress|OfOne|Timeout)$|^(?:portion|maximum|limit)$")
VALUE = re.compile(r"^-?[\d_.]+(?: << \d+| \* [\d_ *]+)?$|^\.?(?:Duration)?\.(?:seconds|milliseconds|microseconds|minutes)\([\d_ *]+\)$")
MEMBER = re.compile(r"^\s+(?:package |private )?var (\w+)(?:: (\w+))? = (?:(\w+)\()?")
ASSIGNMENT = re.compile(r"^\s+service\.([\w.]+) = .*self\.(\w+)")
OPTION = re.compile(r"^    var (\w+)")

HEAD = """# Limits

Everything that has an end, in the order of the rooms of [architecture.md](architecture.md): its constant, its value, and the option of `parley serve`
that changes it, where there is one. What clients see of it is in [protocol.md](protocol.md#limits), [link-layer.md](link-layer.md#limits) and
[operations.md](operations.md#limits), each row with its test. `Scripts/limits` writes this page from the sources, and a test holds it against them.

"""


def sources() -> list[Path]:
    return sorted(path for path in (ROOT / "Sources").rglob("*.swift") if "Assets" not in path.parts)


def words(name: str) -> str:
    """`maximumOpenPolls` as somebody would say it."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower()


class Scopes:
    """In which types a line stands."""

    def __init__(self):
        self.open: list[tuple[int, str]] = []

    def take(self, line: str) -> bool:
        """Whether the line begins a type."""
        text = line.strip()
        if not text or text.startswith(("//", "@", ")", "#")):
            return False
        indent = len(line) - len(line.lstrip())
        while self.open and indent <= self.open[-1][0]:
            self.open.pop()
        if match := TYPE.match(line):
            self.open.append((indent, match["name"]))
        return match is not None

    @property
    def name(self) -> str:
        return ".".join(name for _, name in self.open)


def read(path: Path, chosen: set[str]) -> list[dict]:
    found, scopes, remark = [], Scopes(), []
    for line in path.read_text().splitlines():
        if line.strip().startswith("///"):
            remark.append(line.strip()[3:].strip())
            continue
        if not scopes.take(line) and (match := DECLARATION.match(line)) and VALUE.match(match["value"]):
            constant = f"{scopes.name}.{match['name']}".lstrip(".")
            # In a function it is a name for a moment.
            if len(line) - len(line.lstrip()) <= 4 * max(1, len(scopes.open)) and (NAME.match(match["name"]) or constant in chosen):
                found.append({
                    "room": path.relative_to(ROOT / "Sources").parts[0],
                    "constant": constant,
                    "value": re.sub(r"(?<=\d)_(?=\d)", ",", match["value"]).removeprefix("Duration"),
                    "words": " ".join(remark).rstrip(".") or words(match["name"]),
                })  # fmt: skip
        remark = []
    return found


def types() -> dict[tuple[str, str], str]:
    """Which type each member of a type has, where its first value says so."""
    found = {}
    for path in sources():
        scopes = Scopes()
        for line in path.read_text().splitlines():
            if scopes.take(line) or not (match := MEMBER.match(line)):
                continue
            if kind := match[2] or match[3]:
                found.setdefault((scopes.name, match[1]), kind)
    return found


def options() -> dict[str, str]:
    """`FileSettings.maximumBytes`: `--largest-file`."""
    members, found = types(), {}
    text = (ROOT / "Sources/parley/ServeCommand.swift").read_text()
    for line in text.splitlines():
        if not (match := ASSIGNMENT.match(line)):
            continue
        *path, last = match[1].split(".")
        kind = "ServiceConfiguration"
        for name in path:
            kind = members.get((kind, name), "")
        option = "--" + re.sub(r"(?<=[a-z])(?=[A-Z])", "-", match[2]).lower()
        found[f"{kind}.{last}"] = option
    return found


def helps() -> list[tuple[str, str]]:
    """Options that are about an amount or a time, with what their help says."""
    found = []
    serve = ROOT / "Sources/parley/ServeCommand.swift"
    groups = re.findall(r"@OptionGroup var \w+: (\w+)", serve.read_text())
    for path in [serve] + [path for path in (ROOT / "Sources/parley").rglob("*.swift") if path.stem in groups]:
        for block in re.findall(r"@Option\((.*?)\n    var (\w+)", path.read_text(), re.S):
            text = " ".join(re.findall(r'"((?:[^"\\]|\\.)*)"', block[0].replace('"""', '"'))[:1]).strip()
            if re.search(r"how (?:long|many|much)|maximum|storage|most|per second|at once|days|interval|seconds", text, re.I):
                option = "--" + re.sub(r"(?<=[a-z])(?=[A-Z])", "-", block[1]).lower()
                found.append((option, re.sub(r"\s+", " ", text).rstrip(".")))
    return sorted(set(found))


def page() -> str:
    known = options()
    settings = {option: constant for constant, option in known.items()}
    lines, room = [HEAD.rstrip("\n")], None
    lines += ["", "## By option", "", "| option | what it limits | setting |", "| --- | --- | --- |"]
    for option, said in helps():
        setting = settings.get(option, "").lstrip(".")
        lines.append(f"| `{option}` | {said} | {f'`{setting}`' if setting else ''} |".replace("|  |", "| |"))
    rows = [row for path in sources() for row in read(path, set(known))]
    for row in sorted(rows, key=lambda row: (row["room"], row["constant"])):
        if row["room"] != room:
            room = row["room"]
            lines += ["", f"## {room}", "", "| limit | value | constant | option |", "| --- | --- | --- | --- |"]
        option = known.get(row["constant"], "")
        said = row["words"].replace("|", "\\|")
        lines.append(f"| {said} | `{row['value']}` | `{row['constant']}` | {f'`{option}` ' if option else ''}|")
    return "\n".join(lines) + "\n"


def main() -> int:
    text = page()
    if "--check" not in sys.argv:
        TARGET.write_text(text)
        return 0
    if TARGET.exists() and TARGET.read_text() == text:
        return 0
    print("docs/limits.md is not what the sources say: run Scripts/limits", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
