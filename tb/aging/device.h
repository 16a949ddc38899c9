// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a device without time, and whether two of them are the same in all their memory.
#pragma once

#include <string>

#include "firmware/boot/firmware.h"
#include "models/aging/functional_world.h"
#include "models/common/hash.h"
#include "models/cpu/native_executor.h"
#include "models/ssd/aged_device.h"
#include "models/time/event_queue.h"

namespace tlmssd::tb {

/// 2 x 1 x 2 x 2 planes of 24 blocks of 16 pages of 8 KiB, written once and overwritten at random.
inline std::string small(const std::string& more)
{
    return R"(
nand: {page_bytes: 8192, spare_bytes: 448}
geometry: {channels: 2, ways: 1, dies: 2, planes: 2, blocks: 24, pages: 16}
host: {kind: direct}
precondition: {fill: 1.0, overwrite: 0.5}
)" + more;
}

/// One that is alike but for where it stands in memory.
struct Device {
    explicit Device(const std::string& text)
        : config(config::load_text(text, "test", config::Overrides{})), image(config),
          dram(sc_core::sc_gen_unique_name("dram"), queue, config.dram, config.geometry,
               image.buffer_bytes() + config.geometry.page_bytes, config.data),
          executor(image.state()), store(config.geometry, config.data),
          versions(config.logical_sectors() / config.geometry.sectors_per_unit()),
          world(executor, config.geometry, store, dram, versions)
    {
        const fw& firmware = image.state();
        dram.map_oob(firmware.cfg.oob_base, firmware.oob, u64{firmware.cfg.flash_tags} * 64);
        if (const u32 bytes = fw_table_bytes(&firmware.cfg); bytes != 0) {
            dram.map_tables(fw_table_base(&firmware.cfg), fw_table_pages(&firmware), bytes);
        }
    }
    ssd::AgedDevice aged(const std::string& folder)
    {
        return ssd::AgedDevice(config, image, store, dram, versions, folder);
    }
    aging::PreconditionReport age() { return aging::precondition(aging::AgingOptions::of(config), world); }
    void go_on()
    {
        const u64 pages = config.logical_pages();
        for (u64 i = 0; i < 2 * pages; ++i) {
            world.write_pages(static_cast<u32>(draw_below(draw64(9, 9, i), pages)), 1);
        }
        world.flush();
    }
    /// Everything that does not depend on where the memory is.
    std::string content()
    {
        std::string all;
        for (const auto& [data, bytes] : store.memory()) {
            all.append(static_cast<const char*>(data), bytes);
        }
        all.append(reinterpret_cast<const char*>(versions.memory()), versions.units() * sizeof(u32));
        all.append(reinterpret_cast<const char*>(dram.tags(0)), dram.tag_bytes());
        all.append(reinterpret_cast<const char*>(&image.state().stats), sizeof(fw_stats));
        return all;
    }

    /// Is a word of the firmware's tables here the same as one of `other` there, or does it point to the same?
    bool same_word(u64 here, Device& other, u64 there)
    {
        const auto from = [](const void* base, u64 word) { return word - reinterpret_cast<std::uintptr_t>(base); };
        const bool strange = from(image.arena().data, there) <= image.arena().bytes ||
                             from(&image.state(), there) <= sizeof(fw); // it points from there to here
        return (here == there && !strange) ||
               from(image.arena().data, here) == from(other.image.arena().data, there) ||
               from(&image.state(), here) == from(&other.image.state(), there);
    }
    u64 different_words(Device& other)
    {
        const auto* const here = static_cast<const u64*>(image.arena().data);
        const auto* const there = static_cast<const u64*>(other.image.arena().data);
        const u64 words = fw_arena_bytes(&image.state().cfg) / sizeof(u64);
        u64 different = 0;
        for (u64 i = 0; i < words; ++i) {
            different += !same_word(here[i], other, there[i]);
        }
        return different;
    }

    config::Config config;
    time::EventQueue queue{sc_core::sc_gen_unique_name("queue")};
    ssd::FirmwareImage image;
    dram::Dram dram;
    cpu::NativeExecutor executor;
    nand::PageStore store;
    host::ExpectedVersions versions;
    aging::FunctionalWorld world;
};

} // namespace tlmssd::tb
