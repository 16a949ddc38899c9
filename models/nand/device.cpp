// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: tables and models that the dies of one device share.
#include "models/nand/device.h"

namespace tlmssd::nand {

namespace {

bool depends_on_wear(const config::Nand& n)
{
    return n.errors.enabled || n.array_variation != 0 || n.wear.read_change != 0 ||
           n.wear.program_change != 0 || n.wear.erase_change != 0;
}

} // namespace

Device::Device(PageStore& page_store, const config::Nand& part, onfi::ViolationSink& sink,
               u64 random_seed, u64 swap_page_registers_at)
    : store(page_store), nand(part), violations(sink), seed(random_seed),
      swap_at(swap_page_registers_at), time(part, page_store.geometry(), random_seed),
      errors(part, page_store.geometry(), random_seed), worn(depends_on_wear(part))
{
    const Geometry& g = store.geometry();
    if (errors.enabled()) {
        history = std::make_unique<BlockHistory>(g);
    }
    if (part.partial_programs > 1) {
        partials = std::make_unique<ZeroMemory<u8>>(u64{g.total_planes()} * g.blocks);
    }
}

} // namespace tlmssd::nand
