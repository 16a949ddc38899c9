# SPDX-License-Identifier: BSD-3-Clause
"""Reads wave files through fst2vcd of GTKWave."""
import bisect
import subprocess


class Waves:
    """The signals of a file: dotted name without range -> changes (ps, number), bits, names of values."""

    def __init__(self, path):
        done = subprocess.run(["fst2vcd", "-e", "-f", str(path)], capture_output=True, text=True, check=True)
        self.changes, self.bits, self.enums = {}, {}, {}
        codes, scopes, tables, table, now, head = {}, [], {}, None, 0, True
        for line in done.stdout.splitlines():
            words = line.split()
            if not words:
                continue
            if words[0] == "$scope":
                scopes.append(words[2])
            elif words[0] == "$upscope":
                scopes.pop()
            elif words[:3] == ["$attrbegin", "misc", "07"]:
                if words[3] == '""':  # refers to a table by its number
                    table = tables[words[4]]
                else:
                    count = int(words[4])
                    values = [int(digits, 2) for digits in words[5 + count:5 + 2 * count]]
                    tables[words[5 + 2 * count]] = dict(zip(values, words[5:5 + count]))
            elif words[0] == "$var":
                name = ".".join([*scopes, words[4]])
                self.bits[name] = int(words[2])
                self.changes[name] = codes.setdefault(words[3], [])
                if table is not None:
                    self.enums[name] = table
                    table = None
            elif words[0] == "$enddefinitions":
                head = False
            elif head:
                continue  # date, time scale
            elif words[0].startswith("#"):
                now = int(words[0][1:])
            elif words[0][0] == "b":
                codes[words[1]].append((now, int(words[0][1:], 2)))
            elif words[0][0] in "01" and len(words) == 1:
                codes[words[0][1:]].append((now, int(words[0][0])))
        self.end = now

    def named(self, name):
        """The changes of a signal with the names of its values."""
        return [(time, self.enums[name].get(value, value)) for time, value in self.changes[name]]

    def at(self, name, time):
        """The value at a time."""
        changes = self.changes[name]
        return changes[bisect.bisect_right(changes, (time, float("inf"))) - 1][1]
