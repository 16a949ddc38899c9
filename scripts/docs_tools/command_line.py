# SPDX-License-Identifier: BSD-3-Clause
"""docs/reference/command-line.md: the help of every program and of each of its verbs."""

from docs_tools.programs import ROOT, Programs

HEAD = """# Command line

The help of each program, as the program prints it. `scripts/gen/gen_reference.py --write` makes this page.
What a status means: [exit-status.md](exit-status.md). Every key of `--set`: [configuration](../../configs/README.md).
Some pages write `tlmssd` and `tlmssd-lab` for short. In the root of a clone this makes the short names work:

    export PATH=$PWD/build/release/bin:$PWD/.venv/bin:$PATH

A device or workload is named (`tlmssd list devices`) or given as a file. `tlmssd describe` is the dry run.
An installation has man pages and completion for bash, zsh and fish. In a clone, `source scripts/completion/tlmssd.bash`
gives bash the completion, `source scripts/completion/tlmssd.fish` gives it to fish. For zsh the folder
`scripts/completion` must be in `fpath` before `compinit`.
"""
# Program and what it is for.
PROGRAMS = (
    ("tlmssd", "The model: runs, devices, checks."),
    ("tlmssd-lab", "The Python tools: comparisons, sweeps, fits, reports. `tlmssd-tools` is another name."),
    ("tlmssd-keys", "Makes what is derived from the keys of the configuration. For developers."),
    ("tlmssd-results", "Makes what is derived from the statistics of results. For developers."),
)
INSIDE = {f"scripts/{name}.py" for name in ("check_skips", "bench_runs", "rtl_sources")}  # parts of others


def page(programs: Programs) -> str:
    parts = [HEAD]
    for name, purpose in PROGRAMS:
        parts.append(f"## {name}\n\n{purpose}\n")
        parts += [_section(words, text) for words, text in tree(programs, [name])]
    parts.append("## Scripts\n\nThey are run from a clone of the repository.\n")
    parts += [_section([name], programs.help([name])) for name in scripts()]
    return "\n".join(parts)


def scripts() -> list[str]:
    """The scripts that a user runs: all that can be run, but for those that other scripts alone call."""
    found = [f"scripts/{path.name}" for path in sorted((ROOT / "scripts").iterdir())
             if path.is_file() and path.stat().st_mode & 0o100]
    return [name for name in found if name not in INSIDE]


def tree(programs: Programs, words: list[str]) -> list[tuple[list[str], str]]:
    """(program and verbs, help) of a program and of each of its verbs."""
    text = programs.help(words)
    found = [(words, text)]
    for verb in programs.verbs(text):
        found += tree(programs, [*words, verb])
    return found


def _section(words: list[str], text: str) -> str:
    level = "###" if len(words) > 1 or words[0].startswith("scripts/") else None
    title = f"{level} {' '.join(words)}\n\n" if level else ""
    return f"{title}```text\n{text}\n```\n"
