#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Print the skipped tests of JUnit files; where CI=true, fail on one that is not allowed.

Usage: check_skips.py ALLOWED JUNIT.xml...
ALLOWED holds one regular expression a line, matched against "name: reason"; `#` starts a comment.
"""
import os
import pathlib
import re
import sys
import xml.etree.ElementTree as ElementTree


def read_allowed(path):
    """The compiled patterns of the file; exits with 2 on a bad one."""
    patterns = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        line = line.strip()
        if line and not line.startswith("#"):
            try:
                patterns.append(re.compile(line))
            except re.error as error:
                sys.exit(f"{path}:{number}: not a regular expression: {error}")
    return patterns


def reason_of(case, skipped):
    """GoogleTest's own words from the test's output, else the runner's message."""
    output = case.findtext("system-out") or ""
    told = re.search(r"Skipped\n(.*?)\n*\[  SKIPPED \]", output, re.DOTALL)
    text = told.group(1) if told else skipped.get("message") or ""
    return " ".join(text.split())


def skipped_tests(path):
    """Yield "name: reason" of each skipped test of one JUnit file."""
    for case in ElementTree.parse(path).getroot().iter("testcase"):
        skipped = case.find("skipped")
        if skipped is not None or case.get("status") in ("notrun", "disabled"):
            name = case.get("name", "?")
            place = case.get("classname", "")
            if place and place != name:
                name = f"{place}.{name}"
            yield f"{name}: {reason_of(case, skipped if skipped is not None else case)}"


def main(arguments):
    if len(arguments) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    allowed = read_allowed(pathlib.Path(arguments[0]))
    strict = os.environ.get("CI") == "true"
    total = refused = 0
    for path in arguments[1:]:
        if not pathlib.Path(path).exists():
            print(f"check_skips: {path} is missing: its runner did not finish")
            return 1
        for entry in skipped_tests(path):
            total += 1
            listed = any(pattern.search(entry) for pattern in allowed)
            refused += not listed
            print(f"skipped ({'listed' if listed else 'NOT LISTED'}): {entry}")
    print(f"{total} skipped, {refused} of them not in {arguments[0]}")
    return 1 if strict and refused else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
