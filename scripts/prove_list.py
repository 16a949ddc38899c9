# SPDX-License-Identifier: BSD-3-Clause
"""tlmssd: the proofs that scripts/prove runs: harness, shape, engine, depth, mutants. docs/rtl-proofs.md."""
import dataclasses

import rtl_faults


@dataclasses.dataclass(frozen=True)
class Proof:
    """One harness in one shape. depth: edges after the reset's for bounded engines, k for induct; cover: edges
    within which its covers have to be reached (0: it has none); covers: how many, where bmc3 finds them."""
    name: str
    file: str
    top: str
    what: str
    mutants: tuple
    engine: str = "pdr"
    depth: int = 0
    cover: int = 12
    cover_by: str = ""
    covers: int = 1
    params: dict = dataclasses.field(default_factory=dict)
    replace: tuple = ()
    short: bool = False

    @property
    def smt(self):
        return self.engine in ("bmc", "induct") or (self.cover and self.cover_by != "bmc3" and self.engine != "bmc3")

    @property
    def aig(self):
        return self.engine in ("pdr", "bmc3") or self.cover_by == "bmc3"

    def faults(self):
        return [rtl_faults.named(name) for name in self.mutants]

    def with_cover(self, number):
        return dataclasses.replace(self, params={**self.params, "COVER": number})


PROOFS = (
    Proof("fifo", "prove_fifo.sv", "prove_fifo", "o3_fifo: each word once, in order",
          ("fifo-pointer-skips", "fifo-any-of-address"), short=True),
    Proof("bus", "prove_bus.sv", "prove_bus", "o3_bus: one grant, to who waits; starvation bounds; 2 LUNs, 32 passes",
          ("bus-passes-unbounded",), cover=70),
    Proof("bus-4", "prove_bus.sv", "prove_bus", "o3_bus: the same with 4 LUNs, 3 passes",
          ("bus-burst-where-it-may-not",), params={"LUNS": 4, "PASSES": 3}, cover=20),
    Proof("choose", "prove_choose.sv", "prove_choose", "o3_choose: never one that waits; the oldest, the most urgent",
          ("choose-ignores-waits",), cover=1),
    Proof("store", "prove_store.sv", "prove_store", "o3_store: the table of dependencies; descriptors",
          ("store-one-plane-too-few",), engine="bmc3", depth=16, cover=14),
    Proof("stations", "prove_stations.sv", "prove_stations", "o3_stations: once, not before what it waits for, not behind a shut fence",
          (), cover=16, covers=2),
    Proof("intake", "prove_intake.sv", "prove_intake", "o3_intake: in order, each once, with exactly what it depends on",
          (), cover=30, covers=2),
    Proof("retire", "prove_retire.sv", "prove_retire", "o3_retire: once, after its end, in the order of its stream; fences; none forgotten",
          (), cover=30, covers=2),
    Proof("controller", "prove_controller.sv", "prove_controller", "o3_controller 2x2",
          (), engine="bmc3", depth=20, cover=40, covers=5),
)
