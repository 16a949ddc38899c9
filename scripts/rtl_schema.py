# SPDX-License-Identifier: BSD-3-Clause
"""tlmssd: a copy of a module in which many mutants are present; a number chosen at run time selects one.

A mutant replaces a span of the text. The smallest expression around the span becomes
`(m == N ? changed : as it was)`; where no expression holds it, the smallest statement becomes
`if (m == N) changed else as it was`. An expression is the right side of an assignment, a condition, a `case`
selector, the index of a left side, or what is connected to a port of an instance."""
import dataclasses
import re

VARIABLE = "tlmssd_mutant"
TOKEN = re.compile(r"`\w+|[A-Za-z_$][\w$]*|\d*'[sS]?[bdhoBDHO][0-9a-fA-FxzXZ_]+|'[01xz]|\d[\d_]*|\"[^\"]*\""
                   r"|<<=|>>=|<=|>=|==|!=|&&|\|\||\+=|-=|\*=|&=|\|=|\^=|<<|>>|::|\+:|-:|[^\s]")
ASSIGN = ("=", "<=", "+=", "-=", "*=", "&=", "|=", "^=", "<<=", ">>=")
OPEN, CLOSE = ("(", "[", "{"), (")", "]", "}")
DECLARED = ("logic", "wire", "int", "localparam", "parameter", "typedef", "genvar", "integer", "import", "reg")


class NotRead(Exception):
    """Text that this reader of the language does not know."""


@dataclasses.dataclass(frozen=True)
class Edit:
    """Text [start, end) becomes `text` where the number is `number`."""
    number: int
    start: int
    end: int
    text: str


def without_comments(text):
    """The same length, comments as spaces."""
    return re.sub(r"//[^\n]*|/\*.*?\*/", lambda m: re.sub(r"[^\n]", " ", m[0]), text, flags=re.S)


class Reader:
    """The places of a module at which a selection may stand: `expressions` and `statements`, spans of the text."""

    def __init__(self, text):
        self.text = without_comments(text)
        self.tokens = [(m[0], m.start(), m.end()) for m in TOKEN.finditer(self.text)]
        self.at = 0
        self.expressions, self.statements = [], []
        self.body = None  # behind the ports of the module
        while self.at < len(self.tokens):
            if self.peek() == "module":
                self.skip_past(";")
                self.body = self.tokens[self.at - 1][2]
                self.items("endmodule")
            else:
                self.at += 1
        if self.body is None:
            raise NotRead("no module")

    def peek(self, ahead=0):
        at = self.at + ahead
        return self.tokens[at][0] if at < len(self.tokens) else ""

    def take(self, word=None):
        if self.at >= len(self.tokens) or (word is not None and self.peek() != word):
            line = self.text.count("\n", 0, self.start()) + 1
            raise NotRead(f"line {line}: {self.peek() or 'end'!r} instead of {word!r}")
        self.at += 1
        return self.tokens[self.at - 1]

    def start(self):
        return self.tokens[min(self.at, len(self.tokens) - 1)][1]

    def group(self):
        """Past a bracketed group; the span of what is in it."""
        depth, begin = 0, self.tokens[self.at][2]
        while True:
            word, start, _ = self.take()
            depth += (word in OPEN) - (word in CLOSE)
            if depth == 0:
                return begin, start

    def skip_past(self, word):
        while self.peek() != word:
            if self.peek() in OPEN:
                self.group()
            else:
                self.take()
        self.take()

    def until_semicolon(self):
        """An expression up to its `;`."""
        begin = self.start()
        self.skip_past(";")
        self.expressions.append((begin, self.tokens[self.at - 1][1]))

    def directive(self):
        word = self.take()[0]
        if word in ("`include", "`ifdef", "`ifndef", "`define", "`undef", "`default_nettype"):
            self.take()
        elif self.peek() == "(":
            self.group()

    def label(self):
        if self.peek() == ":":
            self.take()
            self.take()

    def items(self, end):
        while self.peek() != end:
            self.item()
        self.take(end)

    def item(self):
        word = self.peek()
        if word.startswith("`"):
            self.directive()
        elif word == "(":  # an attribute
            self.group()
        elif word == "assign":
            self.take()
            self.left_side(False)
            self.until_semicolon()
        elif word in ("always_comb", "always_latch", "always_ff"):
            self.take()
            if self.peek() == "@":
                self.take()
                self.group()
            self.statement()
        elif word == "initial":
            self.take()
            kept = len(self.expressions), len(self.statements)
            self.statement()
            del self.expressions[kept[0]:], self.statements[kept[1]:]
        elif word in ("for", "if"):  # generate: nothing to select, its conditions are constants
            self.take()
            self.group()
            self.item()
        elif word == "else":
            self.take()
        elif word == "begin":
            self.take()
            self.label()
            self.items("end")
        elif word == "function":
            self.skip_past("endfunction")
        elif word in DECLARED or self.declares():
            self.skip_past(";")
        elif word == ";":
            self.take()
        else:
            self.instance()

    def declares(self):
        """`package::type name ...`"""
        return self.peek(1) == "::"

    def instance(self):
        self.take()
        if self.peek() == "#":
            self.take()
            self.group()
        self.take()
        if self.peek() != "(":
            raise NotRead(f"no instance: {self.text[self.start():self.start() + 40]!r}")
        self.take("(")
        while self.peek() != ")":
            if self.peek() == "." and self.peek(2) == "(":
                self.take()
                self.take()
                self.expressions.append(self.group())
            else:
                self.take()
        self.take(")")
        self.take(";")

    def left_side(self, indices=True):
        """Past the assignment's operator."""
        while self.peek() not in ASSIGN:
            if self.peek() == "[":
                begin, end = self.group()
                if indices and ":" not in self.text[begin:end]:
                    self.expressions.append((begin, end))
            elif self.peek() in OPEN:
                self.group()
            else:
                self.take()
        self.take()

    def statement(self):
        begin, word = self.start(), self.peek()
        if word == "begin":
            self.take()
            self.label()
            while self.peek() != "end":
                self.statement()
            self.take("end")
        elif word == "if":
            self.take()
            self.expressions.append(self.group())
            self.statement()
            if self.peek() == "else":
                self.take()
                self.statement()
        elif word == "for":
            self.take()
            self.group()
            self.statement()
        elif word in ("unique", "priority", "case"):
            if word != "case":
                self.take()
            self.take("case")
            self.expressions.append(self.group())
            while self.peek() != "endcase":
                self.skip_past("default" if self.peek() == "default" else ":")
                if self.peek() == ":":
                    self.take()
                self.statement()
            self.take("endcase")
        elif word.startswith("`"):
            self.directive()
            return
        elif word in DECLARED:
            self.skip_past(";")
            return
        elif word.startswith("$") or word == ";":
            self.skip_past(";")
        else:
            self.left_side()
            self.until_semicolon()
        self.statements.append((begin, self.tokens[self.at - 1][2]))

    def place(self, start, end):
        """(is it an expression, its span) of the smallest place around the span, or None."""
        for expression, spans in ((True, self.expressions), (False, self.statements)):
            around = [s for s in spans if s[0] <= start and end <= s[1]]
            if around:
                return expression, min(around, key=lambda s: s[1] - s[0])
        return None


def schema(text, edits):
    """(the module with every edit that has a place, edits without one)."""
    if not edits:
        return text, []
    reader = Reader(text)
    places, left = {}, []
    for edit in edits:
        place = reader.place(edit.start, edit.end)
        if place is None:
            left.append(edit)
        else:
            places.setdefault(place, []).append(edit)
    plain = reader.text

    def plainly(edit, begin, end):
        return plain[begin:edit.start] + edit.text + plain[edit.end:end]

    def render(begin, end, inner):
        """Text [begin, end) with the selections of the places in it, which are those of `inner`."""
        out, at = "", begin
        for place in sorted(inner, key=lambda p: (p[1][0], -p[1][1], p[0])):
            expression, (first, last) = place
            if first < at:
                continue  # within the one before, which has rendered it
            within = [p for p in inner if p != place and first <= p[1][0] and p[1][1] <= last]
            here = render(first, last, within)
            for edit in places[place]:
                changed, selected = plainly(edit, first, last), f"{VARIABLE} == {edit.number}"
                here = (f"(({selected}) ? ({changed}) : ({here}))" if expression else
                        f"begin if ({selected}) begin {changed} end else begin {here} end end")
            out += plain[at:first] + here
            at = last
        return out + plain[at:end]

    whole = render(reader.body, len(plain), list(places))
    selector = f"\n  int {VARIABLE};\n  initial {VARIABLE} = $c32(\"{VARIABLE}()\");\n" if places else ""
    return plain[:reader.body] + selector + whole, left
