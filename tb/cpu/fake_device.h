// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a tiny device and host around native firmware, without time: everything that may happen
// happens in an order drawn from a seed, and all data are checked.
#pragma once

#include <array>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "firmware/boot/firmware.h"
#include "models/cpu/hal_if.h"
#include "models/cpu/steps/steps.h"

namespace tlmssd::cpu::test {

/// A device of 8 planes of 16 blocks of 8 pages of 4 KiB, small enough to collect garbage soon.
fw_config tiny_config(u32 scheduler, u32 buffer_policy, u32 cores);

/// A rule that firmware, host or flash has broken is a gtest failure and ends the run.
class FakeDevice final : public HalIf {
public:
    FakeDevice(const fw_config& config, u64 seed);
    ~FakeDevice() override;

    /// Boot native firmware behind this device; with a recorder all its steps are recorded.
    void boot(StepRecorder* recorder);
    /// Write every logical page once, in order.
    void fill();
    /// `requests` random reads and writes, some with FUA, with a FLUSH or a TRIM between now and then.
    void random_load(u32 requests);
    /// Read everything back.
    void verify();

    const fw_stats& stats() const { return firmware_->stats; }
    bool idle() const { return fw_idle(firmware_.get()); }
    u64 refused() const { return refused_; }
    bool failed() const { return failed_; }

    bool next_event(u32 core, hal_event& event) override;
    bool flash_submit(const flash_op& op) override;
    void host_dma(const struct ::hal_host_dma& dma) override;
    void host_complete(u32 tag, u32 status) override;
    void copy(u32 dst, u32 src, u64 sectors, u32 cookie) override;
    void timer_arm(u32 id, u64 at_us) override;
    void send(u32 core, const hal_message& message) override;
    void probe(u32, u32) override { ++probes_; }
    void panic(u32 code, u32 detail) override;

private:
    struct Command {
        bool active = false;
        hal_host_command command{};
        u32 moved = 0;              ///< sectors transferred
        std::vector<u64> expected;  ///< read: what the host must get; write: what it sends
        std::deque<struct ::hal_host_dma> dmas;
    };
    struct Page {
        std::vector<u64> data;
        std::array<u8, 16> oob{};
    };
    struct Operation {
        flash_op op{};
        u64 number = 0;
        std::array<Page, FLASH_MAX_PLANES> planes; ///< program: taken when submitted
    };
    struct CopyJob {
        u32 dst, src, cookie;
        u64 sectors;
    };

    void fail(const std::string& what);
    u32 draw(u32 below);
    bool issue(u8 opcode, u64 lba, u32 sectors, u8 flags);
    void run_until(u32 at_most); ///< go on until at most that many commands are inside
    bool tick();                 ///< one thing happens; false: nothing can
    void step(u32 core);
    bool one_dma();
    bool one_copy();
    bool one_flash();
    void dispatch_operations();
    bool fenced(const Operation& operation) const;
    void execute(Operation& operation);
    void check_operation(const flash_op& op);
    void check_durable(u64 lba, const std::vector<u64>& tags);
    void finish(u32 tag);
    u32 die_of(const flash_op& op) const { return (op.channel * 64u + op.ce) * 8u + op.lun; }
    u64 page_key(const flash_op& op, u32 plane) const
    {
        return u64{op.channel * 64u + op.ce} << 32 | op.row[plane];
    }
    void post(u32 room, const hal_event& event);

    fw_config config_;
    u64 seed_;
    u64 draws_ = 0;
    u32 spp_; ///< sectors a page
    bool failed_ = false;
    std::unique_ptr<fw> firmware_;
    std::vector<u8> arena_;
    StepRecorder* recorder_ = nullptr;
    std::unique_ptr<RecordingHal> recording_;
    u64 now_us_ = 0;
    std::array<std::deque<hal_event>, FW_MAX_CORES> events_;
    std::vector<Command> commands_;
    u32 inside_ = 0;
    u64 version_ = 0;
    std::vector<u64> host_;   ///< what the host expects, by LBA; 0: nothing written
    std::vector<u64> trimmed_; ///< by LPN: the newest version when it was last trimmed
    std::vector<u64> dram_;   ///< by sector
    std::vector<CopyJob> copies_;
    std::deque<Operation> pending_; ///< submitted, not at their die yet
    std::map<u32, std::deque<Operation>> dies_;
    std::map<u64, u64> in_flight_;  ///< number -> stream
    std::map<u64, Page> flash_;     ///< programmed pages
    std::map<u64, u32> next_page_;  ///< by block: pages submitted for programming
    std::map<u32, std::set<u64>> copies_of_;    ///< LPN -> its pages in flash, old ones too
    u64 operations_ = 0;
    u32 capacity_; ///< of the controller; small enough to refuse now and then
    bool owe_space_ = false;
    u64 refused_ = 0;
    u64 probes_ = 0;
};

} // namespace tlmssd::cpu::test
