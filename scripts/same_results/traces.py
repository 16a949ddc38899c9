# SPDX-License-Identifier: BSD-3-Clause
"""Small synthetic traces for scripts/same-results, one writer for each trace format."""
import collections
import random

Row = collections.namedtuple("Row", "us write sector sectors")  # whole microseconds, units of 512 bytes


def rows(count=400, seed=1):
    """Requests with some locality, a sequential run and sizes of 1 to 64 sectors; addresses below 64 MiB."""
    draw = random.Random(seed)
    at, sector, result = 0, 0, []
    for number in range(count):
        at += draw.randrange(0, 400)
        sectors = draw.choice((1, 8, 8, 8, 16, 16, 32, 64))
        if number % 10 >= 3:
            sector = draw.randrange(0, 131072 - 64) if draw.random() < 0.5 else draw.randrange(0, 4096)
        result.append(Row(at, draw.random() < 0.4, sector, sectors))
        sector = (sector + sectors) % (131072 - 64)
    return result


def _lines(head, format_row, **options):
    return "".join(f"{line}\n" for line in [*head, *map(format_row, rows(**options))])


def _blkparse():
    lines = [f"  8,0    1 {number:8d} {r.us / 1e6:14.9f}   700  {action}   {'W' if r.write else 'R'} "
             f"{r.sector} + {r.sectors} [fio]"
             for number, r in enumerate(rows(), 1) for action in "QD"]
    return "\n".join([*lines, "CPU0 (8,0):", " Reads Queued: 1", ""])


FORMATS = {
    "spc": lambda: _lines([], lambda r: f"0,{r.sector},{r.sectors * 512},{'w' if r.write else 'r'},{r.us / 1e6:.6f}"),
    "msr": lambda: _lines([], lambda r: f"{128166372000000000 + 10 * r.us},host,0,{'Write' if r.write else 'Read'},"
                                        f"{r.sector * 512},{r.sectors * 512},100"),
    "ssdsim": lambda: _lines([], lambda r: f"{r.us * 1000} 0 {r.sector} {r.sectors} {0 if r.write else 1}"),
    "disksim": lambda: _lines([], lambda r: f"{r.us / 1e3:.3f} 0 {r.sector} {r.sectors} {0 if r.write else 1}"),
    "disksim-pages": lambda: _lines([], lambda r: f"{r.us / 1e3:.3f} 0 {r.sector // 8 * 8} {1 + r.sectors // 8} "
                                                  f"{0 if r.write else 1}"),
    "mqsim": lambda: _lines([], lambda r: f"{r.us * 1000} 0 {r.sector} {r.sectors} {0 if r.write else 1}"),
    "ioda": lambda: _lines([], lambda r: f"{r.us / 1e3:.3f} 0 {r.sector * 512} {r.sectors * 512} "
                                         f"{0 if r.write else 1}"),
    "blkparse": _blkparse,
    "blkreplay": lambda: _lines(["made up", "start ; sector; length ; op ;  replay_delay=0 ; replay_duration=0"],
                                lambda r: f"{r.us / 1e6:14.9f} ; {r.sector:10d} ; {r.sectors:3d} ; "
                                          f"{'W' if r.write else 'R'} ; 0.0 ; 0.0"),
    "fio-iolog": lambda: _lines(["fio version 3 iolog", "0 /dev/a add", "0 /dev/a open"],
                                lambda r: f"{r.us} /dev/a {'write' if r.write else 'read'} {r.sector * 512} "
                                          f"{r.sectors * 512}"),
    "fiu": lambda: _lines([], lambda r: f"{r.us * 1000} 12 made up {r.sector} {r.sectors} "
                                        f"{'W' if r.write else 'R'} 8 0 00112233445566778899aabbccddeeff"),
    "tencent": lambda: _lines([], lambda r: f"{1538323200 + r.us // 1000000},{r.sector},{r.sectors},"
                                            f"{1 if r.write else 0},1283"),
    "alibaba": lambda: _lines([], lambda r: f"7,{'W' if r.write else 'R'},{r.sector * 512},{r.sectors * 512},{r.us}"),
    "systor17": lambda: _lines(["Timestamp,Response,IOType,LUN,Offset,Size"],
                               lambda r: f"{1455580800 + r.us / 1e6:.6f},0.0001,{'W' if r.write else 'R'},0,"
                                         f"{r.sector * 512},{r.sectors * 512}"),
}


def columns():
    """A text for --trace-columns time:us,-,lba:sectors,size:bytes,op with skip=1."""
    return _lines(["when;who;where;much;what"],
                  lambda r: f"{r.us};me;{r.sector};{r.sectors * 512};{'write' if r.write else 'read'}")
