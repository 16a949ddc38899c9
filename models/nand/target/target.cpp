// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: segments of a CE# that the target understands.
#include "models/nand/target/target.h"

namespace tlmssd::nand {

Target::Target(sc_core::sc_module_name module_name, time::EventQueue& event_queue,
               onfi::Channel& channel, u32 ce, Device& device)
    : sc_module(module_name), channel_(channel),
      features_(device.nand,
                device.cold_start ? config::BusInterface::Sdr : channel.timing().sheet.interface,
                device.cold_start ? 0 : channel.timing().sheet.mode),
      luns_(event_queue, channel, ce, device, features_),
      decoder_(luns_, features_, device,
               channel.index() * device.store.geometry().ces_per_channel() + ce),
      faults_(event_queue, device.faults, luns_.all())
{
}

void Target::reset_statistics()
{
    for (TimedLun& each : luns_.all()) {
        each.lun.reset_statistics();
    }
}

void Target::on_segment(onfi::Segment& segment)
{
    // Segments that a pin reader has put together carry no timing and are not judged.
    const onfi::BusTiming* timing = segment.timing;
    luns_.begin(segment, timing == nullptr ? channel_.timing() : *timing);
    if (timing == nullptr || features_.understands(*timing) || spoken_to(segment)) {
        decoder_.on_segment(segment);
    }
}

/// A segment driven in a way that the target is not set to. FFh is understood in any interface.
bool Target::spoken_to(const onfi::Segment& segment)
{
    if (segment.lead > 0 && segment.is_command(0) && segment.bytes[0] == onfi::cmd::kReset) {
        return true;
    }
    luns_.violate(onfi::Rule::WrongInterface);
    return false;
}

void Target::power_off(Picoseconds now)
{
    for (TimedLun& each : luns_.all()) {
        each.power_off(now);
    }
    decoder_.end_sequence();
}

} // namespace tlmssd::nand
