# SPDX-License-Identifier: BSD-3-Clause
"""Compares what two runs of a case have left: exit status, messages, and every file, byte for byte.

Left out is only what depends on the machine: the values of `wall`, absolute paths, speed in the table of a
run, the date of a wave file.
"""
import dataclasses
import fnmatch
import gzip
import io
import json
import lzma
import re
import shutil
import subprocess
import tarfile

from .renames import Problem, join

WIDTH = 100  # characters of a value that are shown
WALL = ((re.compile(r"in [\d.]+ s of wall time, [\d,]+ a second, [\d,]+ MiB"), "in <wall time>"),
        (re.compile(r"^(wall time, s +)[\d.]+$", re.MULTILINE), r"\1<wall time>"))
HASH = re.compile(r"config(?:_hash|uration)?\"?:? +\"?([0-9a-f]{16})\b")
INVARIANTS = ("status", "integrity.mismatches", "checker.violations")
FST_DATE = re.compile(rb"\A\$date.*?\$end\s*", re.DOTALL)


@dataclasses.dataclass(frozen=True)
class Difference:
    """The first place where two sides differ. `fatal`: no declaration covers it."""

    where: str
    old: str
    new: str
    fatal: bool = False

    def __str__(self):
        return f"{self.where}: {_short(self.old)} -> {_short(self.new)}"


class Literal(str):
    """A number as it is written: 1.0 and 1.00 differ, and 1 and "1"."""

    def __eq__(self, other):
        return isinstance(other, Literal) and str.__eq__(self, other)

    __hash__ = str.__hash__


class Absent:
    """Stands for what one side lacks."""

    def __str__(self):
        return "(nothing)"


ABSENT = Absent()


def _short(value):
    text = value if isinstance(value, str) else str(value)
    return text if len(text) <= WIDTH else text[:WIDTH - 3] + "..."


def first_json(old, new, path=""):
    """The first difference of two documents in the order of the file, as (path, old, new), or None."""
    if isinstance(old, dict) and isinstance(new, dict):
        for name in old:
            if name not in new:
                return join(path, name), _dump(old[name]), ABSENT
        for name in new:
            if name not in old:
                return join(path, name), ABSENT, _dump(new[name])
        if list(old) != list(new):
            return path or "top level", "keys in order " + ", ".join(old), "keys in order " + ", ".join(new)
        pairs = [(join(path, name), old[name], new[name]) for name in old]
    elif isinstance(old, list) and isinstance(new, list):
        pairs = [(f"{path}[{i}]", a, b) for i, (a, b) in enumerate(zip(old, new))]
        if len(old) != len(new) and old[:len(pairs)] == new[:len(pairs)]:
            return path, f"{len(old)} items", f"{len(new)} items"
    else:
        return None if type(old) is type(new) and old == new else (path, _dump(old), _dump(new))
    if old == new and _dump(old) == _dump(new):
        return None
    return next((d for d in (first_json(a, b, p) for p, a, b in pairs) if d is not None), None)


def _dump(value):
    return value if isinstance(value, Literal) else json.dumps(value)


def first_text(old, new):
    """The first line that differs, as (line number, old, new), or None."""
    if old == new:
        return None
    a, b = old.split("\n"), new.split("\n")
    for number, (x, y) in enumerate(zip(a, b), 1):
        if x != y:
            return number, *_near(x, y)
    n = min(len(a), len(b))
    return n + 1, a[n] if len(a) > n else ABSENT, b[n] if len(b) > n else ABSENT


def _near(x, y):
    """Long lines from shortly before the first character that differs."""
    if max(len(x), len(y)) <= WIDTH:
        return x, y
    at = next((i for i, (p, q) in enumerate(zip(x, y)) if p != q), min(len(x), len(y)))
    start = max(0, at - 40)
    lead = "..." if start else ""
    return lead + x[start:], lead + y[start:]


def unpacked(name, data):
    """The bytes of a file without its packing."""
    try:
        if name.endswith(".gz"):
            return gzip.decompress(data)
        if name.endswith(".xz"):
            return lzma.decompress(data)
    except (OSError, EOFError, lzma.LZMAError):
        return data  # spoilt: compared as it is
    return _zstd(data, name) if name.endswith(".zst") else data


def _zstd(data, name):
    if shutil.which("zstd"):
        done = subprocess.run(["zstd", "-dcq"], input=data, capture_output=True, check=False)
        return data if done.returncode != 0 else done.stdout
    try:
        import zstandard  # pylint: disable=import-outside-toplevel
    except ImportError:
        raise Problem(f"{name} differs, and it takes zstd (package zstd) to see where") from None
    try:
        with zstandard.ZstdDecompressor().stream_reader(io.BytesIO(data)) as reader:
            return reader.read()
    except zstandard.ZstdError:
        return data


def waves(path):
    """An FST file as text, without the date; its bytes where it is none."""
    done = subprocess.run(["fst2vcd", "-e", "-f", str(path)], capture_output=True, check=False)
    return FST_DATE.sub(b"", done.stdout) if done.returncode == 0 and done.stdout else path.read_bytes()


def by_name(text):
    """VCD text with full names in the place of codes, in the order of the names: the writer sorts scopes, so that
    a renamed one moves and other codes belong to all that follow."""
    scopes, names, declared, attributes, changes, lines = [], {}, [], [], [], iter(text.split("\n"))
    for line in lines:
        words = line.split()
        if words[:1] == ["$scope"]:
            scopes.append(words[2])
            declared.append(f"{'.'.join(scopes)} {words[1]}")
        elif words[:1] == ["$upscope"]:
            scopes.pop()
        elif words[:1] == ["$var"]:
            name = ".".join([*scopes, *words[4:-1]])
            names.setdefault(words[3], []).append(name)
            declared.append(" ".join([name, *words[1:3], *attributes]))
            attributes = []
        elif words[:1] == ["$enddefinitions"]:
            break
        elif words[:1] == ["$attrbegin"]:
            attributes.append(line)  # of the next signal
        elif line:
            declared.append(line)
    result = sorted(declared)
    for line in lines:
        if line.startswith("#") or line.startswith("$"):
            result += [*sorted(changes), line]
            changes = []
        elif line:
            value, code = line.rsplit(" ", 1) if " " in line else (line[0], line[1:])
            changes += [f"{name} {value}" for name in names[code]]
    return "\n".join([*result, *sorted(changes)])


class Comparison:
    """Both sides' outcomes of one case."""

    def __init__(self, case, old, new, names):
        self.case, self.old, self.new, self.names = case, old, new, names
        self._ignored = names.declared_paths(case.name)
        self._hashes = None
        if any(fnmatch.fnmatchcase("config_hash", path) for path, _ in self._ignored):
            self._hashes = re.compile("|".join(sorted(self._config_hashes())) or "(?!)")
        self.ignored = []  # differences in paths that are declared to differ

    def compares(self):
        """Whether there is anything to compare."""
        return True

    def first(self):
        """The first difference, or None."""
        return next(self._differences(), None)

    def invariants(self):
        """The first difference that no declaration covers."""
        return next((d for d in self._differences() if d.fatal), None)

    def _differences(self):
        for number, command in enumerate(self.case.commands):
            old, new = self.old.statuses[number], self.new.statuses[number]
            if old != new:
                yield Difference(f"exit status of command {number + 1}", f"{old}", f"{new}", fatal=True)
        files = [side.files() for side in (self.old, self.new)]
        for name in sorted(set(files[0]) | set(files[1]), key=_rank):
            yield from self._files_differ(name, *(side.get(name, ABSENT) for side in files))

    def _files_differ(self, name, old, new):
        if new is ABSENT:
            yield Difference(name, "a file", ABSENT)
        elif old is ABSENT:
            yield Difference(name, ABSENT, "a file")
        else:
            yield from self._file(name, old, new)

    @staticmethod
    def is_document(name):
        return name.endswith(("results.json", "replay.json"))

    def _file(self, name, old, new):
        raw = old.read_bytes(), new.read_bytes()
        same = raw[0] == raw[1]
        if same and not self.names:
            return
        if name.endswith(".fst"):
            yield from self._text(name, waves(old), waves(new))
        elif name.endswith(".snapshot"):
            if not same:
                yield from self._snapshot(name, *raw)
        elif name.endswith((".steps", ".elf")):
            if not same:
                yield _bytes_differ(name, *raw)
        else:
            yield from self._content(name, unpacked(name, raw[0]), unpacked(name, raw[1]))

    def _content(self, name, old, new):
        if self.is_document(name) or b'"$schema"' in old[:200]:
            documents = self._parsed(old), self._parsed(new)
            if None not in documents:
                yield from self._json(name, *documents)
                return
        yield from self._text(name, old, new)

    @staticmethod
    def _parsed(data):
        try:
            document = json.loads(data, parse_float=Literal, parse_int=Literal)
        except (ValueError, RecursionError):
            return None
        if isinstance(document, dict) and isinstance(document.get("wall"), dict):
            document["wall"] = dict.fromkeys(document["wall"])  # which keys it has is the same on any machine
        return document

    def _json(self, name, old, new):
        old, new = self.old.plain_tree(old), self.new.plain_tree(new)
        old, new, moved, found = self.names.document(old, new)
        old, new = self._counted(old, new)
        kept = self._without(old, ""), self._without(new, "")
        if self._ignored:
            difference = first_json(old, new)
            if difference is not None and first_json(*kept) is None:
                self.ignored.append(self._found(name, difference))
        for path, values in moved.items():
            difference = first_json(values, found.get(path, []), path)
            if difference is not None:
                yield self._found(name, difference)
        difference = first_json(*kept)
        if difference is not None:
            yield self._found(name, difference)
            for path in INVARIANTS:
                values = [_dig(document, path) for document in kept]
                if values[0] != values[1]:
                    yield Difference(f"{name}: {path}", _dump(values[0]), _dump(values[1]), fatal=True)

    def _counted(self, old, new):
        """The parts of two documents that count."""
        return old, new

    @staticmethod
    def _found(name, difference):
        path, old, new = difference
        return Difference(f"{name}: {path}", old, new)

    def _without(self, node, path):
        """A document without the paths that are declared to differ."""
        if not self._ignored:
            return node
        if isinstance(node, list):
            return [self._without(item, path + "[]") for item in node]
        if not isinstance(node, dict):
            return self._hash_free(node) if type(node) is str else node  # pylint: disable=unidiomatic-typecheck
        result = {}
        for name, value in node.items():
            here = join(path, name)
            line = next((r for glob, r in self._ignored if fnmatch.fnmatchcase(here, glob)), None)
            if line is None:
                result[name] = self._without(value, here)
            else:
                line.used = True
        return result

    def _text(self, name, old, new):
        texts = [self._hash_free(side.plain(data.decode("utf-8", "surrogateescape")))
                 for side, data in ((self.old, old), (self.new, new))]
        difference = first_text(self.names.text(texts[0]), texts[1])
        if difference is not None and self.names and name.endswith(".fst"):
            difference = first_text(by_name(self.names.text(texts[0])), by_name(texts[1]))
        if difference is not None and self.names and self._is_description(name):
            flat = [self.names.text(described(texts[0])), described(texts[1])]
            if self.names.moves():
                flat = ["\n".join(sorted(text.split("\n"))) for text in flat]
            difference = first_text(*flat)
        if difference is not None:
            number, *values = difference
            yield Difference(f"{name}: line {number}", *values)

    def _is_description(self, name):
        number, _, kind = name.partition(".")
        return (kind == "stdout" and number.isdigit() and self.old.statuses[int(number) - 1] == 0
                and self.case.commands[int(number) - 1].words[:1] == ("describe",))

    def _snapshot(self, name, old, new):
        """Entry by entry. What is around the entries has to be equal too, unless the hash in one may differ."""
        archives = _zstd(old, name), _zstd(new, name)
        try:
            members = [_entries(archive) for archive in archives]
        except tarfile.TarError:
            yield _bytes_differ(name, *archives)
            return
        found = False
        for difference in self._entries_differ(name, *members):
            found = True
            yield difference
        if not found and archives[0] != archives[1] and self._hashes is None:
            yield _bytes_differ(name, *archives)

    def _entries_differ(self, name, old, new):
        for entry in sorted(set(old) | set(new)):
            inside = f"{name}: {entry}"
            if entry not in old or entry not in new:
                yield Difference(inside, *("an entry" if entry in entries else ABSENT for entries in (old, new)))
            elif entry == "snapshot.json":
                documents = [self._parsed(entries[entry]) for entries in (old, new)]
                for document in documents:
                    document.pop("crc32", None)  # of the text around it, which is compared itself
                yield from self._json(inside, *documents)
            elif old[entry] != new[entry]:
                yield _bytes_differ(inside, old[entry], new[entry])

    def _config_hashes(self):
        """The hashes of configurations that both sides' outputs name."""
        found = set()
        for side in (self.old, self.new):
            for name, path in side.files().items():
                if name.endswith(("results.json", "replay.json", ".stdout")):
                    found.update(HASH.findall(path.read_text(encoding="utf-8", errors="replace")))
        return found

    def _hash_free(self, text):
        return self._hashes.sub("<config hash>", text) if self._hashes is not None else text


def _entries(archive):
    with tarfile.open(fileobj=io.BytesIO(archive)) as opened:
        return {member.name: opened.extractfile(member).read() for member in opened.getmembers() if member.isfile()}


def _bytes_differ(where, old, new):
    at = next((i for i, (a, b) in enumerate(zip(old, new)) if a != b), min(len(old), len(new)))
    return Difference(f"{where}: byte {at}", old[at:at + 8].hex() or ABSENT, new[at:at + 8].hex() or ABSENT)


def _rank(name):
    """Results are the first that is looked at, pictures the last."""
    kinds = ("results.json", "replay.json", ".stdout", ".stderr")
    kind = next((i for i, end in enumerate(kinds) if name.endswith(end)), len(kinds))
    return kind, name.endswith((".fst", "json.gz", ".json")), name


def _dig(document, path):
    for name in path.split("."):
        document = document.get(name, {}) if isinstance(document, dict) else {}
    return document


def described(text):
    """The output of `describe` as lines `a.b=value`, so that other names move no column."""
    lines, stack = [], []
    for line in text.split("\n"):
        match = re.match(r"( *)(?:- )?([\w.]+):(?: +(.*))?$", line)
        if match is None:
            lines.append(" ".join(line.split()))
            continue
        depth = len(match.group(1))
        stack = [(d, name) for d, name in stack if d < depth] + [(depth, match.group(2))]
        lines.append(f"{'.'.join(name for _, name in stack)}={' '.join((match.group(3) or '').split())}")
    return "\n".join(lines)
