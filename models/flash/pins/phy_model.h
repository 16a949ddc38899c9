// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the ports of the Verilated ONFI PHY of one channel, free of generated headers.
#pragma once

#include <memory>

#include "models/interfaces/controller_if.h"

namespace tlmssd::flash {

/// The pins that the PHY drives; onfi_pins() in phy_pins.h makes onfi::Pins of it. No SystemC here.
struct PhyPins {
    u32 ce_n = 0xffffffff;
    u16 dq = 0; ///< 0 while it is not driven
    bool dq_driven = false;
    bool cle = false;
    bool ale = false;
    bool we_n = true;
    bool re_n = true;
    bool dqs = false;
    bool dqs_driven = false;
};

/// One rtl/onfi/onfi_phy.sv (docs/explanation/rtl-pins.md). Outputs are those after the last edge() or settle().
class PhyModelIf {
public:
    virtual ~PhyModelIf() = default;
    virtual u32 ces() const = 0; ///< CE# lines that it was built with
    /// Hold reset for a few edges in no time and release it.
    virtual void reset() = 0;
    /// Takes an edge.
    virtual void write_register(u32 index, u16 value) = 0;
    virtual u16 read_register(u32 index) = 0;

    /// The segment port; null: no segment.
    virtual void request(const SegmentRequest* request) = 0;
    /// The word that the burst in takes next.
    virtual void offer(bool valid, u16 word) = 0;
    /// The pins that the dies drive.
    virtual void die(u16 dq, bool dqs) = 0;
    /// Outputs that follow from inputs without an edge; no pin does.
    virtual void settle() = 0;
    /// A rising clock edge. Throws ModelError when an assertion of the RTL fails.
    virtual void edge() = 0;

    virtual bool takes_word() const = 0; ///< the next edge takes the offered word
    virtual bool word_out() const = 0;   ///< the last edge has brought a word
    virtual u16 word() const = 0;
    virtual bool done() const = 0;       ///< the last edge has ended the segment
    virtual u8 status() const = 0;       ///< of it: its last byte out
    virtual PhyPins pins() const = 0;
    virtual u8 run() const = 0;          ///< which time of the data sheet runs: onfi_pkg::RUN_*
    virtual bool idle() const = 0;       ///< no edge changes anything before an input changes
};

/// InputError where the build has no RTL.
std::unique_ptr<PhyModelIf> make_phy();

} // namespace tlmssd::flash
