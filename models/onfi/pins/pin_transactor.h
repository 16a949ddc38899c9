// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the pins of one channel as SystemC signals, so that RTL can drive dies.
#pragma once

#include <deque>
#include <systemc>
#include <tlm>

#include "models/onfi/bus/channel.h"
#include "models/onfi/pins/pin_reader.h"

namespace tlmssd::onfi {

/// The die side of a channel: a PinReader with ports. DQ and DQS have an input, an output and an
/// enable each way, as the pads of an RTL controller do; signals start at rest (CE# high). Bind the
/// targets to reader(), and attach() the onfi::Channel that the targets were made with: it carries
/// R/B# and has no other master. The dies' timers run on the event queue, which may be ahead of a
/// testbench that has nothing pending: use time::Backend::Kernel, or a clock.
class PinTransactor final : public sc_core::sc_module,
                            public BusObserverIf,
                            private PinOutputIf,
                            private tlm::tlm_bw_transport_if<OnfiProtocol> {
public:
    sc_core::sc_vector<sc_core::sc_in<bool>> ce_n; ///< one a target
    sc_core::sc_in<bool> cle{"cle"};
    sc_core::sc_in<bool> ale{"ale"};
    sc_core::sc_in<bool> we_n{"we_n"}; ///< CLK in NV-DDR
    sc_core::sc_in<bool> re_n{"re_n"}; ///< W/R# in NV-DDR
    sc_core::sc_in<bool> wp_n{"wp_n"};
    sc_core::sc_in<u16> dq_i{"dq_i"}; ///< driven by the controller while dq_oe_i
    sc_core::sc_in<bool> dq_oe_i{"dq_oe_i"};
    sc_core::sc_in<bool> dqs_i{"dqs_i"};
    sc_core::sc_in<bool> dqs_oe_i{"dqs_oe_i"};
    sc_core::sc_out<u16> dq_o{"dq_o"}; ///< driven by the dies while dq_oe_o
    sc_core::sc_out<bool> dq_oe_o{"dq_oe_o"};
    sc_core::sc_out<bool> dqs_o{"dqs_o"};
    sc_core::sc_out<bool> dqs_oe_o{"dqs_oe_o"};
    sc_core::sc_vector<sc_core::sc_out<bool>> rb_n; ///< R/B#, one a target

    /// Arguments as those of PinReader.
    PinTransactor(sc_core::sc_module_name name, u32 channel, const Geometry& geometry,
                  const BusTiming& timing, config::DataKind data, ViolationSink& violations);

    PinReader& reader() { return reader_; }
    /// Before the simulation starts: get R/B#, and take the place of the channel's master.
    void attach(Channel& channel);

    void on_observed(u32, const Segment&) override {}
    void on_ready_edge(u32 channel, u32 ce, u32 lun, bool ready, Picoseconds when) override;

private:
    struct LineEdge {
        Picoseconds at;
        u32 ce;
        bool high;
    };

    void on_drive(const DieDrive& drive) override;
    tlm::tlm_sync_enum nb_transport_bw(Segment&, tlm::tlm_phase&, sc_core::sc_time&) override
    {
        return tlm::TLM_COMPLETED; // a channel never calls back
    }
    void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
    void on_inputs();
    void on_due();
    void start_of_simulation() override;
    void wake();

    tlm::tlm_initiator_socket<8, OnfiProtocol, 1, sc_core::SC_ZERO_OR_MORE_BOUND> socket_;
    PinReader reader_;
    std::deque<DieDrive> drives_;    ///< announced, by time
    std::deque<LineEdge> lines_;     ///< R/B# edges to come, by time
    sc_core::sc_event due_;
};

} // namespace tlmssd::onfi
