# SPDX-License-Identifier: BSD-3-Clause
"""fio's own verification on every scheduler of `tlmssd serve`, on sound hardware and on bad."""
import pytest

from serving import SCHEDULERS, Served, require

# Bit errors near what ECC corrects, so that some reads are tried again; programs and erases that fail, and
# blocks enough to lose some; a broken frame in some hundreds.
FLASH = ["nand.errors.enabled=true", "nand.errors.e=0.006", "controller.read_retries=7",
         "nand.errors.program_fail=0.0005", "nand.errors.erase_fail=0.002", "geometry.blocks=64", "ftl.over_provisioning=0.75"]
LINK = ["sata.bit_error_rate=1e-7"]


def mixed(ssd):
    """Random writes, reads, trims and flushes; what fio has written it reads again, as a whole and on the way."""
    return ssd.fio({"rw": "randrw", "offset": 0, "size": "2m", "bssplit": "512/10:4k/50:8k/20:32k/20", "fsync": 30,
                    "verify_backlog": 64, "loops": 6},
                   {"rw": "randwrite", "offset": "2m", "size": "2m", "fsync": 50, "loops": 6},
                   {"rw": "randtrim", "bs": "16k", "offset": "4m", "size": "2m", "verify": 0, "loops": 4},
                   {"rw": "randrw", "offset": "4m", "size": "2m", "bs": "8k", "verify": 0, "loops": 2})


@pytest.mark.parametrize("sets", [[], [*FLASH, *LINK]], ids=["sound", "errors"])
@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_fio_reads_what_it_has_written(tlmssd, tmp_path, scheduler, sets):
    require("fio")
    with Served(tlmssd, tmp_path, sets=[f"scheduler={scheduler}", *sets]) as ssd:
        assert all(job["error"] == 0 for job in mixed(ssd))
        results = ssd.stop()
    host, ftl = results["host"], results["ftl"]
    assert results["integrity"]["mismatches"] == 0
    assert sets or ftl["gc"]["runs"] > 0
    assert host["reads"]["count"] > 1000 and host["writes"]["count"] > 2000
    assert host["trims"]["count"] > 300 and host["flushes"]["count"] > 50
    if sets:
        assert host["sata"]["frames_repeated"] > 0
        assert results["ecc"]["retries"] > 0
        assert ftl["program_fails"] > 0
    assert host["errors"] == {"reads": 0, "writes": 0, "others": 0}
