// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: wiring of an SSD and its NVMe controller.
#include "models/ssd/include/tlmssd/ssd_nvme.h"

#include "models/common/error.h"
#include "models/nvme_device/nvme_front.h"
#include "models/nvme_device/tlm_host.h"
#include "models/ssd/assembly.h"
#include "models/ssd/device_file.h"
#include "models/ssd/device_requests.h"

namespace tlmssd {

namespace {

void check(const char* field, u64 value, u64 least, u64 most)
{
    if (value < least || value > most) {
        throw InputError("SsdNvme: " + std::string(field) + " is " + std::to_string(value) + ", but has to be " +
                         std::to_string(least) + " to " + std::to_string(most));
    }
}

config::Config load(const SsdNvmeConfig& from)
{
    config::Overrides overrides{from.sets};
    overrides.sets.insert(overrides.sets.begin(), {"data=full", "host.kind=nvme"});
    config::Config config = from.file.empty() ? config::load_text(from.text, "SsdNvme", overrides)
                                              : config::load(from.file, overrides);
    if (config.host.kind != config::HostKind::Nvme) {
        throw InputError("SsdNvme: host.kind has to be nvme");
    }
    if (config.data != config::DataKind::Full) {
        throw InputError("SsdNvme: real bytes come and go: data has to be full");
    }
    check("host.queue_depth", config.host.queue_depth, 2, HAL_HOST_TAGS);
    return config;
}

nvme_device::Facts facts_of(const SsdNvmeConfig& from)
{
    check("queue_pairs", from.queue_pairs, 1, nvme_device::kMostPairs);
    check("queue_entries", from.queue_entries, 2, 65536);
    check("vectors", from.vectors, 1, 2048);
    check("doorbell_stride", from.doorbell_stride, 0, 10);
    check("transfer_pages", from.transfer_pages, 1, 512);
    check("length of serial", from.serial.size(), 1, 20);
    if ((from.transfer_pages & (from.transfer_pages - 1)) != 0) {
        throw InputError("SsdNvme: transfer_pages is " + std::to_string(from.transfer_pages) +
                         ", but has to be a power of two");
    }
    nvme_device::Facts f;
    f.tags_by_id = false; // a driver's identifiers are its own: Linux begins with one at random
    f.serial = from.serial;
    f.queue_pairs = from.queue_pairs;
    f.queue_entries = from.queue_entries;
    f.vectors = from.vectors;
    f.doorbell_stride = from.doorbell_stride;
    f.transfer_pages = from.transfer_pages;
    return f;
}

SsdOptions with_controller(const nvme_device::Facts& facts, nand::StoreFile* cells, bool stages)
{
    SsdOptions all;
    all.nvme = &facts;
    all.file = cells;
    all.stages = stages;
    return all;
}

} // namespace

struct SsdNvme::Inside {
    explicit Inside(const SsdNvmeConfig& from)
        : config(load(from)), facts(facts_of(from)),
          cells(from.cells.empty() ? nullptr
                                   : ssd::open_device_file(from.cells, config, "cells (--disk of tlmssd guest)")),
          requests(from.observation),
          assembly(config, ssd::DeviceRequests::recordings_of(from.observation), ssd::DeviceRequests::taps_of(requests),
                   with_controller(facts, cells.get(), ssd::DeviceRequests::follows_stages(from.observation, config))),
          front(*assembly.ssd().nvme_front()),
          host("host", assembly.event_queue(), *assembly.ssd().pcie(), front, from.register_time)
    {
        requests.bind(assembly.ssd().stages(), assembly.timeline_tap());
        if (probes::TimelineTap* const timeline = assembly.timeline_tap()) {
            assembly.ssd().pcie()->observe(timeline);
        }
        ssd::bring_up(assembly.ssd(), config, cells.get());
        assembly.open_timeline();
    }

    config::Config config;
    nvme_device::Facts facts;
    std::unique_ptr<nand::StoreFile> cells;
    ssd::DeviceRequests requests; ///< outlives the SSD, which shows it its commands
    ssd::Assembly assembly;
    nvme_device::NvmeFront& front;
    nvme_device::TlmHost host;
};

SsdNvme::SsdNvme(sc_core::sc_module_name name, const SsdNvmeConfig& config)
    : sc_module(name), inside_(std::make_unique<Inside>(config)), registers(inside_->host.registers),
      memory(inside_->host.memory), interrupt(inside_->host.interrupt)
{
    inside_->host.on_message([this](u32 vector) {
        for (int i = 0; i < vectors.size(); ++i) {
            vectors[i]->message(vector);
        }
    });
}

SsdNvme::~SsdNvme() = default;

std::uint32_t SsdNvme::register_bytes() const { return inside_->front.controller().register_bytes(); }

void SsdNvme::reset_function() { inside_->front.reset_function(); }

std::vector<std::string> SsdNvme::failures() const { return inside_->assembly.failures(); }

void SsdNvme::cut_power() { inside_->assembly.ssd().power_off(); }

void SsdNvme::set_limit(sc_core::sc_time end) { inside_->assembly.event_queue().set_limit(Picoseconds(end.value())); }

const Ssd& SsdNvme::ssd() const { return inside_->assembly.ssd(); }

Ssd& SsdNvme::ssd() { return inside_->assembly.ssd(); }

const ssd::DeviceRequests& SsdNvme::requests() const { return inside_->requests; }

void SsdNvme::close_observation()
{
    inside_->assembly.close(Picoseconds(sc_core::sc_time_stamp().value()));
    inside_->requests.close();
}

} // namespace tlmssd
