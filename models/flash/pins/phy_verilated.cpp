// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the Verilated rtl/onfi/onfi_phy.sv as a PhyModelIf.
#include "models/flash/pins/phy_model.h"

#include "models/common/error.h"

#ifdef TLMSSD_HAVE_RTL
#include <Vonfi_phy.h>
#include <Vonfi_phy___024root.h>
#include <verilated.h>

#include "models/flash/rtl/rtl_coverage.h"
#include "models/flash/rtl/rtl_power_on.h"
#endif

namespace tlmssd::flash {

#ifdef TLMSSD_HAVE_RTL
namespace {

/// For the model clk_i has been low since its last evaluation: the next one with clk_i high is a rising edge, without
/// another before it. Names of Verilator 5.006; false: another version, where nothing was done.
template <class Root>
auto clock_has_fallen(Root& root, int) -> decltype(root.__Vtrigrprev__TOP__clk_i, bool())
{
    root.__Vtrigrprev__TOP__clk_i = 0;
    return true;
}
template <class Root>
bool clock_has_fallen(Root&, ...)
{
    return false;
}

class Phy final : public PhyModelIf {
public:
    Phy()
    {
        context_.fatalOnError(false); // a failed assertion becomes a ModelError
        Verilated::threadContextp(&context_);
        rtl_power_on(context_);
        top_ = std::make_unique<Vonfi_phy>(&context_, "phy");
    }
    ~Phy() override
    {
        Verilated::threadContextp(&context_);
        top_->final();
        write_rtl_coverage(context_);
    }

    u32 ces() const override { return TLMSSD_RTL_LUNS; }

    void reset() override
    {
        top_->seg_valid_i = 0;
        top_->wvalid_i = 0;
        top_->reg_write_i = 0;
        top_->dq_i = 0;
        top_->dqs_i = 0;
        top_->rst_ni = 1;
        settle();
        top_->rst_ni = 0;
        settle();
        edge();
        edge();
        top_->rst_ni = 1;
        settle();
        edge();
    }

    void write_register(u32 index, u16 value) override
    {
        top_->reg_write_i = 1;
        top_->reg_addr_i = static_cast<u8>(index);
        top_->reg_wdata_i = value;
        edge();
        top_->reg_write_i = 0;
        settle();
    }
    u16 read_register(u32 index) override
    {
        top_->reg_addr_i = static_cast<u8>(index);
        settle();
        return top_->reg_rdata_o;
    }

    void request(const SegmentRequest* r) override
    {
        top_->seg_valid_i = r != nullptr;
        if (r == nullptr) {
            return;
        }
        top_->seg_ce_i = r->ce;
        top_->seg_lun_i = r->lun;
        top_->seg_phase_i = static_cast<u8>(r->phase);
        top_->seg_opcode_i = r->opcode;
        top_->seg_plane_i = r->plane;
        top_->seg_nplanes_i = r->nplanes;
        top_->seg_col_i = r->col;
        top_->seg_len_i = r->len;
        top_->seg_row_i = r->row;
        top_->seg_oob_i = r->oob;
    }
    void offer(bool valid, u16 word) override
    {
        top_->wvalid_i = valid;
        top_->wdata_i = word;
    }
    void die(u16 dq, bool dqs) override
    {
        top_->dq_i = dq;
        top_->dqs_i = dqs;
    }

    void settle() override
    {
        top_->clk_i = 0;
        evaluate();
    }
    /// Nothing of the PHY waits for a falling edge, and what follows from inputs is evaluated before a rising one.
    void edge() override
    {
        if (!clock_has_fallen(*top_->rootp, 0)) {
            settle();
        }
        top_->clk_i = 1;
        evaluate();
    }

    bool takes_word() const override { return top_->wready_o; }
    bool word_out() const override { return top_->rvalid_o; }
    u16 word() const override { return top_->rdata_o; }
    bool done() const override { return top_->seg_done_o; }
    u8 status() const override { return top_->seg_status_o; }
    u8 run() const override { return top_->run_o; }
    bool idle() const override { return top_->idle_o; }

    PhyPins pins() const override
    {
        constexpr u64 kBuilt = (u64{1} << (TLMSSD_RTL_LUNS < 32 ? TLMSSD_RTL_LUNS : 32)) - 1;
        PhyPins pins;
        pins.ce_n = static_cast<u32>(u64{top_->ce_no} | ~kBuilt);
        pins.cle = top_->cle_o;
        pins.ale = top_->ale_o;
        pins.we_n = top_->we_no;
        pins.re_n = top_->re_no;
        pins.dq_driven = top_->dq_oe_o;
        pins.dq = pins.dq_driven ? top_->dq_o : u16{0};
        pins.dqs_driven = top_->dqs_oe_o;
        pins.dqs = pins.dqs_driven && top_->dqs_o;
        return pins;
    }

private:
    void evaluate()
    {
        Verilated::threadContextp(&context_);
        top_->eval();
        if (context_.gotError()) {
            throw ModelError("rtl: an assertion of onfi_phy failed (see above)");
        }
    }

    VerilatedContext context_;
    std::unique_ptr<Vonfi_phy> top_;
};

} // namespace

std::unique_ptr<PhyModelIf> make_phy() { return std::make_unique<Phy>(); }
#else
std::unique_ptr<PhyModelIf> make_phy()
{
    throw InputError("controller.kind: rtl_pins: this build has no RTL controllers; "
                     "configure it with -DTLMSSD_RTL=ON");
}
#endif

} // namespace tlmssd::flash
