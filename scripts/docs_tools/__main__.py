# SPDX-License-Identifier: BSD-3-Clause
"""Makes the pages and the settings from which MkDocs builds the site (scripts/docs calls it)."""

import pathlib
import re
import shutil
import sys

from docs_tools import interfaces, menu, pages


def main(words: list[str]) -> int:
    if len(words) != 1:
        print("usage: python -m docs_tools FOLDER", file=sys.stderr)
        return 2
    out = pathlib.Path(words[0])
    docs = out / "docs"
    shutil.rmtree(docs, ignore_errors=True)
    docs.mkdir(parents=True)
    pages.gather(docs)
    interfaces.write(docs / "reference")
    menu.write(out)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except menu.MenuError as error:
        print(f"scripts/docs: {error}", file=sys.stderr)
        sys.exit(1)
    except OSError as error:  # a full disk
        # copytree() has a list of (from, to, why).
        why = error.strerror
        if isinstance(error, shutil.Error):
            why = re.sub(r"^\[Errno \d+\] ", "", error.args[0][0][2]).split(": ")[0]
        print(f"scripts/docs: {error.filename or sys.argv[1]}: {why}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)  # scripts/docs says so
