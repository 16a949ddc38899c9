# SPDX-License-Identifier: BSD-3-Clause
"""A fill by arithmetic: equal results with and without it, and a large device that starts at once."""
import json

import pytest

from cli import deterministic

# 128 page buffers: a rehearsal is short, so that most of the 890,000 pages are arithmetic.
SMALL_BUFFER = ["buffer.size_mib=1"]
SETS = [
    "scheduler=inorder",
    "scheduler=vaq",
    "scheduler=paq2",
    "scheduler=host",
    "scheduler=hybrid",
    "buffer.policy=fifo",
    "buffer.policy=cflru",
    "precondition.overwrite=0.05",
    "precondition.fill=0.7",
    "ftl.mapping=dftl",
    "ftl.mapping=log_block",
    "ftl.recovery=scan",
    "controller.kind=rtl",
]


def run(tlmssd, out, arithmetic, *sets):
    return tlmssd.run(out, "--workload", "mixed-70-30-4k", "--no-cache",
                      sets=["workload.requests=2000", *SMALL_BUFFER, f"precondition.arithmetic={arithmetic}", *sets])


@pytest.mark.parametrize("key", SETS)
def test_results_are_equal_with_and_without(tlmssd, tmp_path, key):
    texts = [run(tlmssd, tmp_path / word, word, key) for word in ("true", "false")]
    assert json.loads(texts[0])["config_hash"] == json.loads(texts[1])["config_hash"]
    first, second = (deterministic(text, ["config.precondition.arithmetic"]) for text in texts)
    assert first == second


def test_a_device_of_512_gib_needs_less_than_1_gb(tlmssd, tmp_path):
    """4 x 4 x 2 x 2 planes of 4096 blocks of 256 pages of 8 KiB. Written, its tags alone would take 1.8 GB."""
    text = tlmssd.run(tmp_path / "out", "--workload", "randread-4k", "--no-cache",
                      sets=["workload.requests=1", "geometry.blocks=4096"])
    results = json.loads(text)
    # 2^26 pages, of which 1 / 1.15 are the host's, give or take the rounding to whole pages of a plane
    assert abs(results["precondition"]["filled"] - 2**26 / 1.15) < 2**14
    assert results["integrity"]["mismatches"] == 0
    assert results["wall"]["peak_rss_mib"] < 1e9 / 2**20
