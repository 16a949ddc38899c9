// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: wiring of an SSD, its link and an AHCI host adapter.
#include "models/ssd/include/tlmssd/ssd_ahci.h"

#include "models/ahci/ahci_hba.h"
#include "models/common/error.h"
#include "models/sata/link.h"
#include "models/ssd/assembly.h"
#include "models/ssd/device_file.h"
#include "models/ssd/device_requests.h"

namespace tlmssd {

namespace {

config::Config load(const SsdAhciConfig& from)
{
    config::Overrides overrides{from.sets};
    overrides.sets.insert(overrides.sets.begin(), "data=full");
    config::Config config = from.file.empty() ? config::load_text(from.text, "SsdAhci", overrides)
                                              : config::load(from.file, overrides);
    if (config.host.kind != config::HostKind::Sata) {
        throw InputError("SsdAhci: AHCI is for SATA: host.kind has to be sata");
    }
    if (config.data != config::DataKind::Full) {
        throw InputError("SsdAhci: real bytes come and go: data has to be full");
    }
    if (config.host.queue_depth > ahci::kSlots) {
        throw InputError("SsdAhci: host.queue_depth is " + std::to_string(config.host.queue_depth) +
                         ", but AHCI has 32 command slots");
    }
    return config;
}

} // namespace

struct SsdAhci::Inside {
    explicit Inside(const SsdAhciConfig& from)
        : config(load(from)),
          cells(from.cells.empty() ? nullptr : ssd::open_device_file(from.cells, config, "cells (--disk of tlmssd guest)")),
          requests(from.observation),
          assembly(config, ssd::DeviceRequests::recordings_of(from.observation), ssd::DeviceRequests::taps_of(requests),
                   options_of(cells.get(), ssd::DeviceRequests::follows_stages(from.observation, config))),
          link("link", assembly.event_queue(), config.sata, config.seed),
          hba("hba", assembly.event_queue(), config.sata, bits_for(config.geometry.sectors_per_unit()),
              from.register_time)
    {
        hba.link.bind(link.host_socket);
        assembly.ssd().sata_port()->socket.bind(link.device_socket);
        requests.bind(assembly.ssd().stages(), assembly.timeline_tap());
        if (probes::TimelineTap* const timeline = assembly.timeline_tap()) {
            link.observe(timeline);
        }
        ssd::bring_up(assembly.ssd(), config, cells.get());
        assembly.open_timeline();
    }

    static SsdOptions options_of(nand::StoreFile* cells, bool stages)
    {
        SsdOptions options;
        options.file = cells;
        options.stages = stages;
        return options;
    }

    config::Config config;
    std::unique_ptr<nand::StoreFile> cells;
    ssd::DeviceRequests requests; ///< outlives the SSD, which shows it its commands
    ssd::Assembly assembly;
    sata::Link link;
    ahci::AhciHba hba;
};

SsdAhci::SsdAhci(sc_core::sc_module_name name, const SsdAhciConfig& config)
    : sc_module(name), inside_(std::make_unique<Inside>(config)), registers(inside_->hba.registers),
      memory(inside_->hba.memory), interrupt(inside_->hba.interrupt)
{
}

SsdAhci::~SsdAhci() = default;

std::vector<std::string> SsdAhci::failures() const { return inside_->assembly.failures(); }

void SsdAhci::cut_power() { inside_->assembly.ssd().power_off(); }

void SsdAhci::set_limit(sc_core::sc_time end) { inside_->assembly.event_queue().set_limit(Picoseconds(end.value())); }

const Ssd& SsdAhci::ssd() const { return inside_->assembly.ssd(); }

Ssd& SsdAhci::ssd() { return inside_->assembly.ssd(); }

const ssd::DeviceRequests& SsdAhci::requests() const { return inside_->requests; }

void SsdAhci::close_observation()
{
    inside_->assembly.close(Picoseconds(sc_core::sc_time_stamp().value()));
    inside_->requests.close();
}

const sata::Link& SsdAhci::link() const { return inside_->link; }

} // namespace tlmssd
