// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what a cut of the supply leaves in a LUN.
#include "models/nand/lun/lun.h"

namespace tlmssd::nand {

void Lun::tear(Job& job, Picoseconds now)
{
    if (job.op == ArrayOp::Program) {
        job.end = now;
        spend(job);
    } else if (job.op == ArrayOp::Erase) {
        for_planes(job.planes & ~job.broken, [&](u32 plane) {
            const Place place = place_of(plane, job.at[plane]);
            store_.tear_erase(place);
            if (device_.history) {
                device_.history->on_program(place, now); // charge of unknown age in all its cells
            }
        });
    }
    job.op = ArrayOp::None;
}

void Lun::power_off(Picoseconds now)
{
    advance(now);
    tear(job_, now);
    tear(suspended_, now);
    next_.op = ArrayOp::None; // in a register only: the cells know nothing of it
    power_cycle(now);
}

} // namespace tlmssd::nand
