// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: an RTL controller that several drivers have one after the other.
#pragma once

#include "models/flash/rtl/rtl_model.h"

namespace tlmssd::tb {

/// A model that outlives the driver which resets it.
class SharedModel : public flash::RtlModelIf {
public:
    explicit SharedModel(flash::RtlModelIf& model) : model_(model) {}
    flash::RtlShape shape() const override { return model_.shape(); }
    void reset(const flash::RtlStraps& straps) override { model_.reset(straps); }
    void edge(u64 now_ps) override { model_.edge(now_ps); }
    void fall() override { model_.fall(); }
    bool idle() const override { return model_.idle(); }
    bool knows_idle() const override { return model_.knows_idle(); }
    u64 wake_at() const override { return model_.wake_at(); }
    bool op_ready() const override { return model_.op_ready(); }
    void offer(const flash_op* op) override { model_.offer(op); }
    bool done_valid() const override { return model_.done_valid(); }
    flash_completion done() const override { return model_.done(); }
    bool held_valid() const override { return model_.held_valid(); }
    flash_completion held() const override { return model_.held(); }
    bool land_ready() const override { return model_.land_ready(); }
    void land(bool valid, u16 tag) override { model_.land(valid, tag); }
    u64 segments() const override { return model_.segments(); }
    flash::SegmentRequest segment(u32 channel) const override { return model_.segment(channel); }
    void segment_done(u32 channel, bool done, u8 status) override
    {
        model_.segment_done(channel, done, status);
    }
    void retry(u32 channel, u32 lun, bool on) override { model_.retry(channel, lun, on); }
    void ready(u32 channel, u32 lun, bool ready) override { model_.ready(channel, lun, ready); }
    bool has_registers() const override { return model_.has_registers(); }
    void drive_axi(const flash::AxiRequest& request) override { model_.drive_axi(request); }
    flash::AxiAnswer axi() const override { return model_.axi(); }
    bool interrupt() const override { return model_.interrupt(); }
    void trace(VerilatedFstC& file) override { model_.trace(file); }

private:
    flash::RtlModelIf& model_;
};

} // namespace tlmssd::tb
