// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a host that sends nonsense: FISes of any kind, length and content, at any time, data that
// nobody has asked for, none where they are due. The device never crashes, answers with errors that
// ATA defines, and after a reset has no command open and works.
#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "tb/host/rig.h"
#include "tb/support/long_form.h"

namespace tlmssd::tb {
namespace {

using namespace sata;

class WildHost : public sc_core::sc_module, public LinkBwIf {
public:
    WildHost(sc_core::sc_module_name name, u64 seed)
        : sc_module(name), socket("socket"), random_(seed)
    {
        socket.bind(*this);
    }
    u32 below(u32 n) { return static_cast<u32>(random_() % n); }
    bool chance(u32 percent) { return below(100) < percent; }

    void send(const RegisterH2D& fis)
    {
        Frame& frame = pool.take(kRegisterDwords);
        pack(fis, frame.fis);
        queue_frame(socket, frame);
        ++sent;
    }
    RegisterH2D any_command()
    {
        hal_host_command c{};
        c.opcode = static_cast<u8>(1 + below(4));
        c.lba = chance(95) ? below(16384) : random_() >> below(64);
        c.sectors = chance(97) ? 1 + below(40) : 1 + below(65536);
        c.tag = static_cast<u16>(chance(90) ? below(32) : below(256));
        c.flags = static_cast<u8>(below(8));
        RegisterH2D fis = encode_command(c, {chance(50), chance(80)});
        if (chance(15)) {
            static constexpr u8 kOwn[] = {ata::kIdentifyDevice, ata::kSetFeatures, ata::kReadLogExt,
                                          ata::kReadLogDmaExt,  ata::kFlushCache,  0x00};
            fis.command = kOwn[below(6)];
            fis.lba = chance(50) ? kLogNcqError : below(0x900);
            fis.count = static_cast<u16>(below(4));
            fis.features = static_cast<u16>(chance(50) ? below(256) : below(4));
        }
        return fis;
    }
    void wild()
    {
        ++sent;
        const u32 kind = below(100);
        if (kind < 60) { // a command, perhaps with bytes that are wrong
            Frame& frame = pool.take(kRegisterDwords);
            pack(any_command(), frame.fis);
            while (chance(30)) {
                frame.fis[below(20)] = static_cast<u8>(below(256));
            }
            queue_frame(socket, frame);
        } else if (kind < 80) { // anything
            static constexpr u8 kTypes[] = {0x27, 0x34, 0x39, 0x41, 0x46, 0x58, 0x5f, 0xa1};
            Frame& frame = pool.take(1 + below(7));
            for (u8& byte : frame.fis) {
                byte = static_cast<u8>(below(256));
            }
            if (chance(80)) {
                frame.fis[0] = kTypes[below(8)];
            }
            queue_frame(socket, frame);
        } else {
            wild_data();
        }
    }
    void wild_data()
    {
        ++sent;
        if (chance(30)) {
            Frame& frame = pool.take_block();
            for (u8& byte : *frame.block) {
                byte = chance(5) ? static_cast<u8>(below(256)) : u8{0};
            }
            queue_frame(socket, frame);
            return;
        }
        Frame& frame = pool.take_data(below(17));
        if (chance(10)) {
            frame.dwords = 1 + below(2049);
        }
        queue_frame(socket, frame);
    }
    void answer(u32 sectors)
    {
        if (polite || chance(70)) {
            ++sent;
            Frame& frame = sectors == 1 && !polite ? pool.take_block() : pool.take_data(sectors);
            if (frame.is_block) {
                pack_trim(below(16000), 1 + below(20), *frame.block);
            }
            frame.tags.fill(UnitTag{7, 9});
            queue_frame(socket, frame);
        } else if (chance(50)) {
            wild_data();
        }
    }
    tlm::tlm_sync_enum nb_transport_bw(Frame& frame, FramePhase& phase, sc_core::sc_time&) override
    {
        if (phase != FramePhase::Reset) {
            take(frame);
            frame.release();
        }
        return tlm::TLM_COMPLETED;
    }
    void take(const Frame& frame)
    {
        switch (fis_type(frame.fis)) {
        case FisType::RegisterD2H: {
            RegisterD2H f;
            unpack(frame.fis, f);
            EXPECT_TRUE(f.status == 0x50 || f.status == 0x51);
            if (f.status == 0x51) {
                EXPECT_TRUE(f.error == 0x04 || f.error == 0x10 || f.error == 0x40) << u32{f.error};
                ++errors;
            } else if (f.error == ata::kDiagnosticPassed) {
                ++signatures;
            }
            return;
        }
        case FisType::SetDeviceBits: {
            SetDeviceBits f;
            unpack(frame.fis, f);
            EXPECT_TRUE(f.status == 0x50 || (f.status == 0x51 && f.sactive == 0));
            errors += f.status & 1;
            ended |= f.sactive;
            return;
        }
        case FisType::DmaSetup: {
            DmaSetup f;
            unpack(frame.fis, f);
            left_ = f.count / 512;
            if (f.auto_activate) {
                give();
            }
            return;
        }
        case FisType::DmaActivate: give(); return;
        case FisType::Data:
            if (frame.is_block) {
                block = *frame.block;
                ++blocks;
            } else {
                last = frame.tags[0];
            }
            return;
        case FisType::PioSetup: return;
        default: ADD_FAILURE() << "the device sent " << u32{frame.fis[0]};
        }
    }
    void give()
    {
        const u32 sectors = std::min(left_ == 0 ? 1u : left_, 16u);
        left_ -= std::min(left_, sectors);
        answer(sectors);
    }

    PortSocket socket;
    FramePool pool{Side::Host};
    bool polite = false;
    u64 sent = 0, errors = 0, signatures = 0, blocks = 0;
    u32 ended = 0;
    Block block{};
    UnitTag last;

private:
    u32 left_ = 0;
    std::mt19937_64 random_;
};

/// Bouts of nonsense; after each a reset, then a write, a read of it and the identity. All of it happens in
/// callbacks, at the model's time.
class SataFuzz : public KernelTest {
protected:
    enum class Step { Wild, Reset, Signature, Write, Written, Read, Came, Identify, Identified };

    time::EventQueue event_queue{"event_queue"};
    config::Config config = small_config(32, config::LoopMode::Closed);
    FixedDram dram{Rig::kBytes, 4096, microseconds(1)};
    Link link{"link", event_queue, config.sata};
    DevicePort port{"port", event_queue, config.geometry, dram, facts()};
    RamFirmware firmware{event_queue, dram, port};
    WildHost host{"host", 20260101};
    time::Timer timer{event_queue, time::Priority::Host, time::Timer::call<&SataFuzz::tick, SataFuzz>, this};
    Step step = Step::Wild, then = Step::Write;
    u64 wanted = 0, before = 0, bouts = 0;
    u32 rounds = 20, polls = 0, tries = 0;
    bool hard = false;

    SataFuzz()
    {
        host.socket.bind(link.host_socket);
        port.socket.bind(link.device_socket);
        port.bind(firmware);
        firmware.latency = [](u64 nth) { return microseconds(nth % 7); };
        firmware.fails = [](u64 nth) { return nth % 97 == 50; };
    }
    static DeviceFacts facts()
    {
        DeviceFacts f;
        f.sectors = Rig::kBytes / 512;
        f.queued_trim = true;
        return f;
    }
    void next(Step s, u64 us)
    {
        step = s;
        timer.arm(event_queue.now() + microseconds(us));
    }
    void reset()
    {
        before = host.signatures;
        polls = 0;
        host.polite = true;
        if (hard) {
            Frame nothing;
            FramePhase phase = FramePhase::Reset;
            sc_core::sc_time zero;
            host.socket->nb_transport_fw(nothing, phase, zero);
            return;
        }
        RegisterH2D fis;
        fis.c = false;
        fis.control = ata::kControlReset;
        host.send(fis);
        fis.control = 0;
        host.send(fis);
    }
    void send_queued(u8 opcode)
    {
        hal_host_command c{};
        c.lba = 160;
        c.sectors = 16;
        c.tag = 3;
        c.opcode = opcode;
        host.ended = 0;
        host.last = UnitTag{};
        host.send(encode_command(c));
    }
    /// The rig's firmware fails a command now and then: a reset, and once more.
    void check(Step good, Step again)
    {
        if (host.ended == 8) {
            next(good, 1);
        } else if (++tries < 4) {
            then = again;
            hard = false;
            next(Step::Reset, 1);
        } else {
            ADD_FAILURE() << "a command is lost after " << host.sent << " FISes";
        }
    }
    void tick()
    {
        switch (step) {
        case Step::Wild:
            host.polite = false;
            for (u32 n = host.below(8); n-- > 0;) {
                host.wild();
            }
            hard = host.chance(30);
            then = Step::Write;
            tries = 0;
            next(--rounds == 0 ? Step::Reset : Step::Wild,
                 1 + (host.chance(10) ? host.below(300) : host.below(10)));
            return;
        case Step::Reset:
            reset();
            next(Step::Signature, 100);
            return;
        case Step::Signature:
            if (host.signatures == before && ++polls < 2000) {
                next(Step::Signature, 100);
                return;
            }
            ASSERT_GT(host.signatures, before) << "no signature after " << host.sent << " FISes";
            ASSERT_EQ(port.open(), 0u);
            next(then, 100); // data that were on the link have passed
            return;
        case Step::Write:
            send_queued(HAL_HOST_WRITE);
            next(Step::Written, 200);
            return;
        case Step::Written: check(Step::Read, Step::Write); return;
        case Step::Read:
            send_queued(HAL_HOST_READ);
            next(Step::Came, 200);
            return;
        case Step::Came:
            if (host.ended == 8) {
                EXPECT_EQ(host.last, (UnitTag{7, 9}));
            }
            check(Step::Identify, Step::Read);
            return;
        case Step::Identify: {
            before = host.blocks;
            RegisterH2D identify;
            identify.command = ata::kIdentifyDevice;
            host.send(identify);
            next(Step::Identified, 50);
            return;
        }
        case Step::Identified:
            ASSERT_EQ(host.blocks, before + 1);
            EXPECT_EQ(std::accumulate(host.block.begin(), host.block.end(), 0u) & 0xff, 0u);
            ASSERT_EQ(port.open(), 0u);
            ++bouts;
            rounds = 1 + host.below(40);
            if (host.sent < wanted) {
                next(Step::Wild, 1);
            }
            return;
        }
    }
};

TEST_F(SataFuzz, NonsenseIsRefusedAndTheDeviceLivesOn)
{
    wanted = long_form() ? 5000000 : 200000;
    timer.arm(microseconds(1));
    sc_core::sc_start();
    if (event_queue.failure()) {
        std::rethrow_exception(event_queue.failure()); // what a model has thrown
    }
    EXPECT_GE(host.sent, wanted);
    EXPECT_GT(bouts, wanted / 1000);
    EXPECT_GT(host.errors, wanted / 50);
    EXPECT_GT(port.stats().illegal_fises, wanted / 50);
    EXPECT_GT(port.stats().stray_data, wanted / 50);
    EXPECT_GT(port.stats().aborts, wanted / 1000);
}

} // namespace
} // namespace tlmssd::tb
