# SPDX-License-Identifier: BSD-3-Clause
"""The variants of the device to compare, each under every load."""

from __future__ import annotations

import itertools
import os
import pathlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tlmssd_lab.errors import LabInputError
from tlmssd_lab.run.run import Trace


@dataclass(frozen=True)
class Variant:
    """One device: a configuration and the keys that set it apart."""

    config: str
    settings: Mapping[str, str] = field(default_factory=dict)

    def name(self, among: Sequence[Variant]) -> str:
        """Short, and different from the others' names: only what is not the same in all of them."""
        words = []
        if len({variant.config for variant in among}) > 1:
            words.append(_config_name(self.config, {variant.config for variant in among}))
        for key in varied_keys(among):
            value = self.settings.get(key)
            if value is not None:
                words.append(value if key in SHORT_KEYS else f"{key}={value}")
        if not words:
            words = [value for key, value in self.settings.items() if key in SHORT_KEYS]
        return " ".join(words) or pathlib.Path(self.config).stem


def _config_name(config: str, among: set[str]) -> str:
    """Its file's name without the end, or the path where another has the same name."""
    name = pathlib.Path(config).stem
    return name if sum(pathlib.Path(other).stem == name for other in among) == 1 else config


# Keys whose values speak for themselves.
SHORT_KEYS = {"scheduler": "scheduler", "controller.kind": "controller", "cpu.model": "cpu"}


@dataclass(frozen=True)
class Load:
    """A preset's name or path, or a trace; neither: what the configuration says."""

    workload: str | None = None
    trace: Trace | None = None

    @property
    def name(self) -> str:
        if self.trace is not None:
            return pathlib.Path(self.trace.path).name
        if self.workload is not None:
            is_path = "/" in self.workload or self.workload.endswith((".yaml", ".yml", ".fio"))
            return pathlib.Path(self.workload).stem if is_path else self.workload
        return "the configuration's workload"


def varied_keys(variants: Sequence[Variant]) -> list[str]:
    """The keys in which the variants differ, and scheduler and controller where any names them."""
    keys: dict[str, set[str | None]] = {}
    for key in itertools.chain.from_iterable(variant.settings for variant in variants):
        keys.setdefault(key, {variant.settings.get(key) for variant in variants})
    return [
        key
        for key, values in keys.items()
        if len(values) > 1 or key in ("scheduler", "controller.kind")
    ]


def product(
    configs: Sequence[str | os.PathLike],
    axes: Mapping[str, Sequence[str]],
    extra: Sequence[Mapping[str, str]] = (),
    common: Mapping[str, str] | None = None,
) -> list[Variant]:
    """Every configuration with every combination of the axes' values, the first axis slowest; then
    each configuration with each map of `extra`. `common` applies to all. Without axes, `extra`
    stands alone."""
    for key in axes:
        if key in (common or {}):
            raise LabInputError(f"{key}: is set for all variants and varied too")
    variants: list[Variant] = []
    for config in configs:
        path = os.fspath(config)
        combinations = []
        if axes or not extra:
            combinations = [dict(zip(axes, values)) for values in itertools.product(*axes.values())]
        for settings in [*combinations, *extra]:
            variant = Variant(path, {**(common or {}), **settings})
            if variant in variants:
                raise LabInputError(
                    f"variant '{variant.name([*variants, variant])}' is asked for twice"
                )
            variants.append(variant)
    return variants
