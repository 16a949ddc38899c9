# SPDX-License-Identifier: BSD-3-Clause
"""Compares two revisions that do not write the same keys: by the values that both have."""
from .compare import Comparison, Difference, dump
from .renames import join

INPUTS = ("schema", "config", "config_hash", "wall")  # of results.json: no results of the model


def values(node, path=""):
    """Path -> value of each leaf of a document; an empty object or list is one."""
    pairs = []
    if isinstance(node, dict):
        pairs = [(join(path, name), value) for name, value in node.items()]
    elif isinstance(node, list):
        pairs = [(f"{path}[{i}]", value) for i, value in enumerate(node)]
    if not pairs:
        return {path: node}
    return {leaf: value for here, child in pairs for leaf, value in values(child, here).items()}


class CommonValues(Comparison):
    """Both sides' outcomes of one case: exit statuses, and the values of results.json and replay.json of which both
    sides have the key. Other files, messages, and keys of one side alone do not count."""

    def compares(self):
        """Whether a side has results at all."""
        return any(self.is_document(name) for side in (self.old, self.new) for name in side.files())

    def _files_differ(self, name, old, new):
        if self.is_document(name):
            yield from super()._files_differ(name, old, new)

    def _json(self, name, old, new):
        old, new = self.old.plain_tree(old), self.new.plain_tree(new)
        old, new, moved, found = self.names.document(old, new)
        pairs = [(path, before, found.get(path, [])) for path, before in moved.items() if path in found]
        sides = [values({key: value for key, value in self._without(document, "").items() if key not in INPUTS})
                 for document in (old, new)]
        pairs += [(path, sides[0][path], sides[1][path]) for path in sides[0] if path in sides[1]]
        if not pairs:
            yield Difference(f"{name}: no key in common", *(f"{len(side)} values" for side in sides), fatal=True)
        other = [pair for pair in pairs if dump(pair[1]) != dump(pair[2])]
        if other:
            path, before, after = other[0]
            yield Difference(f"{name}: {len(other)} of {len(pairs)} values, the first {path}", dump(before), dump(after))
