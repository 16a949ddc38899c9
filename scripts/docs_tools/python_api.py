# SPDX-License-Identifier: BSD-3-Clause
"""docs/reference/python.md: what tlmssd_lab exports, from signatures and docstrings."""

import dataclasses
import importlib
import inspect
import re

from docs_tools.programs import Programs

HEAD = """# Python API

What `tlmssd_lab` exports: signatures and docstrings, as the sources have them. How to use it:
[python.md](../guides/python.md). `scripts/gen/gen_reference.py --write` makes this page.

```python
from tlmssd_lab import lab
```
"""
API = ("tlmssd_lab", "tlmssd_lab.lab")  # what the first exports; where it exports nothing, the second
MOST_COLUMNS = 100
SECTION = re.compile(r"(?:Arguments|Attributes|Raises|Returns):$", re.MULTILINE)
ENTRY = re.compile(r"    ([A-Za-z_]\w*(?:, \w+)*): (.*)$")
COLUMNS = re.compile(r"\S+(?:, \S+)* {2,}\S| {2,}\S")


def page(_programs: Programs) -> str:
    module = next(found for name in API
                  if hasattr(found := importlib.import_module(name), "__all__"))
    members = {name: getattr(module, name) for name in module.__all__}
    kinds = (
        ("Functions", [name for name, value in members.items() if inspect.isfunction(value)]),
        ("Classes", [name for name, value in members.items()
                     if inspect.isclass(value) and not issubclass(value, BaseException)]),
        ("Errors", [name for name, value in members.items()
                    if inspect.isclass(value) and issubclass(value, BaseException)]),
        ("Other names", [name for name, value in members.items()
                         if not inspect.isfunction(value) and not inspect.isclass(value)]),
    )
    parts = [HEAD]
    for title, names in kinds:
        if names:
            parts.append(f"## {title}\n")
            parts += [_member(name, members[name]) for name in sorted(names, key=str.lower)]
    return "\n".join(parts)


def _member(name: str, value) -> str:
    if inspect.isfunction(value):
        return f"### {name}\n\n```python\n{_signature(name, value)}\n```\n\n{_words(value)}\n"
    if inspect.isclass(value):
        return _class(name, value)
    return f"### {name}\n\n`{value!r}`\n"


def _class(name: str, value: type) -> str:
    parts = [f"### {name}\n"]
    if issubclass(value, BaseException):
        parts.append(f"Derived from `{value.__mro__[1].__name__}`.\n")
    else:
        parts.append(f"```python\n{_signature(name, value)}\n```\n")
    parts.append(_words(value) + "\n")
    rows = []
    for member, raw in vars(value).items():
        if member.startswith("_") and member != "__getitem__":
            continue
        inner = raw.__func__ if isinstance(raw, (classmethod, staticmethod)) else raw
        if isinstance(inner, property) or type(inner).__name__ == "cached_property":
            rows.append((f"`.{member}`", inner.__doc__ or (inner.fget.__doc__ if isinstance(inner, property) else "")))
        elif inspect.isfunction(inner):
            rows.append((f"`{_signature('.' + member, inner, bound=True)}`", inspect.getdoc(inner)))
    if dataclasses.is_dataclass(value):
        rows = [row for row in rows if row[1]]
    if rows:
        parts.append("| member | meaning |\n|---|---|")
        parts += [f"| {_cell(code)} | {_cell(_one(text))} |" for code, text in rows]
        parts.append("")
    return "\n".join(parts)


def _signature(name: str, value, bound: bool = False) -> str:
    """On one line where it fits, else a line for each parameter."""
    try:
        signature = inspect.signature(value)
    except (TypeError, ValueError):
        return name
    parameters = list(signature.parameters.values())
    if bound and parameters and parameters[0].name in ("self", "cls"):
        parameters = parameters[1:]
    end = "" if inspect.isclass(value) else f" -> {_annotation(signature.return_annotation)}"
    words = _parameters(parameters)
    line = f"{name}({', '.join(words)}){end}"
    if len(line) <= MOST_COLUMNS or bound:
        return line
    return f"{name}(\n" + "".join(f"    {word},\n" for word in words) + f"){end}"


def _parameters(parameters: list[inspect.Parameter]) -> list[str]:
    words, keywords = [], False
    for each in parameters:
        if each.kind is each.KEYWORD_ONLY and not keywords:
            words.append("*")
        keywords = keywords or each.kind in (each.KEYWORD_ONLY, each.VAR_POSITIONAL)
        star = {each.VAR_POSITIONAL: "*", each.VAR_KEYWORD: "**"}.get(each.kind, "")
        word = star + each.name
        if each.annotation is not each.empty:
            word += f": {_annotation(each.annotation)}"
        if each.default is not each.empty:
            value = re.sub(r"<[^>]*>", "...", repr(each.default))
            word += f" = {value}" if ":" in word else f"={value}"
        words.append(word)
    return words


def _annotation(value) -> str:
    text = value if isinstance(value, str) else inspect.formatannotation(value)
    return re.sub(r"\b(?:tlmssd_lab|pandas|pathlib|typing|collections|os)(?:\.[a-z]\w*)*\.(?=[A-Z])", "", text)


def _words(value) -> str:
    """The docstring: prose as it is, paragraphs of two columns as they stand."""
    text = inspect.getdoc(value) or ""
    if dataclasses.is_dataclass(value) and text.startswith(value.__name__ + "("):
        text = ""  # the one that dataclasses make
    parts = []
    for part in text.split("\n\n"):
        if SECTION.match(part):
            parts.append(_section(part))
            continue
        columns = sum(bool(COLUMNS.match(line)) for line in part.split("\n"))
        parts.append(f"```text\n{part}\n```" if columns * 2 >= part.count("\n") + 1 else part)
    return "\n\n".join(parts)


def _section(part: str) -> str:
    """A paragraph such as "Arguments:" with indented "name: text" as a list; what is not indented
    stands as it is."""
    lines = []
    for line in part.split("\n"):
        inside = line.startswith("    ")
        entry = ENTRY.match(line)
        if entry:
            lines.append(f"- `{entry[1]}`: {entry[2]}")
        elif inside:
            lines.append("  " + line.strip())
        elif SECTION.match(line):
            lines += ["", f"**{line.rstrip(':')}**", ""]
        else:
            lines += ["", line]
    return "\n".join(lines).strip()


def _one(text: str | None) -> str:
    return " ".join((text or "").split())


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
