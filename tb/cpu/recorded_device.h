// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the test device of tb/firmware with its firmware's steps recorded.
#pragma once

#include "models/cpu/steps/steps.h"
#include "tb/firmware/durable_device.h"

namespace tlmssd::cpu::test {

/// Time passes between steps, the controller refuses now and then, a command takes any free tag. Nothing
/// fails, and no module arms a timer.
class RecordedDevice final : public tb::DurableDevice {
public:
    RecordedDevice(const fw_config& config, u64 seed, StepRecorder& recorder)
        : DurableDevice(config, seed), recorder_(recorder), recording_(*this, recorder)
    {
        recording_.bind_oob({f()->oob, config.oob_base, config.flash_tags * 64});
        f()->hal = native_handle(recording_);
        capacity = tb::one_a_die(config.scheduler) ? 3 : 12;
        us_between_steps = 50;
        any_tag = true;
    }
    void step(u32 core) override
    {
        recorder_.begin_step(core, now_us);
        DurableDevice::step(core);
        recorder_.end_step();
    }
    void host_complete(u32 tag, u32 status) override
    {
        if (status != HAL_HOST_OK) {
            fail("a command ended with an error");
        }
        DurableDevice::host_complete(tag, status);
    }
    void timer_arm(u32, u64) override { fail("a module arms a timer"); }

private:
    StepRecorder& recorder_;
    RecordingHal recording_;
};

} // namespace tlmssd::cpu::test
