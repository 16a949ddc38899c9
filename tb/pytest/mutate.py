# SPDX-License-Identifier: BSD-3-Clause
"""Deterministic damage to text files: what people and disks do to configurations and traces."""

JUNK = ["", "-1", "0", "1e309", "nan", "0x10", "18446744073709551616", "99999999999999999999999", "1.5",
        "true", "[]", "{}", "[1, 2]", "{a: b}", "~", "'", '"', "&a", "*a", "!!int", "%", "\t", "\x00", "\x1b",
        "é", "\u202e", "4 KiB", "4kk", "4q", "../../etc", "A" * 300, "on", "yes", "-", ":", "#", "0.0.0", "1,2"]


def change_character(rng, text):
    at = rng.randrange(len(text))
    return text[:at] + rng.choice("aZ09 :-#'\"{}[],.\n\t_éX") + text[at + 1:]


def delete_characters(rng, text):
    at = rng.randrange(len(text))
    return text[:at] + text[at + rng.randint(1, 8):]


def cut_short(rng, text):
    return text[:rng.randrange(len(text))]


def of_lines(change):
    """Makes a change of a list of lines, at a random place, a change of text."""
    def changed(rng, text):
        lines = text.splitlines(keepends=True)
        change(rng, lines, rng.randrange(len(lines)))
        return "".join(lines)
    changed.__name__ = change.__name__
    return changed


@of_lines
def repeat_line(rng, lines, at):
    lines.insert(rng.randrange(len(lines) + 1), lines[at])


@of_lines
def delete_line(_, lines, at):
    del lines[at]


@of_lines
def swap_lines(rng, lines, at):
    other = rng.randrange(len(lines))
    lines[at], lines[other] = lines[other], lines[at]


@of_lines
def indent_line(rng, lines, at):
    lines[at] = " " * rng.randint(1, 5) + lines[at]


@of_lines
def insert_junk_line(rng, lines, at):
    lines.insert(at, rng.choice(JUNK) + "\n")


def replace_word(rng, text):
    """Some word, number or quoted text becomes junk."""
    starts = [i for i in range(1, len(text)) if text[i].isalnum() and not text[i - 1].isalnum()]
    if not starts:
        return text + rng.choice(JUNK)
    begin = rng.choice(starts)
    end = begin
    while end < len(text) and (text[end].isalnum() or text[end] in "._-"):
        end += 1
    return text[:begin] + rng.choice(JUNK) + text[end:]


CHANGES = [change_character, delete_characters, cut_short, repeat_line, delete_line, swap_lines,
           indent_line, insert_junk_line, replace_word, replace_word, replace_word]


def mutate(rng, text):
    """One to three changes; the result may by chance still be valid, or even the same."""
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        if text:
            text = rng.choice(CHANGES)(rng, text)
    return text
