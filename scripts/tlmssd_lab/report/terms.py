# SPDX-License-Identifier: BSD-3-Clause
"""The words that the page explains: stages, limiters and terms.

assets/terms.json holds the sentences, so that an installed package has them without the documentation.
A test fails where they differ from the pages that declare them. From the root of the repository
`.venv/bin/python -c "from tlmssd_lab.report import terms; terms.write()"` takes them again.
"""

from __future__ import annotations

import functools
import json
import pathlib
import re
from collections.abc import Sequence
from typing import Any

from tlmssd_lab.html_text import Html, escape
from tlmssd_lab.report.summary import LIMITERS as LIMITER_TEXTS
from tlmssd_lab.stages import STAGE_TEXTS

_FILE = pathlib.Path(__file__).parent / "assets/terms.json"
_SCHEMA = "docs/reference/results.schema.json"
_BOUND = "docs/explanation/bound.md"
_GLOSSARY = "docs/reference/glossary.md"
# Terms of the page, and the word of the glossary that explains each.
WORDS = {
    "stage": "stage",
    "bound": "lower bound",
    "limiter": "limiter",
    "percentile": "percentile",
    "response": "response time",
    "waf": "WAF",
    "tag": "tag",
    "die": "die",
    "channel": "channel",
}


def collect(root: pathlib.Path) -> dict[str, str]:
    """The sentence of each term, from the pages of the repository."""
    schema = json.loads((root / _SCHEMA).read_text(encoding="utf-8"))
    stages = schema["properties"]["stages"]["properties"]
    found = {}
    for stage in STAGE_TEXTS:
        text = stages[f"{stage}_us"]["properties"]["mean"]["description"]
        found[f"stage-{stage}"] = text.split(f"`{stage}`: ", 1)[1]
    bound = _rows((root / _BOUND).read_text(encoding="utf-8"))
    found |= {f"limiter-{name}": bound[f"`{name}`"] for name in LIMITER_TEXTS}
    glossary = _rows((root / _GLOSSARY).read_text(encoding="utf-8"))
    return found | {name: glossary[word] for name, word in WORDS.items()}


def _rows(page: str) -> dict[str, str]:
    """First and second cell of each row of the page's tables, without links; the first of equal words."""
    found: dict[str, str] = {}
    for line in page.split("\n"):
        if line.startswith("| "):
            cells = line.strip("| ").split(" | ")
            text = re.sub(r"\s*\(\[[^]]*\]\([^)]*\)\)|\*|`", "", cells[1]) if len(cells) > 1 else ""
            found.setdefault(cells[0], text)
    return found


@functools.cache
def sentences() -> dict[str, str]:
    read: dict[str, str] = json.loads(_FILE.read_text(encoding="utf-8"))
    return read


def label(name: str) -> str:
    """As the page writes the term."""
    kind, _, rest = name.partition("-")
    return STAGE_TEXTS[rest] if kind == "stage" and rest else rest or WORDS[name]


def term(name: str, text: str | None = None) -> Html:
    """A word with its explanation on hover and focus; plain text where no term has that name."""
    shown = label(name) if text is None and name in sentences() else text or ""
    if name not in sentences():
        return Html(escape(shown))
    return Html(f'<span class="term" tabindex="0" aria-describedby="term-{name}">{escape(shown)}</span>')


def limiter(name: Any) -> Html:
    return term(f"limiter-{name}", str(name))


def marked(text: str) -> str:
    """HTML of a sentence; the stages that it quotes and the limiter that it names become terms."""
    html = escape(text)
    for stage, name in STAGE_TEXTS.items():
        quoted = f"\u201c{escape(name)}\u201d"
        html = html.replace(quoted, f"\u201c{term(f'stage-{stage}').text}\u201d")
    for name, words in LIMITER_TEXTS.items():
        said = f"the bound that {words} sets"
        html = html.replace(said, f"the {term('bound', 'bound').text} that {term(f'limiter-{name}', words).text} sets")
    return html


def stage_line() -> str:
    """The stages in the order of the path, each a term."""
    return ", ".join(term(f"stage-{stage}").text for stage in STAGE_TEXTS)


def legend() -> str:
    """Every term with its sentence; the terms of the page refer to these."""
    groups: Sequence[tuple[str, str]] = (("Stages of a request's latency", "stage-"),
                                         ("Limiters of a run", "limiter-"), ("Other terms", ""))
    parts, left = [], dict(sentences())
    for title, prefix in groups:
        names = [name for name in left if name.startswith(prefix)]
        rows = "".join(f'<dt>{escape(label(name))}</dt><dd id="term-{name}">{escape(left.pop(name))}</dd>'
                       for name in names)
        parts.append(f'<h3>{escape(title)}</h3><dl class="terms">{rows}</dl>')
    return "".join(parts)


def write() -> None:
    _FILE.write_text(json.dumps(collect(pathlib.Path()), indent=2) + "\n", encoding="utf-8")
