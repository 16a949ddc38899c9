// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: two flash controllers on one segment port, of which one works.
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

#include "models/common/fifo.h"
#include "models/interfaces/controller_if.h"

namespace tlmssd::flash {

/// Takes the place of a controller above, and of the segment port below. A change lets the operations inside end; those
/// that come meanwhile wait, and go to the other controller in their order. So at the change no LUN is busy, and the
/// controller that did not work has missed nothing.
class ControllerSwitch final : public ControllerIf, public CompletionSinkIf, public SegmentClientIf {
public:
    static constexpr u32 kControllers = 2;

    /// Binds itself to `port`, which outlives it. `changed(n)` is called when controller `n` begins to work.
    ControllerSwitch(SegmentPortIf& port, std::function<void(u32)> changed)
        : sides_{Side(port), Side(port)}, changed_(std::move(changed))
    {
        port.bind(*this);
    }

    /// The port that controller `n` is to be built on.
    SegmentPortIf& side(u32 n) { return sides_.at(n); }
    /// Once each, before the simulation starts. Controller 0 works at first.
    void connect(u32 n, ControllerIf& controller)
    {
        controllers_.at(n) = &controller;
        controller.bind(*this);
    }
    /// Controller `n` is to work, as soon as the other one has no operation.
    void use(u32 n)
    {
        wanted_ = n;
        change();
        release(); // a change that is taken back
    }
    u32 used() const { return used_; }

    void bind(CompletionSinkIf& sink) override { sink_ = &sink; }
    u32 tags() const override { return std::min(controllers_[0]->tags(), controllers_[1]->tags()); }
    bool submit(const flash_op& op) override
    {
        if (wanted_ != used_ || !waiting_.empty()) {
            waiting_.push(op);
            return true;
        }
        const bool taken = controllers_[used_]->submit(op);
        inside_ += taken;
        return taken;
    }

    void on_flash_completion(const flash_completion& completion) override
    {
        --inside_;
        sink_->on_flash_completion(completion);
        change();
    }
    void on_flash_space() override
    {
        release();
        if (waiting_.empty()) {
            sink_->on_flash_space();
        }
    }

    void on_segment_done(u32 channel, const SegmentResult& result) override
    {
        sides_[used_].client->on_segment_done(channel, result);
    }
    void on_ready(u32 channel, u32 ce, u32 lun, bool ready) override
    {
        sides_[used_].client->on_ready(channel, ce, lun, ready);
    }

private:
    struct Side final : SegmentPortIf {
        explicit Side(SegmentPortIf& p) : port(p) {}
        void bind(SegmentClientIf& c) override { client = &c; }
        void start(u32 channel, const SegmentRequest& request) override { port.start(channel, request); }
        void wants(u32 channel, u32 ce, u32 lun) override { port.wants(channel, ce, lun); }
        Picoseconds landing(u32 tag, Picoseconds at) override { return port.landing(tag, at); }
        bool goes_on(const flash_op& op) override { return port.goes_on(op); }
        SegmentPortIf& port;
        SegmentClientIf* client = nullptr;
    };

    void change()
    {
        if (wanted_ != used_ && inside_ == 0) {
            used_ = wanted_;
            changed_(used_);
            release();
        }
    }
    void release()
    {
        while (wanted_ == used_ && !waiting_.empty() && controllers_[used_]->submit(waiting_.front())) {
            waiting_.drop();
            ++inside_;
        }
    }

    std::array<Side, kControllers> sides_;
    std::array<ControllerIf*, kControllers> controllers_{};
    std::function<void(u32)> changed_;
    CompletionSinkIf* sink_ = nullptr;
    u32 used_ = 0;
    u32 wanted_ = 0;
    u32 inside_ = 0;          ///< operations of the controller that works
    Fifo<flash_op> waiting_;  ///< taken, for the next one
};

} // namespace tlmssd::flash
