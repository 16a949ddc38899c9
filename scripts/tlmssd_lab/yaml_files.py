# SPDX-License-Identifier: BSD-3-Clause
"""Reading YAML files: the values alone, or with the line of each key, for messages that name it."""

from __future__ import annotations

import pathlib
from typing import Any

from tlmssd_lab.errors import LabInputError


def read_yaml(path: pathlib.Path) -> Any:
    """The values of a file. LabInputError where it cannot be read or is not YAML."""
    import yaml

    try:
        return yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise LabInputError(f"{path}: {error.strerror}") from None
    except (yaml.YAMLError, ValueError) as error:
        raise LabInputError(f"{path}: is not YAML: {' '.join(str(error).split())}") from None


class YamlLines:
    """The values of a file (`values`), and where each stands."""

    def __init__(self, path: pathlib.Path) -> None:
        import yaml

        self.path = path
        self._lines: dict[tuple[Any, ...], int] = {}
        try:
            text = path.read_text(encoding="utf-8")
            self._add((), yaml.compose(text, Loader=yaml.SafeLoader))
            self.values = yaml.safe_load(text)
        except OSError as error:
            raise LabInputError(f"{path}: {error.strerror}") from None
        except yaml.MarkedYAMLError as error:
            line = f":{error.problem_mark.line + 1}" if error.problem_mark else ""
            raise LabInputError(f"{path}{line}: is not YAML: {error.problem}") from None
        except (yaml.YAMLError, ValueError) as error:
            raise LabInputError(f"{path}: is not YAML: {' '.join(str(error).split())}") from None

    def _add(self, place: tuple[Any, ...], node: Any) -> None:
        import yaml

        if node is None:
            return
        self._lines.setdefault(place, node.start_mark.line + 1)
        if isinstance(node, yaml.MappingNode):
            for key, value in node.value:
                inside = (*place, key.value)
                if inside in self._lines:
                    raise LabInputError(
                        f"{self.path}:{key.start_mark.line + 1}: {key.value}: is given twice "
                        f"(line {self._lines[inside]})"
                    )
                self._lines[inside] = key.start_mark.line + 1
                self._add(inside, value)
        elif isinstance(node, yaml.SequenceNode):
            for number, value in enumerate(node.value):
                self._add((*place, number), value)

    def error(self, text: str, *place: Any) -> LabInputError:
        """To raise: file, line of the nearest place that the file has, key, text."""
        known = place
        while known and known not in self._lines:
            known = known[:-1]
        line = self._lines.get(known, 1)
        key = ".".join(str(part + 1) if isinstance(part, int) else str(part) for part in place)
        return LabInputError(f"{self.path}:{line}: {key + ': ' if key else ''}{text}")
