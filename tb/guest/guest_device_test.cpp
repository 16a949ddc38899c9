// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the SSD of a guest by configuration space, BAR, DMA and interrupt messages, as a driver uses it.
#include "models/guest/guest_device.h"

#include <fstream>
#include <sstream>

#include "models/common/hash.h"
#include "models/ssd/device_requests.h"
#include "tb/guest/fake_guest.h"

namespace tlmssd::tb {
namespace {

constexpr u64 kBar = 0xf0000000;

class GuestDeviceTest : public testing::Test {
protected:
    void make(guest::Controller controller, guest::BarWidth bars = guest::BarWidth::Own,
              const SsdObservation& observation = {})
    {
        nvme = controller == guest::Controller::Nvme;
        device = std::make_unique<guest::GuestDevice>(
            controller, "configs/ssd/default.yaml",
            std::vector<std::string>{"precondition.fill=0"}, "", memory.guest, bars, observation);
    }
    u32 config(u32 offset, u32 bytes = 4)
    {
        u32 value = 0;
        device->read_config(offset, reinterpret_cast<u8*>(&value), bytes);
        return value;
    }
    void set_config(u32 offset, u32 value, u32 bytes = 4)
    {
        device->write_config(offset, reinterpret_cast<const u8*>(&value), bytes);
    }
    u32 reg(u32 bar, u64 offset)
    {
        u32 value = 0;
        device->read_bar(bar, offset, reinterpret_cast<u8*>(&value), 4);
        return value;
    }
    void set_reg(u32 bar, u64 offset, u32 value)
    {
        device->write_bar(bar, offset, reinterpret_cast<const u8*>(&value), 4);
    }
    /// The offset of a capability; 0: there is none.
    u32 capability(u32 id)
    {
        u32 at = config(0x34, 1);
        while (at != 0 && config(at, 1) != id) {
            at = config(at + 1, 1);
        }
        return at;
    }
    /// Carries out the device's events until `done`, one second of its time at most.
    template <class Done>
    bool until(Done done)
    {
        const u64 end = device->now() + 1'000'000'000;
        while (!done()) {
            const u64 next = device->next_event();
            if (next > end) {
                return false;
            }
            device->advance(next);
        }
        return true;
    }

    /// BAR 0 has its address.
    void identify_by_nvme()
    {
        set_config(4, 6, 2);
        ASSERT_EQ(reg(0, 8), 0x10400u) << "version 1.4";
        const u32 msix = capability(0x11);
        ASSERT_NE(msix, 0u);
        set_reg(0, 0x2000, 0xa0000);
        set_reg(0, 0x2004, 0);
        set_reg(0, 0x2008, 65);
        set_reg(0, 0x200c, 0);
        set_config(msix + 2, 0x8000, 2);

        const u64 queue = FakeMemory::kBase, completions = queue + 0x1000, data = queue + 0x2000;
        // Rounded to 4 KiB, as the controller wants it.
        ASSERT_EQ(queue % 4096, 0u);
        set_reg(0, 0x24, 0x001f001f);
        set_reg(0, 0x28, static_cast<u32>(queue));
        set_reg(0, 0x2c, 0);
        set_reg(0, 0x30, static_cast<u32>(completions));
        set_reg(0, 0x34, 0);
        set_reg(0, 0x14, 0x460001);
        ASSERT_TRUE(until([this] { return reg(0, 0x1c) & 1; }));
        memory.put<u32>(queue, 0x06 | 7u << 16); // Identify, command 7
        memory.put<u64>(queue + 24, data);
        memory.put<u32>(queue + 40, 1); // CNS 1: controller
        set_reg(0, 0x1000, 1);
        std::optional<guest::InterruptMessage> message;
        ASSERT_TRUE(until([&] { return (message = device->take_interrupt()).has_value(); }));
        EXPECT_EQ(message->address, 0xa0000u);
        EXPECT_EQ(message->data, 65u);
        EXPECT_EQ(memory.get<u32>(completions + 12), 7u | 1u << 16) << "command 7, phase 1, status 0";
        EXPECT_EQ(memory.get<u32>(data + 80), 0x10400u) << "VER of the data";
    }
    /// A command of a queue: its entry, the doorbell, and the interrupt that follows. `tail`: of the queue before.
    void nvme_command(u64 queue, u32 bell, u32& tail, u32 opcode, u64 data, u32 dword10, u32 dword11, u32 dword12 = 0)
    {
        const u64 entry = queue + 64 * tail;
        memory.put<u32>(entry, opcode | tail << 16);
        memory.put<u32>(entry + 4, queue == FakeMemory::kBase ? 0 : 1); // namespace
        memory.put<u64>(entry + 24, data);
        memory.put<u32>(entry + 40, dword10);
        memory.put<u32>(entry + 44, dword11);
        memory.put<u32>(entry + 48, dword12);
        set_reg(0, bell, ++tail);
        ASSERT_TRUE(until([&] { return device->take_interrupt().has_value(); })) << "opcode " << opcode;
    }
    /// Its BAR and memory space are set.
    void bring_up_ahci()
    {
        const u32 msi = capability(0x05);
        ASSERT_NE(msi, 0u);
        set_config(msi + 4, 0xa0000);
        set_config(msi + 8, 0);
        set_config(msi + 12, 66, 2);
        set_config(msi + 2, 1, 2);
        EXPECT_EQ(reg(5, 0x0c), 1u) << "ports implemented";
        set_reg(5, 4, 0x80000002);              // AHCI enable, interrupts
        set_reg(5, 0x100, 0x474000);            // command list
        set_reg(5, 0x104, 0);
        set_reg(5, 0x108, 0x475000);            // received FISes
        set_reg(5, 0x10c, 0);
        set_reg(5, 0x114, 0x7fffffff);          // all interrupts of the port
        set_reg(5, 0x118, 0x16);                // FRE, power, spin-up
        set_reg(5, 0x12c, 0x301);               // COMRESET
        device->advance(device->now() + 2'000'000);
        set_reg(5, 0x12c, 0x300);
        ASSERT_TRUE(until([this] { return (reg(5, 0x128) & 0xf0f) == 0x103; })) << "device there, active";
        ASSERT_TRUE(until([this] { return reg(5, 0x124) == 0x101; })) << "signature of a disk";
        std::optional<guest::InterruptMessage> message;
        ASSERT_TRUE(until([&] { return (message = device->take_interrupt()).has_value(); })) << "link change";
        EXPECT_EQ(message->data, 66u);
    }
    /// Accesses at random, of a BAR of this size most.
    void harm(u64 seed, u64 bar_bytes)
    {
        u64 draws = 0;
        const auto draw = [&](u64 below) { return draw_below(draw64(seed, 3, draws++), below); };
        for (u32 i = 0; i < kAccesses; ++i) {
            u8 data[8];
            const u64 value = draw64(seed, 3, draws++);
            std::memcpy(data, &value, sizeof data);
            const u32 bytes = static_cast<u32>(draw(2) == 0 ? 4 : 1 + draw(8));
            const u32 bar = static_cast<u32>(draw(8) == 0 ? draw(8) : nvme ? 0 : 5);
            const u64 offset = draw(16) == 0 ? draw64(seed, 3, draws++) : draw(bar_bytes + 64);
            const u32 at = static_cast<u32>(draw(16) == 0 ? draw(u64{1} << 32) : draw(0x140));
            switch (draw(6)) {
            case 0: device->read_config(at, data, bytes); break;
            case 1: device->write_config(at, data, bytes); break;
            case 2: device->read_bar(bar, offset, data, bytes); break;
            default: device->write_bar(bar, offset, data, bytes); break;
            }
            if (draw(4) == 0) {
                device->advance(device->now() + draw(20'000));
            }
            ASSERT_FALSE(device->failed());
        }
    }
    static constexpr u32 kBouts = 20, kAccesses = 1000;

    FakeMemory memory;
    std::unique_ptr<guest::GuestDevice> device;
    bool nvme = true;
};

TEST_F(GuestDeviceTest, NvmeIdentifyEndsInAnInterruptMessage)
{
    make(guest::Controller::Nvme);
    EXPECT_EQ(config(8) >> 8, 0x010802u);
    set_config(0x10, 0xffffffff);
    EXPECT_EQ(config(0x10) & ~15u, ~0x3fffu) << "16 KiB";
    set_config(0x10, kBar);
    set_config(0x14, 0);
    EXPECT_EQ(reg(0, 8), ~0u) << "memory space is off";
    identify_by_nvme();
    EXPECT_GT(device->now(), 0u) << "it took time";
    EXPECT_EQ(device->refused(), 0u);
    EXPECT_EQ(device->failures(), std::vector<std::string>{});
}

TEST_F(GuestDeviceTest, ANarrowFunctionHasAddressesOf32BitsAndIsReachedByThem)
{
    make(guest::Controller::Nvme, guest::BarWidth::Narrow);
    set_config(0x10, 0xffffffff);
    EXPECT_EQ(config(0x10), 0xffffc000u) << "16 KiB, 32 bits";
    set_config(0x14, 0xffffffff);
    EXPECT_EQ(config(0x14), 0u);
    set_config(0x10, kBar);
    identify_by_nvme();
    u32 value = 0;
    device->read_space(kBar + 8, reinterpret_cast<u8*>(&value), 4);
    EXPECT_EQ(value, 0x10400u);
    device->read_space(kBar + 0x4000, reinterpret_cast<u8*>(&value), 4);
    EXPECT_EQ(value, ~0u) << "behind the BAR";
    device->reset();
    EXPECT_EQ(config(0x10), 0u);
    EXPECT_EQ(reg(0, 8), ~0u) << "memory space is off";
    set_config(0x10, kBar);
    set_config(4, 6, 2);
    EXPECT_EQ(reg(0, 0x1c) & 1, 0u) << "not ready, as after power-on";
    identify_by_nvme();
    EXPECT_EQ(device->failures(), std::vector<std::string>{});
}

/// What a driver may do to it: accesses of any size at any place, also where there is nothing. The function then
/// comes back by a reset, and serves a driver that behaves.
TEST_F(GuestDeviceTest, AccessesAtRandomDoNoLastingHarmToNvme)
{
    make(guest::Controller::Nvme);
    for (u32 bout = 0; bout < kBouts; ++bout) {
        harm(bout, 0x4000);
        set_config(capability(0x13) + 4, 1, 1); // function level reset by advanced features
        device->advance(device->now() + 100'000'000);
        while (device->take_interrupt()) {
        }
        set_config(0x10, kBar);
        set_config(0x14, 0);
        identify_by_nvme();
        if (HasFailure()) {
            FAIL() << "bout " << bout;
        }
    }
    EXPECT_EQ(device->failures(), std::vector<std::string>{});
}

TEST_F(GuestDeviceTest, AccessesAtRandomDoNoLastingHarmToAhci)
{
    make(guest::Controller::Ahci);
    for (u32 bout = 0; bout < kBouts; ++bout) {
        harm(bout, 0x200);
        set_config(0x24, kBar);
        set_config(4, 6, 2);
        set_reg(5, 4, 0x80000001); // reset of the host adapter
        ASSERT_TRUE(until([this] { return (reg(5, 4) & 1) == 0; })) << "bout " << bout;
        device->advance(device->now() + 100'000'000);
        while (device->take_interrupt()) {
        }
        bring_up_ahci();
        if (HasFailure()) {
            FAIL() << "bout " << bout;
        }
    }
    EXPECT_EQ(device->failures(), std::vector<std::string>{});
}

TEST_F(GuestDeviceTest, DmaOutsideOfTheGuestsMemoryIsRefused)
{
    make(guest::Controller::Nvme);
    set_config(0x10, kBar);
    set_config(4, 6, 2);
    set_reg(0, 0x24, 0x001f001f);
    set_reg(0, 0x28, 0x1000); // below the memory that the guest shares
    set_reg(0, 0x30, 0x2000);
    set_reg(0, 0x14, 0x460001);
    ASSERT_TRUE(until([this] { return reg(0, 0x1c) & 1; }));
    set_reg(0, 0x1000, 1);
    EXPECT_TRUE(until([this] { return device->refused() != 0; }));
    EXPECT_EQ(device->failures(), std::vector<std::string>{});
}

/// The cells of a row of comma-separated values.
std::vector<std::string> cells(const std::string& row)
{
    std::vector<std::string> all;
    std::istringstream in(row);
    for (std::string cell; std::getline(in, cell, ',');) {
        all.push_back(cell);
    }
    return all;
}

/// Picoseconds of nanoseconds with three decimals.
u64 picoseconds(std::string nanoseconds)
{
    nanoseconds.erase(nanoseconds.find('.'), 1);
    return std::stoull(nanoseconds);
}

std::string text_of(const std::string& path)
{
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
}

/// From the doorbell to the interrupt lie the begin and the end of the request, and its stages add up.
TEST_F(GuestDeviceTest, CommandsOfADriverAreRequestsWithStages)
{
    SsdObservation wanted;
    wanted.stages = true;
    wanted.log = testing::TempDir() + "guest_requests.csv";
    wanted.timeline = testing::TempDir() + "guest_timeline.json";
    make(guest::Controller::Nvme, guest::BarWidth::Own, wanted);
    set_config(0x10, kBar);
    set_config(0x14, 0);
    identify_by_nvme();
    const u64 admin = FakeMemory::kBase, queue = admin + 0x4000, data = admin + 0x5000;
    u32 tail = 1;
    nvme_command(admin, 0x1000, tail, 0x05, admin + 0x3000, 1 | 15 << 16, 3); // I/O completion queue 1, vector 0
    nvme_command(admin, 0x1000, tail, 0x01, queue, 1 | 15 << 16, 1 | 1 << 16);
    const ssd::DeviceRequests& requests = device->requests();
    ASSERT_EQ(requests.kind(HAL_HOST_WRITE).count, 0u) << "admin commands are none";

    constexpr u8 kKinds[] = {HAL_HOST_WRITE, HAL_HOST_FLUSH, HAL_HOST_READ};
    constexpr u32 kOpcodes[] = {1, 0, 2};
    u64 times[4] = {device->now()};
    tail = 0;
    for (u32 i = 0; i < 3; ++i) {
        const bool flush = kKinds[i] == HAL_HOST_FLUSH; // the others: 8 sectors from 80 on
        nvme_command(queue, 0x1008, tail, kOpcodes[i], data, flush ? 0 : 80, 0, flush ? 0 : 7);
        times[i + 1] = device->now();
        EXPECT_EQ(requests.kind(kKinds[i]).count, 1u);
        EXPECT_EQ(requests.kind(kKinds[i]).errors, 0u);
        EXPECT_EQ(requests.kind(kKinds[i]).stages.count(), 1u);
    }
    EXPECT_EQ(requests.slowest().size(), 2u) << "the read and the write";
    device->close_observation();
    EXPECT_EQ(device->failures(), std::vector<std::string>{});

    std::istringstream log(text_of(wanted.log));
    std::string row;
    std::getline(log, row);
    ASSERT_EQ(cells(row).size(), 11u + 10u);
    EXPECT_EQ(cells(row)[11], "link_ns");
    const char* const kNames[] = {"write", "flush", "read"};
    for (u32 i = 0; i < 3; ++i) {
        ASSERT_TRUE(std::getline(log, row)) << i;
        const std::vector<std::string> found = cells(row);
        EXPECT_EQ(found[1], kNames[i]);
        const u64 begin = picoseconds(found[6]), end = picoseconds(found[7]);
        EXPECT_GT(begin, times[i] * 1000) << "fetched after the doorbell";
        EXPECT_LT(end, times[i + 1] * 1000) << "before its interrupt";
        u64 sum = 0;
        for (u32 stage = 0; stage < 10; ++stage) {
            sum += picoseconds(found[11 + stage]);
        }
        EXPECT_EQ(sum, end - begin) << kNames[i];
    }
    const std::string timeline = text_of(wanted.timeline);
    for (const char* const name : {"COMMANDS", "WRITE", "FLUSH", "READ", "PROGRAM", "COMPLETION"}) {
        EXPECT_NE(timeline.find('"' + std::string(name) + '"'), std::string::npos) << name;
    }
}

TEST_F(GuestDeviceTest, WithoutObservationStagesAreNotFollowed)
{
    make(guest::Controller::Nvme);
    EXPECT_FALSE(device->requests().has_stages());
}

TEST_F(GuestDeviceTest, AhciHasOnePortThatComesUpAndSendsMessages)
{
    make(guest::Controller::Ahci);
    EXPECT_EQ(config(8) >> 8, 0x010601u);
    set_config(0x24, kBar);
    set_config(4, 6, 2);
    bring_up_ahci();
}

} // namespace
} // namespace tlmssd::tb
