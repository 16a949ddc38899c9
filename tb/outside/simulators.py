#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Two simulators of one device as rules and times: 8 channels of 8 dies, pages of 8 KiB, NV-DDR2 at 333 MT/s,
75 / 750 us, a page map that costs nothing, no cache. Between the rules of MQSim and those of tlmssd lie six steps,
so that a difference in mean latency falls apart into causes (docs/notebook/other-simulator.md).

MQSim's rules are those of its sources: data out of a channel go before commands, and of a die reads before writes;
the bus is held for tWB and tRR after a command and carries no parity.

Usage: simulators.py CORE_US DEPTH LOAD   (LOAD: r4, r8, w8 or m8; prints the mean latency after each step)
"""

import sys
from dataclasses import replace

import channels
import forms

STEPS = ("its rules", "commands first", "in order", "bus times and parity", "ECC and DRAM", "core",
         "streams and tags")
SHARES = {"r": (1.0, 0.0), "w": (0.0, 1.0), "m": (0.7, 0.3)}
READ, PROGRAM = 75.0, 750.0
STREAMS, TAGS = 62, 128
ECC, DRAM_FIRST, DRAM_RATE = 1.0, 0.1, 6400.0  # us, us, bytes per us


def its_kinds(size):
    """The bus is held from chip select to tRR, or to tWB; there is no status."""
    command = (forms.T_CS + 6 * forms.T_WC + forms.T_WB + forms.T_RR) / 1000
    program = (forms.T_CS + 6 * forms.T_WC + forms.T_ADL + forms.T_END_IN + forms.T_WB) / 1000
    data = size / 2 * forms.T_EDGES / 1000
    return (channels.Kind(command, READ, data, last_has_data=True),
            channels.Kind(program + data, PROGRAM, 0.0, first_has_data=True))


def our_kinds(size):
    data = forms.bus_bytes(size // 512, 448, 16)
    return (channels.Kind(forms.read_command(), READ + forms.T_WB / 1000, forms.data_out(data), last_has_data=True),
            channels.Kind(forms.program_command(data + 16), PROGRAM + forms.T_WB / 1000, forms.status(),
                          first_has_data=True))


def devices(load, core):
    """The device after each step; `core`: time of a request on our core."""
    size = int(load[1:]) * 1024
    mix = lambda kinds: tuple(zip(SHARES[load[0]], kinds))
    device = channels.Device(8, 8, mix(its_kinds(size)), channels.Rule(commands_first=False, reads_first=True))
    found = [device]

    def step(**changes):
        found.append(replace(found[-1], **changes))

    step(rule=channels.Rule(reads_first=True))
    step(rule=channels.Rule())
    step(kinds=mix(our_kinds(size)), gap=forms.after_data_out())
    # to DRAM and from there; a program has its data read while they cross the bus
    step(delay=SHARES[load[0]][0] * (ECC + DRAM_FIRST + size / DRAM_RATE) + DRAM_FIRST + size / DRAM_RATE)
    step(core=(core / 2, core / 2))
    step(streams=STREAMS, tags=TAGS)
    return found


def latencies(load, depth, core, requests=20_000):
    """Mean latency in us after each step."""
    return [channels.simulate(device, depth, requests)[1] for device in devices(load, core)]


def main(words):
    if len(words) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    for name, latency in zip(STEPS, latencies(words[2], int(words[1]), float(words[0]))):
        print(f"{latency:8.1f}  {name}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
