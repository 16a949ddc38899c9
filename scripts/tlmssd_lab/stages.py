# SPDX-License-Identifier: BSD-3-Clause
"""The stages of a request in the order of the path: words, colours and hatches (docs/explanation/stages.md)."""

STAGES = ("link", "hil", "buffer", "ftl", "sched", "wait_die", "wait_bus", "cell", "transfer", "dram")
STAGE_TEXTS = {
    "link": "host link", "hil": "host interface (firmware)", "buffer": "buffer and wait for it",
    "ftl": "FTL and wait for a block", "sched": "scheduler and its queue",
    "wait_die": "wait for the die", "wait_bus": "wait for the bus", "cell": "cell array",
    "transfer": "transfer on the channel", "dram": "DRAM and ECC"}
# Firmware modules in light tints, waits dark, the flash itself in strong colours.
STAGE_LOOKS = {
    "link": ("#999999", ""), "hil": ("#f0e442", "..."), "buffer": ("#f7d08a", "|||"),
    "ftl": ("#cfe8c9", "---"), "sched": ("#e3aecb", "xxx"), "wait_die": ("#e07b39", "///"),
    "wait_bus": ("#4f9bd0", "\\\\\\"), "cell": ("#e69f00", ""), "transfer": ("#56b4e9", "..."),
    "dram": ("#009e73", "++")}
