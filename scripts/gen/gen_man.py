#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the man page of a program from its --help and that of each of its verbs.

Usage: gen_man.py NAME SENTENCE FILE COMMAND [ARGUMENT ...]
NAME: of the program. SENTENCE: what it does. FILE: the page to write. COMMAND ...: runs the program.
"""
import os
import pathlib
import re
import subprocess
import sys

_HEADING = re.compile(r"^(\S[^\n]*):$")


class ManError(Exception):
    """The program did not print its help."""


def run(command):
    environment = {**os.environ, "COLUMNS": "80", "NO_COLOR": "1"}
    environment.pop("FORCE_COLOR", None)
    done = subprocess.run(command, env=environment, text=True, check=False, stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=60)
    if done.returncode != 0 or not done.stdout.strip():
        raise ManError(f"{' '.join(command)} ended with {done.returncode}: {done.stderr.strip()}")
    return done.stdout


def verbs_of(text):
    """The verbs of a help text: CLI11's section Subcommands, or argparse's below the word COMMAND."""
    for head, indent in ((r"Subcommands:", 2), (r"  COMMAND", 4)):
        section = re.search(rf"^{head}\n((?: {{{indent},}}\S.*\n?)+)", text, re.MULTILINE)
        if section:
            return re.findall(rf"^ {{{indent}}}([a-z][\w-]*)\b", section[1], re.MULTILINE)
    return []


def escaped(text):
    """A line of text: no request of troff begins it, and nothing in it is an escape."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text[:1] in (".", "'") else text


def paragraph(lines):
    """Lines as they stand."""
    return [".nf", *map(escaped, lines), ".fi"]


def entry(name, sentences):
    return [".TP", ".B " + escaped(name).replace('"', '\\(dq'), *([escaped(" ".join(sentences))] or ["\\&"])]


def entries(lines):
    """The lines of a list: "  NAME   sentence", whose sentence may go on in the lines after it."""
    found = []
    lines = [line for line in lines if not re.fullmatch(r" +[A-Z]+", line)]  # argparse: COMMAND, the verbs below it
    depth = min(len(line) - len(line.lstrip()) for line in lines if line.strip())
    for line in filter(str.strip, lines):
        if len(line) - len(line.lstrip()) > depth and found:
            found[-1][1].append(line.strip())
            continue
        name, _, sentence = re.sub(r" {2,}", "\n", line.strip(), count=1).partition("\n")
        found.append((name, [sentence] if sentence else []))
    out = []
    for name, sentences in found:
        out += entry(name, sentences) if sentences else entry(name, ["\\&"])
    return out


def sections(text):
    """(heading, lines) of a help text; what stands before the first heading has the heading ""."""
    found = [("", [])]
    for line in text.strip("\n").split("\n"):
        heading = _HEADING.match(line)
        if heading:
            found.append((heading[1], []))
        else:
            found[-1][1].append(line.rstrip())
    return found


def is_list(heading):
    return heading.lower().split(" ")[0] in ("options", "arguments", "subcommands", "positional", "environment")


def body(text):
    """The parts of a help text below one heading of the page."""
    out = []
    for heading, lines in sections(text):
        while lines and not lines[-1]:
            lines.pop()
        while lines and not lines[0]:
            lines.pop(0)
        if heading:
            out += [".PP", f".B {escaped(heading[0].upper() + heading[1:])}".replace('"', '\\(dq')]
        if not lines:
            continue
        cut = lines.index("") if "" in lines else len(lines)
        if heading and is_list(heading):
            out += entries(lines[:cut])
            lines = lines[cut + 1:]
        if lines:
            out += [".PP", *paragraph(lines)]
    return out


def tree(command, words, text):
    """(words, help) of each verb, and of the verbs below it."""
    for verb in verbs_of(text):
        inner = run([*command, *words, verb, "--help"])
        yield [*words, verb], inner
        yield from tree(command, [*words, verb], inner)


def page(name, sentence, command):
    text = run([*command, "--help"])
    version = run([*command, "--version"]).strip()
    out = ['.\\" Made by scripts/gen/gen_man.py from the help of the program. Do not edit.',
           f'.TH {name.upper().replace("-", chr(92) + "-")} 1 "" "{escaped(version)}" "User Commands"',
           ".SH NAME", f"{escaped(name)} \\- {escaped(sentence)}", ".SH DESCRIPTION", *body(text)]
    for words, inner in tree(command, [], text):
        out += [f".SH {escaped(name.upper() + ' ' + ' '.join(words).upper())}", *body(inner)]
    return "\n".join(out) + "\n"


def main(arguments):
    if len(arguments) < 4:
        print(__doc__, file=sys.stderr)
        return 2
    name, sentence, file, *command = arguments
    try:
        text = page(name, sentence, command)
    except (ManError, OSError) as error:
        print(f"gen_man.py: {error}", file=sys.stderr)
        return 2
    path = pathlib.Path(file)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
