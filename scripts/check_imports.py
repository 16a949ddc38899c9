#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Check that every import of tlmssd_lab points downward, and that no files import each other in a circle.

Usage: check_imports.py [--root DIR]
Every import statement counts, also in a function and under TYPE_CHECKING.
Prints one line "file:line: message" for each violation; exit status 1 if there is one.
"""
import argparse
import ast
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
NAME = "tlmssd_lab"
PLACE = pathlib.PurePath("scripts", NAME)

# The one table, lowest level first. A package may import itself and every lower level; packages of
# one level never import each other. "base" is the files beside the packages, but for those that the
# table names themselves.
LEVELS = (
    ("base",),
    ("run",),
    ("calibrate", "compare", "figures", "fit", "fsync", "locality", "report", "sweep"),
    ("reproduce",),
    ("api",),
    ("lab",),  # lab.py: the public Python API
    ("__init__",),  # the package itself, which has the names of lab.py
    ("cli",),
)
LEVEL_OF = {package: number for number, level in enumerate(LEVELS) for package in level}


class Checker:
    """`imports`: for each file the files that it imports, each with the first line that does."""

    def __init__(self, root):
        self.root = root
        self.base = root / PLACE
        self.problems = []
        self.imports = {}
        found = sorted(self.base.rglob("*.py"))
        self.files = {self.module_of(path): path for path in found}

    def module_of(self, path):
        """The dotted name of a file; a package's __init__.py has the name of the package."""
        parts = path.relative_to(self.base).with_suffix("").parts
        return ".".join([NAME, *(parts[:-1] if parts[-1] == "__init__" else parts)])

    def complain(self, path, line, message):
        self.problems.append(f"{path.relative_to(self.root)}:{line}: {message}")

    def package_of(self, path):
        """The row of the table that a file belongs to."""
        parts = path.relative_to(self.base).parts
        if len(parts) > 1:
            return parts[0]
        return path.stem if path.stem in LEVEL_OF else "base"

    def targets(self, path, node):
        """Yield the dotted name of each module or member that a statement imports from tlmssd_lab."""
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
            return
        module = node.module or ""
        if node.level:
            folder = path.relative_to(self.base).parent.parts
            if node.level > len(folder) + 1:
                self.complain(path, node.lineno, f"a relative import leaves {NAME}")
                return
            above = [NAME, *folder][: len(folder) + 2 - node.level]
            module = ".".join([*above, module] if module else above)
        yield from (f"{module}.{alias.name}" for alias in node.names)

    def file_of(self, name):
        """The file of a module, or of the module whose member the name is; None where neither exists."""
        owner = name.rpartition(".")[0]
        return self.files.get(name) or self.files.get(owner)

    def read(self, path):
        try:
            tree = ast.parse(path.read_text(encoding="utf-8"))
        except SyntaxError as error:
            self.complain(path, error.lineno or 0, f"cannot be parsed: {error.msg}")
            return
        for node in ast.walk(tree):
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                for name in self.targets(path, node):
                    self.add(path, node.lineno, name)
            elif isinstance(node, ast.Call) and _callee(node) in ("import_module", "__import__"):
                self.complain(path, node.lineno, "an import by a name in a text cannot be checked")

    def add(self, path, line, name):
        if name.split(".")[0] != NAME:
            return
        target = self.file_of(name)
        if target is None:
            self.complain(path, line, f"there is no {name}")
            return
        lines = self.imports[path]
        lines[target] = min(line, lines.get(target, line))

    def check_edges(self, path):
        package = self.package_of(path)
        if package not in LEVEL_OF:
            return
        for target, line in sorted(self.imports[path].items()):
            other = self.package_of(target)
            if other != package and LEVEL_OF.get(other, -1) >= LEVEL_OF[package]:
                self.complain(path, line, f"{package} may not import {target.relative_to(self.base)}")

    def check_packages(self):
        for folder in sorted({path.parent for path in self.files.values()}):
            if not (folder / "__init__.py").is_file():
                self.complain(folder, 0, "a folder with code and without __init__.py is not installed")
            if folder.parent == self.base and folder.name not in LEVEL_OF:
                self.complain(folder, 0, "a package that the table in check_imports.py does not name")
        for package in LEVEL_OF:
            path = self.base / package
            if package != "base" and not path.is_dir() and not path.with_suffix(".py").is_file():
                self.complain(self.base, 0, f"has no {package}, which the table in check_imports.py names")

    def check_circles(self):
        """A line for each group of files that reach each other: a shortest circle through its first."""
        for group in _groups(self.imports):
            first = min(group)
            circle = _shortest(self.imports, first, group)
            names = " imports ".join(str(path.relative_to(self.base)) for path in [*circle, first])
            line = self.imports[first][circle[1] if len(circle) > 1 else first]
            self.complain(first, line, f"a circle: {names}")

    def run(self):
        self.imports = {path: {} for path in self.files.values()}
        for path in self.files.values():
            self.read(path)
        self.check_packages()
        for path in self.files.values():
            self.check_edges(path)
        self.check_circles()
        return self.problems


def _callee(call):
    return getattr(call.func, "attr", getattr(call.func, "id", None))


def _reached(imports, start):
    """All files that can be reached from `start` by one import or more."""
    found, left = set(), [start]
    while left:
        for target in imports[left.pop()]:
            if target not in found:
                found.add(target)
                left.append(target)
    return found


def _groups(imports):
    """The sets of files of which each reaches each other; a file that imports itself is one."""
    reached = {path: _reached(imports, path) for path in imports}
    groups = []
    for path in sorted(imports):
        if path in reached[path] and not any(path in group for group in groups):
            groups.append({other for other in reached[path] if path in reached[other]})
    return groups


def _shortest(imports, start, group):
    """The files of a shortest circle from `start` back to it."""
    paths = [[start]]
    for path in paths:  # grows: breadth first
        for target in sorted(imports[path[-1]]):
            if target == start:
                return path
            if target in group and not any(target in other for other in paths):
                paths.append([*path, target])
    raise AssertionError("a group of circles has one through each of its files")


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=pathlib.Path, default=ROOT, help="the tree to check")
    root = parser.parse_args(arguments).root.resolve()
    if not (root / PLACE).is_dir():
        print(f"check_imports: no {PLACE}/ in {root}", file=sys.stderr)
        return 2
    checker = Checker(root)
    problems = checker.run()
    for problem in problems:
        print(problem)
    print(f"check_imports: {len(problems)} violations" if problems else
          f"check_imports: every import points downward ({len(checker.files)} files)")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
