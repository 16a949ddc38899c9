// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: registers and rings of the RISC-V port, as the firmware uses and misuses them.
#include <gmock/gmock.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <vector>

#include "models/common/error.h"
#include "models/cpu/iss/iss_firmware.h"
#include "models/cpu/iss/iss_mmio.h"
#include "tb/cpu/iss_support.h"
#include "tb/support/fw_config.h"

namespace tlmssd::cpu::test {

namespace {

using tb::tiny_config;
using testing::_;
using testing::Field;
using testing::HasSubstr;
using testing::InSequence;
using testing::Return;
using testing::Throw;

class MockHal : public HalIf {
public:
    MOCK_METHOD(bool, next_event, (u32, hal_event&), (override));
    MOCK_METHOD(bool, flash_submit, (const flash_op&), (override));
    MOCK_METHOD(void, host_dma, (const struct ::hal_host_dma&), (override));
    MOCK_METHOD(void, host_complete, (u32, u32), (override));
    MOCK_METHOD(void, copy, (u32, u32, u64, u32), (override));
    MOCK_METHOD(void, timer_arm, (u32, u64), (override));
    MOCK_METHOD(void, send, (u32, const hal_message&), (override));
    MOCK_METHOD(void, probe, (u32, u32), (override));
    MOCK_METHOD(void, panic, (u32, u32), (override));
};

class Mmio : public testing::Test {
protected:
    Mmio() { device.bind_dtcm(dtcm.data()); }
    template <class T>
    T* at(u32 address)
    {
        return reinterpret_cast<T*>(dtcm.data() + (address - MMIO_DTCM_BASE));
    }
    std::string error()
    {
        try {
            device.finish_step();
        } catch (const ModelError& e) {
            return e.what();
        }
        return "";
    }

    alignas(64) std::array<u8, MMIO_DTCM_BYTES> dtcm{};
    testing::StrictMock<MockHal> hal;
    MmioDevice device{hal};
};

TEST_F(Mmio, TellsCoreAndTime)
{
    device.begin_step(3, 0x123456789ull);
    EXPECT_EQ(device.load(MMIO_REG_CORE), 3u);
    EXPECT_EQ(device.load(MMIO_REG_NOW_LOW), 0x23456789u);
    EXPECT_EQ(device.load(MMIO_REG_NOW_HIGH), 1u);
}

TEST_F(Mmio, AnEventIsPublishedOnceUntilItIsTaken)
{
    hal_event event{};
    event.kind = HAL_EVENT_COPY;
    event.cookie = 42;
    InSequence order;
    EXPECT_CALL(hal, next_event(1, _)).WillOnce([&](u32, hal_event& e) {
        e = event;
        return true;
    });
    EXPECT_CALL(hal, next_event(1, _)).WillOnce(Return(false));
    EXPECT_EQ(device.load(MMIO_REG_EVENT_TAIL + 4), 1u);
    EXPECT_EQ(device.load(MMIO_REG_EVENT_TAIL + 4), 1u); // not taken: nothing new
    EXPECT_EQ(std::memcmp(at<hal_event>(MMIO_EVENT_RINGS + MMIO_EVENT_ENTRIES * MMIO_EVENT_BYTES),
                          &event, sizeof event),
              0);
    device.store(MMIO_REG_EVENT_HEAD + 4, 1);
    EXPECT_EQ(device.load(MMIO_REG_EVENT_TAIL + 4), 1u);
    EXPECT_EQ(error(), "");
    device.store(MMIO_REG_EVENT_HEAD + 4, 2); // taken more than there was
    EXPECT_THAT(error(), HasSubstr("event head 2 after 1"));
}

TEST_F(Mmio, ARefusedDescriptorLeavesTheTail)
{
    auto* ring = at<flash_op>(MMIO_FLASH_RING);
    ring[0].tag = 11;
    InSequence order;
    EXPECT_CALL(hal, flash_submit(Field(&flash_op::tag, 11))).WillOnce(Return(false));
    EXPECT_CALL(hal, flash_submit(Field(&flash_op::tag, 12))).WillOnce(Return(true));
    EXPECT_CALL(hal, flash_submit(Field(&flash_op::tag, 13))).WillOnce(Return(true));
    device.store(MMIO_REG_FLASH_TAIL, 1);
    EXPECT_EQ(device.load(MMIO_REG_FLASH_TAIL), 0u);
    ring[0].tag = 12;
    ring[1].tag = 13;
    device.store(MMIO_REG_FLASH_TAIL, 1);
    EXPECT_EQ(device.load(MMIO_REG_FLASH_TAIL), 1u);
    device.store(MMIO_REG_FLASH_TAIL, 2);
    EXPECT_EQ(device.load(MMIO_REG_FLASH_TAIL), 2u);
    EXPECT_EQ(error(), "");
    device.store(MMIO_REG_FLASH_TAIL, 4);
    EXPECT_THAT(error(), HasSubstr("flash doorbell 4 after 2"));
}

TEST_F(Mmio, RingsWrapAndCallsKeepTheirOrder)
{
    auto* dma = dtcm.data() + (MMIO_DMA_RING - MMIO_DTCM_BASE);
    auto* copy = at<mmio_copy>(MMIO_COPY_RING);
    auto* send = at<mmio_send>(MMIO_SEND_RING);
    InSequence order;
    for (u32 i = 0; i < MMIO_DMA_ENTRIES + 1; ++i) {
        struct ::hal_host_dma entry{};
        entry.cookie = 100 + i;
        std::memcpy(dma + i % MMIO_DMA_ENTRIES * MMIO_DMA_BYTES, &entry, sizeof entry);
        EXPECT_CALL(hal, host_dma(testing::ResultOf(
                             [](const struct ::hal_host_dma& d) { return d.cookie; }, 100 + i)));
        device.store(MMIO_REG_DMA_TAIL, i + 1);
    }
    copy[0] = {0xf0, 512, 1024, 9, {}};
    EXPECT_CALL(hal, copy(512, 1024, 0xf0, 9));
    device.store(MMIO_REG_COPY_TAIL, 1);
    send[0].core = 2;
    send[0].message.word[7] = 77;
    EXPECT_CALL(hal, send(2, testing::ResultOf([](const hal_message& m) { return m.word[7]; }, 77u)));
    device.store(MMIO_REG_SEND_TAIL, 1);
    EXPECT_CALL(hal, host_complete(31, 1));
    device.store(MMIO_REG_HOST_COMPLETE, 31 | 1u << 16);
    EXPECT_CALL(hal, timer_arm(5, 0x300000002ull));
    device.store(MMIO_REG_TIMER_LOW, 2);
    device.store(MMIO_REG_TIMER_HIGH, 3);
    device.store(MMIO_REG_TIMER_ARM, 5);
    EXPECT_CALL(hal, probe(4, 1234));
    device.store(MMIO_REG_PROBE_ID, 4);
    device.store(MMIO_REG_PROBE_VALUE, 1234);
    EXPECT_EQ(error(), "");
}

TEST_F(Mmio, APanicThatTheHalLetsPassIsAnError)
{
    EXPECT_CALL(hal, panic(8, 0x99));
    device.store(MMIO_REG_PANIC_DETAIL, 0x99);
    device.store(MMIO_REG_PANIC_CODE, 8);
    EXPECT_THAT(error(), HasSubstr("panic, code 8, detail 153"));
}

TEST_F(Mmio, AnExceptionWaitsForTheStepsEndAndTheFirmwareSeesNoMore)
{
    EXPECT_CALL(hal, host_complete(1, 0)).WillOnce(Throw(ModelError("from behind")));
    device.store(MMIO_REG_HOST_COMPLETE, 1);
    EXPECT_EQ(device.load(MMIO_REG_EVENT_TAIL), 0u); // no call of the HAL: StrictMock
    device.store(MMIO_REG_FLASH_TAIL, 1);
    EXPECT_EQ(device.load(MMIO_REG_FLASH_TAIL), 1u); // or the firmware would try for ever
    EXPECT_EQ(error(), "from behind");
}

TEST_F(Mmio, UnknownRegistersAreErrors)
{
    device.load(MMIO_REG_PANIC_CODE);
    EXPECT_THAT(error(), HasSubstr("cannot be read"));
    device.store(MMIO_REG_CORE, 1);
    EXPECT_THAT(error(), HasSubstr("cannot be written"));
}

TEST_F(Mmio, ATrapIsNoted)
{
    EXPECT_FALSE(device.trapped());
    device.store(MMIO_REG_TRAP_TVAL, 1);
    device.store(MMIO_REG_TRAP_PC, 2);
    device.store(MMIO_REG_TRAP_CAUSE, 3);
    EXPECT_TRUE(device.trapped());
    EXPECT_EQ(device.trap_value(), 1u);
    EXPECT_EQ(device.trap_pc(), 2u);
    EXPECT_EQ(device.trap_cause(), 3u);
}

/* ---- the image ---- */

TEST(RvImage, HasItsEntryAtZeroAndNamesFunctions)
{
    TLMSSD_NEEDS_ISS();
    const ElfImage image = read_elf(rv32_image());
    EXPECT_EQ(image.entry, MMIO_ITCM_BASE);
    const ElfSymbol* step = image.find("fw_step");
    ASSERT_NE(step, nullptr);
    EXPECT_EQ(image.describe(step->address + 2), "fw_step+0x2");
    EXPECT_EQ(image.describe(0x70000000), "0x70000000");
    EXPECT_EQ(image.find("no such function"), nullptr);
}

TEST(RvImage, TruncatedAndForeignFilesAreTheUsersError)
{
    EXPECT_THROW(read_elf("/proc/self/exe"), InputError); // ELF, but not for this CPU
    EXPECT_THROW(read_elf("CMakeLists.txt"), InputError);
    EXPECT_THROW(read_elf("/nowhere"), InputError);
    TLMSSD_NEEDS_ISS();
    std::ifstream in(rv32_image(), std::ios::binary);
    const std::vector<char> good{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    const std::string path = testing::TempDir() + "tlmssd_cut_" + std::to_string(::getpid());
    for (const std::size_t length : {std::size_t{0}, std::size_t{40}, std::size_t{60},
                                     std::size_t{4096}, good.size() / 2, good.size() - 1}) {
        std::ofstream(path, std::ios::binary).write(good.data(), static_cast<std::streamsize>(length));
        EXPECT_THROW(read_elf(path), InputError) << length;
    }
    std::remove(path.c_str());
}

TEST(RvFirmware, BootsIdlesAndUsesNoMoreThanTheNativeTables)
{
    TLMSSD_NEEDS_ISS();
    testing::StrictMock<MockHal> hal;
    const fw_config config = tiny_config(FW_SCHED_VAQ, FW_BUFFER_LRU, 2);
    const auto iss = load_iss_unicorn();
    IssFirmware firmware(*iss, rv32_image(), config, hal);
    EXPECT_LE(firmware.table_bytes(), fw_arena_bytes(&config));
    EXPECT_GT(firmware.table_bytes(), config.logical_pages * 4); // the map at least
    EXPECT_CALL(hal, next_event(1, _)).WillOnce(Return(false));
    const u64 cycles = firmware.step(1, 5);
    EXPECT_GT(cycles, 10u);
    EXPECT_LT(cycles, 1000u);
    EXPECT_EQ(firmware.step_cycles(), cycles);
    EXPECT_EQ(firmware.stats().flash_operations, 0u);
}

TEST(RvFirmware, ReportsPanicWatchdogAndFaultWithTheFunction)
{
    TLMSSD_NEEDS_ISS();
    const fw_config config = tiny_config(FW_SCHED_SERIAL, FW_BUFFER_NONE, 1);
    testing::NiceMock<MockHal> hal;
    const auto iss = load_iss_unicorn();
    IssFirmware firmware(*iss, rv32_image(), config, hal);
    firmware.set_watchdog(10'000);
    EXPECT_CALL(hal, next_event(0, _)).WillRepeatedly([](u32, hal_event& event) {
        event = {};
        event.kind = HAL_EVENT_FLASH_SPACE; // for ever
        return true;
    });
    const auto message = [&] {
        try {
            firmware.step(0, 0);
        } catch (const ModelError& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    EXPECT_THAT(message(), HasSubstr("no wfi after 10000 instructions, in "));
    /* The stack pointer is at its end: the next call overflows into the guard. */
    iss->set_pc(read_elf(rv32_image()).find("fw_step")->address);
    iss->set_reg(2, MMIO_STACK);
    EXPECT_THAT(message(), HasSubstr("stack overflow"));
}

/// Boot, overwrite the beginning of a function that has not run yet, take one host command.
class PatchedFirmware : public testing::Test {
protected:
    std::string message_of(const std::vector<u32>& code)
    {
        const fw_config config = tiny_config(FW_SCHED_SERIAL, FW_BUFFER_NONE, 1);
        testing::NiceMock<MockHal> hal;
        const auto iss = load_iss_unicorn();
        IssFirmware firmware(*iss, rv32_image(), config, hal);
        firmware.set_watchdog(100'000);
        const u32 victim = firmware.image().find("fw_hil_command")->address;
        std::memcpy(iss->memory(victim, 4 * code.size()), code.data(), 4 * code.size());
        EXPECT_CALL(hal, next_event(0, _)).WillOnce([](u32, hal_event& event) {
            event = {};
            event.kind = HAL_EVENT_HOST_COMMAND;
            return true;
        });
        try {
            firmware.step(0, 77);
        } catch (const ModelError& error) {
            return error.what();
        }
        return "";
    }
};

TEST_F(PatchedFirmware, AnIllegalInstructionIsReportedWithFunctionRegistersAndCode)
{
    TLMSSD_NEEDS_ISS();
    const std::string text = message_of({0x00000013, 0x00000007}); // nop, flw
    EXPECT_THAT(text, HasSubstr("firmware fault: illegal instruction"));
    EXPECT_THAT(text, HasSubstr("in fw_hil_command+0x4 (pc 0x"));
    EXPECT_THAT(text, HasSubstr("core 0, step at 77 us"));
    EXPECT_THAT(text, HasSubstr("\n  ra "));
    EXPECT_THAT(text, HasSubstr("00000013  addi zero,zero,0\n> "));
    EXPECT_THAT(text, HasSubstr("  00000007  .word 0x7\n"));
    EXPECT_THAT(text, HasSubstr("ra fw_step+0x")); // the caller
}

TEST_F(PatchedFirmware, ARecursionWithoutEndIsAStackOverflow)
{
    TLMSSD_NEEDS_ISS();
    // c.addi sp,-16; c.swsp zero,0(sp); jal zero,-4
    const std::string text = message_of({0xc0021141, 0xffdff06f});
    EXPECT_THAT(text, HasSubstr("stack overflow, sp 0x1000b"));
    EXPECT_THAT(text, HasSubstr("in fw_hil_command+0x2 "));
    EXPECT_THAT(text, HasSubstr("c002  sw zero,0(sp)"));
}

TEST_F(PatchedFirmware, AnEndlessLoopIsTheWatchdogs)
{
    TLMSSD_NEEDS_ISS();
    const std::string text = message_of({0x0000006f}); // jal zero,0
    EXPECT_THAT(text, HasSubstr("watchdog: no wfi after 100000 instructions, in fw_hil_command+0x0"));
}

TEST(RvFirmware, ADeviceBeyond32BitsIsTheUsersError)
{
    TLMSSD_NEEDS_ISS();
    fw_config config = tiny_config(FW_SCHED_SERIAL, FW_BUFFER_NONE, 1);
    config.oob_base = 0x7ffff000;
    testing::NiceMock<MockHal> hal;
    const auto iss = load_iss_unicorn();
    try {
        const IssFirmware firmware(*iss, rv32_image(), config, hal);
        FAIL() << "2 GiB of page buffers and tables behind them";
    } catch (const InputError& error) {
        EXPECT_THAT(error.what(), HasSubstr("cpu.model: iss"));
    }
}

} // namespace

} // namespace tlmssd::cpu::test
