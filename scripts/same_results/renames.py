# SPDX-License-Identifier: BSD-3-Clause
"""What has another name in NEW, and what is declared to differ: the file of --renames.

Cases may use either name. Commands and input files are translated for each side; what OLD has written is
translated before it is compared with what NEW has written.
"""
import csv
import dataclasses
import fnmatch
import json
import re

HEADER = ["kind", "old", "new"]
# A key or section of one word, such as `scheduler`, is that in a text only where this follows.
ALONE = r"(?=[=:`]|\.\w)"
KINDS = ("key", "value", "result", "option", "file", "text", "declared")


class Problem(Exception):
    """The user's input is wrong; the message is one line."""


@dataclasses.dataclass
class Rename:
    """One line of the file. `new` of a declared line is the reason."""

    kind: str
    old: str
    new: str
    place: str
    used: bool = False


def parent(path):
    """"a.b.c" -> "a.b"; "a" -> ""."""
    return path.rpartition(".")[0]


def join(path, name):
    return f"{path}.{name}" if path else name


def read(path):
    """The lines of a file. Lines that begin with # and empty lines do not count."""
    try:
        with open(path, encoding="utf-8", newline="") as file:
            rows = [(number, row) for number, row in enumerate(csv.reader(file), 1)
                    if row and not row[0].startswith("#")]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise Problem(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}") from None
    if not rows or rows[0][1] != HEADER:
        raise Problem(f"{path}: the first line must be {','.join(HEADER)}")
    renames = []
    for number, row in rows[1:]:
        place = f"{path}:{number}"
        if len(row) != 3 or not all(row):
            raise Problem(f"{place}: expected kind,old,new")
        if row[0] not in KINDS:
            raise Problem(f"{place}: kind '{row[0]}': must be one of {', '.join(KINDS)}")
        if row[0] == "value" and not all("=" in setting for setting in row[1:]):
            raise Problem(f"{place}: a value is written as key=value, for example scheduler=host")
        if row[0] not in ("declared", "text") and row[1] == row[2]:
            raise Problem(f"{place}: '{row[1]}' is renamed to itself")
        if row[0] in ("result", "key") and "[]" in row[1] + row[2] and parent(row[1]) != parent(row[2]):
            raise Problem(f"{place}: a member of list items cannot move to another parent")
        renames.append(Rename(*row, place))
    _check(renames)
    return renames


def _check(renames):
    """A name must not be both old and new, nor have two new names: translation works in both directions."""
    for kind in KINDS[:-1]:
        lines = [r for r in renames if r.kind == kind]
        for side in ("old", "new"):
            seen = {}
            for r in lines:
                if getattr(r, side) in seen and kind != "text":
                    raise Problem(f"{r.place}: '{getattr(r, side)}' stands in line {seen[getattr(r, side)]} too")
                seen[getattr(r, side)] = r.place.rpartition(":")[2]
        for r in lines:
            if kind != "text" and any(r.new == other.old for other in lines):
                raise Problem(f"{r.place}: '{r.new}' is the old name of another line too")


class Names:
    """All renames, ready for use."""

    def __init__(self, renames=(), may_differ=()):
        self.renames = list(renames)
        self.renames += [Rename("declared", glob, "--may-differ", "--may-differ") for glob in may_differ]
        self._by_kind = {kind: [r for r in self.renames if r.kind == kind] for kind in KINDS}
        self._texts = sorted((r for r in self.renames if r.kind not in ("result", "declared")),
                             key=lambda r: -len(r.old))
        self._patterns = {}  # of the lines, by number in _texts, whose old names a text has
        self._paths = self._json_paths()
        self._values = {}
        for r in self._by_kind["value"]:
            key, _, value = r.old.partition("=")
            for path in ("config." + key, key):  # a path of the results is good too, such as sched.name
                self._values.setdefault(path, []).append((value, r.new.partition("=")[2], r))

    def __bool__(self):
        """Whether anything at all has to be translated."""
        return bool(self._texts) or bool(self._paths)

    # What goes in: commands and files of a case, for one side.

    def words(self, words, new):
        """The words of a command line with the names of OLD or NEW."""
        result, before = [], ""
        for word in words:
            if before == "--set" and "=" in word:
                key, value = self._setting(*word.split("=", 1), new)
                result.append(f"{key}={value}")
            elif before == "--workload":
                result.append(self._file(self._setting("workload", word, new)[1], new))
            else:
                result.append(self._exact("option", self._file(word, new), new))
            before = word
        return tuple(result)

    def file(self, content, new):
        """The text of an input file of a case; a mapping of dotted keys becomes a configuration in JSON, which
        YAML includes."""
        if isinstance(content, str):
            return self._file(content, new)
        tree = {}
        for key, value in content.items():
            if isinstance(value, list):
                value = [dict(self._member(item, new) for item in entry.items()) for entry in value]
            key, value = self._setting(key, value, new)
            *folders, last = key.split(".")
            place = tree
            for folder in folders:
                place = place.setdefault(folder, {})
            place[last] = value
        return json.dumps(tree, indent=1) + "\n"

    def _member(self, item, new):
        key, value = self._setting("workload." + item[0], item[1], new)
        return key.removeprefix("workload."), value

    def _translate(self, kind, name, new, replace):
        """`name` in the words of OLD, then, for NEW, in those of NEW. The line with the longest name comes first."""
        for source, target in (("new", "old"), ("old", "new"))[:2 if new else 1]:
            for r in sorted(self._by_kind[kind], key=lambda r, side=source: -len(getattr(r, side))):
                changed = replace(name, getattr(r, source), getattr(r, target))
                if changed != name:
                    r.used = True
                    name = changed
                    if kind != "file":  # a text may name several files
                        break
        return name

    def _exact(self, kind, name, new):
        return self._translate(kind, name, new, lambda text, old, other: other if text == old else text)

    def _file(self, text, new):
        return self._translate("file", text, new, lambda text, old, other: text.replace(old, other))

    def _setting(self, key, value, new):
        job = re.match(r"workload\.jobs\.\d+\.", key)
        plain = "workload." + key[job.end():] if job else key
        if isinstance(value, str):
            value = self._exact("value", f"{self._key(plain, False)}={self._file(value, new)}", new).partition("=")[2]
        plain = self._key(plain, new)
        if job and plain.startswith("workload."):
            plain = job.group() + plain.removeprefix("workload.")
        return (key if job and not plain.startswith("workload.jobs.") else plain), value

    def _key(self, key, new):
        """A key, or a key below a renamed section."""
        def replace(text, old, other):
            return other + text[len(old):] if text == old or text.startswith(old + ".") else text
        return self._translate("key", key, new, replace)

    # What has come out of OLD.

    def text(self, text):
        """OLD's text with NEW's names."""
        # One pattern of all lines takes seconds a file; few files have more than a few of the names.
        found = tuple(number for number, r in enumerate(self._texts) if r.old in text)
        if not found:
            return text
        if found not in self._patterns:
            self._patterns[found] = re.compile("|".join(self._pattern(number) for number in found))

        def replace(match):
            rename = self._texts[int(match.lastgroup[1:])]
            rename.used = True
            return rename.new
        return self._patterns[found].sub(replace, text)

    def _pattern(self, number):
        """The old name of a line as a group, where it stands as a word of its kind."""
        r = self._texts[number]
        start, end = {"key": (r"(?<![\w.])", r"(?!\w)" if "." in r.old else ALONE),
                      "value": (r"(?<![\w.])", r"(?![\w.])"),
                      "option": (r"(?<![\w-])", r"(?![\w-])")}.get(r.kind, ("", ""))
        return f"(?P<r{number}>{start}{re.escape(r.old)}{end})"

    def _json_paths(self):
        """Path in a JSON document of OLD -> (path in NEW, line): results, and keys in results and schema."""
        paths = {r.old: (r.new, r) for r in self._by_kind["result"]}
        for r in self._by_kind["key"]:
            for old, new in zip(_key_paths(r.old), _key_paths(r.new)):
                paths[old] = (new, r)
        return paths

    def moves(self):
        """Whether a key has got another parent, so that its place in lists of keys changes."""
        return any(parent(r.old) != parent(r.new) for r in self._by_kind["key"])

    def document(self, old, new):
        """Two JSON documents, OLD's with NEW's names. What has another parent in NEW leaves both; it comes as
        lists of values by its new path: (old, new, moved in old, moved in new)."""
        moved, found = {}, {}
        old = self._rename(old, "", "", moved)
        if moved:
            new = _take(new, "", set(moved), found)
        return old, new, moved, found

    def _rename(self, node, path, new_path, moved):
        if isinstance(node, list):
            return [self._rename(item, path + "[]", new_path + "[]", moved) for item in node]
        if not isinstance(node, dict):
            return self._value(node, path)
        result = {}
        for name, value in node.items():
            here = join(path, name)
            target, rename = self._paths.get(here, (join(new_path, name), None))
            if rename is not None:
                rename.used = True
            before = len(moved)
            value_empty = value == {}
            value = self._rename(value, here, target, moved)
            if parent(target) != new_path:
                moved.setdefault(target, []).append(value)
            elif value != {} or value_empty or len(moved) == before:
                result[target[len(new_path) + 1 if new_path else 0:]] = value
        return result

    def _value(self, value, path):
        for old, new, rename in self._values.get(re.sub(r"\.jobs\[\]", "", path), ()):
            if str(value) == old:
                rename.used = True
                return new
        return self.text(value) if type(value) is str else value  # pylint: disable=unidiomatic-typecheck

    # Differences that are declared.

    def declared_row(self, name):
        """The line that lets a whole row differ, or None."""
        return next((r for r in self._by_kind["declared"]
                     if ":" not in r.old and fnmatch.fnmatchcase(name, r.old)), None)

    def declared_paths(self, name):
        """Lines that let a path of a row's JSON documents differ: [(glob of paths, line)]."""
        found = []
        for r in self._by_kind["declared"]:
            glob, colon, path = r.old.partition(":")
            if colon and fnmatch.fnmatchcase(name, glob):
                found.append((path, r))
        return found


def _key_paths(key):
    """Where a key may stand in results.json, and in the JSON Schema of configurations."""
    parts = key.split(".")
    places = ["config." + key, ".".join("properties." + part for part in parts)]
    places += ["$defs." + ".".join(parts[:n]) + "".join(".properties." + part for part in parts[n:])
               for n in (1, 2)]
    rest = ".".join(parts[1:])
    job = parts[0] == "workload"
    return [*places, f"config.workload.jobs[].{rest}" if job else "config." + key,
            f"$defs.job.properties.{rest}" if job else places[1]]


def _take(node, path, wanted, found):
    """The document without the paths of `wanted`, whose values go to `found`."""
    if isinstance(node, list):
        return [_take(item, path + "[]", wanted, found) for item in node]
    if not isinstance(node, dict):
        return node
    result = {}
    for name, value in node.items():
        here = join(path, name)
        if here in wanted:
            found.setdefault(here, []).append(value)
            continue
        rest = _take(value, here, wanted, found)
        if rest != {} or value == {}:
            result[name] = rest
    return result
