# SPDX-License-Identifier: BSD-3-Clause
"""Compares two revisions that do not write the same keys: by the values of the keys that both have."""
from .compare import Comparison

INPUTS = ("schema", "config", "config_hash", "wall")  # of results.json: no results of the model


def common(old, new):
    """Both documents without the keys that one of them lacks, in OLD's order. Lists of other lengths stay as they are."""
    if isinstance(old, dict) and isinstance(new, dict):
        pairs = {name: common(value, new[name]) for name, value in old.items() if name in new}
        return tuple({name: pair[side] for name, pair in pairs.items()} for side in (0, 1))
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        pairs = [common(*items) for items in zip(old, new)]
        return [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    return old, new


class CommonValues(Comparison):
    """Both sides' outcomes of one case: exit statuses, and the values of results.json and replay.json of which both
    sides have the key. Other files, messages, and keys of one side alone do not count."""

    def compares(self):
        """Whether a side has results at all."""
        return any(self.is_document(name) for side in (self.old, self.new) for name in side.files())

    def _files_differ(self, name, old, new):
        if self.is_document(name):
            yield from super()._files_differ(name, old, new)

    def _counted(self, old, new):
        results = [{name: value for name, value in document.items() if name not in INPUTS} for document in (old, new)]
        shared = common(*results)
        return shared if shared[0] else results  # nothing in common: they differ
