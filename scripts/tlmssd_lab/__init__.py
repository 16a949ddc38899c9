# SPDX-License-Identifier: BSD-3-Clause
"""The Python tools of tlmssd: runs, comparisons, sweeps, fits and reports.

`from tlmssd_lab import lab` gives the API; every name of `lab` is a name of this package, too
(`import tlmssd_lab as tl; tl.run(...)`).
"""

from __future__ import annotations

import sys
import types
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tlmssd_lab.lab import *  # noqa: F403

__version__ = "0.1.0"

_FUNCTIONS = ("compare", "fit", "report", "run", "sweep")  # of lab; packages have these names, too


def __getattr__(name: str) -> Any:
    """The names of lab.py, read when they are first used: pandas is slow to import."""
    if name in _FUNCTIONS:
        import tlmssd_lab.compare
        import tlmssd_lab.fit
        import tlmssd_lab.report
        import tlmssd_lab.run
        import tlmssd_lab.sweep

        return sys.modules[f"{__name__}.{name}"]
    if name != "lab":  # `from tlmssd_lab import lab` asks for it before it is imported
        from tlmssd_lab import lab

        if name in lab.__all__:
            return getattr(lab, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


class _FunctionPackage(types.ModuleType):
    """A sub-package that can be called as the function of lab that has its name."""

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        from tlmssd_lab import lab

        return getattr(lab, self.__name__.rpartition(".")[2])(*args, **keywords)


class _Package(types.ModuleType):
    """This package. Python sets an attribute of it for each sub-package that is imported."""

    def __setattr__(self, name: str, value: Any) -> None:
        if name in _FUNCTIONS and type(value) is types.ModuleType:
            value.__class__ = _FunctionPackage
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
