# SPDX-License-Identifier: BSD-3-Clause
"""Numbers and HTML. Every text from a file passes through `escape`."""
import html
from collections.abc import Iterable, Sequence
from typing import Any

NONE = "\u2013"


def escape(value: Any) -> str:
    return html.escape(str(value), quote=True)


def number(value: float | int | None, digits: int = 4) -> str:
    """With `digits` significant digits and thousands separated; counts in full."""
    if value is None:
        return NONE
    if isinstance(value, int):
        return f"{value:,}"
    if value == 0:
        return "0"
    if abs(value) >= 10 ** (digits - 1):
        return f"{value:,.0f}"
    text = f"{value:.{digits}g}"
    return f"{value:.3g}" if "e" in text else text


def percent(fraction: float | None) -> str:
    return NONE if fraction is None else f"{100 * fraction:.1f} %"


def joined(words: Sequence[str]) -> str:
    """"a, b and c" """
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def table(caption: str, head: Sequence[Any], rows: Iterable[Sequence[Any]], *,
          texts: Sequence[int] = (), css: str = "") -> str:
    """Cells are escaped, unless they are `Html`. `texts`: columns that are not numbers; the first
    column heads its row."""
    lines = [f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(caption)}">'
             f'<table class="{css}"><caption>{escape(caption)}</caption><thead><tr>']
    lines += [f'<th scope="col">{_cell(cell)}</th>' for cell in head]
    lines.append("</tr></thead><tbody>")
    for row in rows:
        cells = []
        for column, cell in enumerate(row):
            text = _cell(cell)
            if column == 0:
                cells.append(f'<th scope="row">{text}</th>')
            else:
                cells.append(f"<td>{text}</td>" if column in texts else
                             f'<td class="n">{text}</td>')
        lines.append(f"<tr>{''.join(cells)}</tr>")
    lines.append("</tbody></table></div>")
    return "".join(lines)


def plain_table(caption: str, head: Sequence[Any], rows: Iterable[Sequence[Any]], *,
                words: int = 1) -> str:
    """A table without styles of its own, as notebooks show it. The first `words` columns are texts,
    the others numbers; cells are escaped."""
    def cells(kind: str, row: Sequence[Any]) -> str:
        return "".join(
            f'<{kind} style="text-align: {"left" if place < words else "right"}">{escape(cell)}'
            f"</{kind}>" for place, cell in enumerate(row))

    body = "".join(f"<tr>{cells('td', row)}</tr>" for row in rows)
    return (f'<table><caption style="text-align: left">{escape(caption)}</caption>'
            f"<thead><tr>{cells('th', head)}</tr></thead><tbody>{body}</tbody></table>")


def _cell(value: Any) -> str:
    return value.text if isinstance(value, Html) else escape(value)


class Html:
    """A piece of HTML, made here and not read from a file."""

    def __init__(self, text: str) -> None:
        self.text = text
