#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Make configs/workloads/fitted-*.yaml of the real pieces in $TLMSSD_TRACES (default: shared/traces beside the repository).

Usage: gen_fitted_presets.py [NAME...]
Prints the table of each fit. docs/explanation/locality.md has the numbers.
"""
import dataclasses
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

from tlmssd_lab import lab  # noqa: E402
from tlmssd_lab.figures.experiment_points import traces_folder  # noqa: E402


@dataclasses.dataclass(frozen=True)
class Piece:
    """A preset and the piece that it is fitted to."""

    name: str
    file: str
    format: str
    about: str
    settings: dict[str, str] = dataclasses.field(default_factory=dict)
    lenient: bool = False
    points: float = 3.0  # the preset's hit ratios may differ from the piece's

    def fit(self, folder: pathlib.Path, out: pathlib.Path | None, binary=None) -> lab.WorkloadFit:
        return lab.fit_workload(
            lab.Trace(folder / self.file, self.format), out=out, settings=self.settings,
            lenient=self.lenient, about=self.about, binary=binary)


CONCAT = {"workload.devices": "concat"}
PIECES = [
    Piece("fitted-financial1", "umass/Financial1_rows3-50002.disksim_pages.trace.xz", "disksim-pages",
          "Locality of Financial1 (UMass), rows 3 to 50,002 of 5.3 million, sizes in pages of 4 KiB."),
    Piece("fitted-websearch1", "umass/WebSearch1_first50000.disksim_pages.trace.xz", "disksim-pages",
          "Locality of WebSearch1 (UMass), the first 50,000 of 1.06 million rows."),
    Piece("fitted-prxy0", "msr/prxy_0_section20000.csv.xz", "msr",
          "Locality of prxy_0 (MSR Cambridge), a section of 20,000 rows."),
    Piece("fitted-tpcc", "msprod/TPCC_first6999.mqsim.trace.xz", "mqsim",
          "Locality of TPC-C (Microsoft production), a section of 6,999 rows.", CONCAT),
    Piece("fitted-mail", "fiu/cheetah_mail_9997.blkparse.txt.xz", "fiu",
          "Locality of the mail server cheetah (FIU IODedup), the leading 9,997 rows.", {}, True),
    Piece("fitted-tencent", "tencent/tencent_cbs_20180113_10000.csv.xz", "tencent",
          "Locality of Tencent cloud block storage, 10,000 rows of one second, 66 volumes end to end.", CONCAT),
    Piece("fitted-mysql", "blkreplay/linux-mysql.load.gz", "blkreplay",
          "Locality of a MySQL server (1&1, blkreplay), one hour.", {}, True, points=5.0),
    Piece("fitted-desktop", "pc/desktop_32527.disksim_pages.trace.xz", "disksim-pages",
          "Locality of a desktop PC, 2.5 hours, origin not stated, sizes in pages of 4 KiB.", points=5.0),
    Piece("fitted-hadoop", "blkparse/hadoop_hdd_50000events.blkparse.txt.xz", "blkparse",
          "Locality of a hard disk of a Hadoop data node, 15,524 requests.",
          {"workload.blkparse_action": "Q", "workload.sort": "true"}, True),
]


def main() -> None:
    wanted = sys.argv[1:]
    unknown = set(wanted) - {piece.name for piece in PIECES}
    if unknown:
        sys.exit(f"gen_fitted_presets: no preset {', '.join(sorted(unknown))}")
    folder = traces_folder()
    for piece in PIECES:
        if not wanted or piece.name in wanted:
            found = piece.fit(folder, ROOT / f"configs/workloads/{piece.name}.yaml")
            print(found.text)


if __name__ == "__main__":
    main()
