// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: test rig: one channel, its targets, the checker, and a master that sends bytes.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <vector>

#include "models/nand/target/target.h"
#include "models/onfi/checker/checker.h"
#include "tb/onfi/bytes.h"
#include "tb/support/geometry.h"
#include "tb/support/part.h"

namespace tlmssd::tb {

/// 2 LUNs on one CE#.
inline Geometry rig_geometry()
{
    return small_geometry().dies(2);
}

inline config::Nand rig_nand()
{
    config::Nand n = make_part(50, 900, 3000);
    n.t_plane_queue = Picoseconds(500000);
    n.t_read_cache = microseconds(3);
    n.t_program_cache = microseconds(4);
    n.t_feature = microseconds(1);
    n.t_reset_idle = microseconds(5);
    n.t_reset_program = microseconds(10);
    n.t_reset_erase = microseconds(500);
    n.t_suspend_program = microseconds(100);
    n.t_suspend_erase = microseconds(700);
    n.manufacturer = "TLMSSD";
    n.name = "RIG";
    n.jedec_id = "2c88044ba900";
    n.errors.retry_levels = 7;
    return n;
}

constexpr u32 kPhysical = 8640;
constexpr u32 kOobColumn = 8624;
constexpr u32 kUnitColumns = 8 * 539; ///< one 4 KiB unit on the bus
constexpr Picoseconds kTwb = nanoseconds(100);
constexpr Picoseconds kTcs = nanoseconds(20);

struct Edge {
    Picoseconds when;
    u32 lun;
    bool ready;
};

/// Segments take effect in simulated time; send() returns when the bus is free again.
struct Rig : sc_core::sc_module,
             tlm::tlm_bw_transport_if<onfi::OnfiProtocol>,
             onfi::BusMasterIf {
    Geometry geometry;
    config::Nand nand;
    time::EventQueue event_queue{"event_queue"};
    onfi::Channel channel;
    nand::PageStore store;
    onfi::ViolationLog die_log;
    nand::Device device;
    nand::Target target;
    onfi::Checker checker;
    tlm::tlm_initiator_socket<8, onfi::OnfiProtocol> socket{"socket"};
    std::vector<Edge> edges;
    DataCells cells;

    explicit Rig(const Geometry& g = rig_geometry(), const config::Nand& n = rig_nand(),
                 u64 seed = 1, void (*prepare)(nand::Device&) = nullptr,
                 sc_core::sc_module_name module_name = "rig",
                 config::DataKind data = config::DataKind::Tags)
        : sc_module(module_name), geometry(g), nand(n),
          channel("channel", event_queue, 0, g, onfi::bus_timing(config::BusInterface::NvDdr2, 6)),
          store(g, data), device(store, nand, die_log, seed),
          target("target", event_queue, channel, 0, prepared(device, prepare)),
          checker(g,
                  device.cold_start ? onfi::data_sheet(config::BusInterface::Sdr, 0)
                                    : onfi::data_sheet(config::BusInterface::NvDdr2, 6),
                  nand, !device.faults.empty())
    {
        if (device.cold_start) {
            channel.set_timing(0, onfi::bus_timing(config::BusInterface::Sdr, 0));
        }
        socket.bind(*this);
        socket.bind(channel.socket);
        channel.bind_target(0, target);
        channel.bind_master(*this);
        channel.bind_observer(checker);
    }
    static nand::Device& prepared(nand::Device& device, void (*prepare)(nand::Device&))
    {
        if (prepare != nullptr) {
            prepare(device);
        }
        return device;
    }
    tlm::tlm_sync_enum nb_transport_bw(Segment&, tlm::tlm_phase&, sc_core::sc_time&) override
    {
        return tlm::TLM_COMPLETED;
    }
    void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
    void on_segment_end(u32, Segment&) override {}
    void on_ready(u32, u32, u32 lun, bool ready) override
    {
        edges.push_back({event_queue.now(), lun, ready});
    }

    void run_for(Picoseconds t)
    {
        event_queue.set_limit(event_queue.now() + t);
        sc_core::sc_start(sc_core::sc_time::from_value(t.value()));
        if (sc_core::sc_pending_activity_at_current_time()) { // held back: it falls on the end
            sc_core::sc_start(sc_core::SC_ZERO_TIME);
        }
    }
    /// Runs to the segment's end, which is also returned.
    Picoseconds send(Segment s)
    {
        tlm::tlm_phase phase = tlm::BEGIN_REQ;
        sc_core::sc_time delay;
        socket->nb_transport_fw(s, phase, delay);
        run_for(Picoseconds(delay.value()));
        return s.end;
    }
    void run_until(Picoseconds t) { run_for(t - event_queue.now()); }
    /// Time of the last edge of the LUN's R/B#; falling or rising.
    Picoseconds edge(u32 lun, bool ready) const
    {
        Picoseconds when;
        for (const Edge& e : edges) {
            when = e.lun == lun && e.ready == ready ? e.when : when;
        }
        return when;
    }
    /// How long R/B# was low the last time.
    Picoseconds last_busy(u32 lun = 0) const { return edge(lun, true) - edge(lun, false); }
    bool busy(u32 lun) const { return target.lun(lun).busy(); }
    /// Until R/B# of the LUN is high again; fails after a simulated second.
    void wait_ready(u32 lun)
    {
        const std::size_t before = edges.size();
        for (u32 step = 0; busy(lun) && step < 100000; ++step) {
            run_for(microseconds(10));
        }
        ASSERT_FALSE(busy(lun));
        ASSERT_GE(edges.size(), before);
    }
    void send_and_wait(const Segment& s, u32 lun = 0)
    {
        send(s);
        wait_ready(lun);
    }
    u32 row(u32 lun, u32 plane, u32 block, u32 page) const
    {
        return geometry.row(lun, plane, block, page);
    }
    /// A whole page with the given tags and OOB bytes all `oob`.
    void program_page(u32 r, UnitTag first, UnitTag second, u8 oob = 0)
    {
        fill(first, second, oob);
        send_and_wait(program(r, 0, kPhysical, cells), geometry.row_lun(r));
    }
    void fill(UnitTag first, UnitTag second, u8 oob = 0)
    {
        cells.tags.fill(UnitTag{});
        cells.tags[0] = first;
        cells.tags[1] = second;
        cells.oob.fill(oob);
    }
    void clear_cells()
    {
        cells.tags.fill(UnitTag{0xdead, 0xbeef});
        cells.oob.fill(0x5a);
        cells.bytes.fill(0);
    }
    u8 status()
    {
        clear_cells();
        send(read_status(cells));
        return cells.bytes[0];
    }
    u8 status_of(u32 r)
    {
        clear_cells();
        send(read_status_enhanced(r, cells));
        return cells.bytes[0];
    }
    void expect_clean() const
    {
        for (const onfi::Violation& v : die_log.first()) {
            ADD_FAILURE() << "die: " << onfi::to_string(v);
        }
        for (const onfi::Violation& v : checker.log().first()) {
            ADD_FAILURE() << "checker: " << onfi::to_string(v);
        }
    }
};

} // namespace tlmssd::tb
