// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: recordings of steps: the file itself, and replay on native firmware and on the ISS.
#include <gmock/gmock.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <unistd.h>

#include "models/common/crc32.h"
#include "models/common/error.h"
#include "models/cpu/iss/iss_firmware.h"
#include "models/cpu/steps/steps.h"
#include "models/cpu/steps/steps_replay.h"
#include "tb/cpu/iss_support.h"
#include "tb/cpu/recorded_device.h"
#include "tb/firmware/storm.h"
#include "tb/support/fw_config.h"

namespace tlmssd::cpu::test {

namespace {

using tb::tiny_config;
using testing::AnyOf;
using testing::HasSubstr;

class StepFile : public testing::Test {
protected:
    StepFile()
        : path(testing::TempDir() + "tlmssd_steps_" + std::to_string(::getpid()) + ".bin")
    {
    }
    ~StepFile() override { std::filesystem::remove(path); }

    std::vector<char> bytes() const
    {
        std::ifstream in(path, std::ios::binary);
        return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    }
    void write(const std::vector<char>& content) const
    {
        std::ofstream(path, std::ios::binary)
            .write(content.data(), static_cast<std::streamsize>(content.size()));
    }
    std::string read_error() const
    {
        try {
            StepReader reader(path);
            while (reader.peek().kind != RecordKind::End) {
                reader.advance();
            }
        } catch (const InputError& error) {
            return error.what();
        }
        return "";
    }

    std::string path;
};

/// The checksum at the end is made that of the bytes before.
void seal(std::vector<char>& content)
{
    Crc32 crc;
    crc.add(content.data(), content.size() - sizeof(u32));
    const u32 value = crc.value();
    std::memcpy(&content[content.size() - sizeof value], &value, sizeof value);
}

hal_event completion(u16 tag)
{
    hal_event event{};
    event.kind = HAL_EVENT_FLASH;
    event.u.flash.tag = tag;
    event.u.flash.cookie = 77;
    return event;
}

TEST_F(StepFile, GivesBackWhatWasRecorded)
{
    const fw_config config = tiny_config(FW_SCHED_VAQ, FW_BUFFER_LRU, 2);
    flash_op op{};
    op.tag = 5;
    op.opcode = FLASH_OP_PROGRAM;
    op.nplanes = 2;
    op.oob = 4096;
    u8 oob[32];
    for (u8 i = 0; i < 32; ++i) {
        oob[i] = i;
    }
    const u8 dma[16] = {9, 8, 7};
    {
        StepRecorder recorder(path, config);
        recorder.begin_step(1, 0x123456789aull);
        hal_event dirty = completion(3);
        std::memset(dirty.u.message.word + 4, 0xee, 16); // behind the completion: means nothing
        recorder.event(dirty, 4096, dma, sizeof dma);
        recorder.output(StepOutput::flash_submit(op, true, oob));
        recorder.output(StepOutput::copy(512, HAL_COPY_ZERO, 0xf0, 6));
        recorder.end_step();
        recorder.begin_step(0, 1);
        recorder.end_step();
        recorder.close();
        EXPECT_EQ(recorder.steps(), 2u);
    }
    StepReader reader(path);
    EXPECT_EQ(std::memcmp(&reader.config(), &config, sizeof config), 0);
    EXPECT_EQ(reader.peek().kind, RecordKind::BeginStep);
    EXPECT_EQ(reader.peek().core, 1u);
    EXPECT_EQ(reader.peek().now_us, 0x123456789aull);
    reader.advance();
    ASSERT_EQ(reader.peek().kind, RecordKind::Event);
    const hal_event clean = completion(3);
    EXPECT_EQ(std::memcmp(&reader.peek().event, &clean, sizeof clean), 0);
    EXPECT_EQ(reader.peek().dma_offset, 4096u);
    EXPECT_EQ(reader.peek().dma_bytes, std::vector<u8>(dma, dma + sizeof dma));
    reader.advance();
    ASSERT_EQ(reader.peek().kind, RecordKind::Output);
    EXPECT_TRUE(reader.peek().output == StepOutput::flash_submit(op, true, oob));
    EXPECT_FALSE(reader.peek().output == StepOutput::flash_submit(op, false, oob));
    oob[31] ^= 1;
    EXPECT_FALSE(reader.peek().output == StepOutput::flash_submit(op, true, oob));
    reader.advance();
    EXPECT_TRUE(reader.peek().output == StepOutput::copy(512, HAL_COPY_ZERO, 0xf0, 6));
    EXPECT_EQ(reader.peek().text(), "copy(dst 0x200 src 0xffffffff sectors 0xf0 cookie 0x6)");
    reader.advance();
    EXPECT_EQ(reader.peek().kind, RecordKind::EndStep);
    reader.advance();
    EXPECT_EQ(reader.peek().core, 0u);
    reader.advance();
    reader.advance();
    EXPECT_EQ(reader.peek().kind, RecordKind::End);
    reader.advance();
    EXPECT_EQ(reader.peek().kind, RecordKind::End);
}

TEST_F(StepFile, AnEmptyRecordingEndsAtOnce)
{
    StepRecorder(path, tiny_config(FW_SCHED_SERIAL, FW_BUFFER_NONE, 1)).close();
    StepReader reader(path);
    EXPECT_EQ(reader.peek().kind, RecordKind::End);
}

TEST_F(StepFile, RefusesCallsOutOfOrder)
{
    StepRecorder recorder(path, tiny_config(FW_SCHED_SERIAL, FW_BUFFER_NONE, 1));
    EXPECT_THROW(recorder.end_step(), ModelError);
    EXPECT_THROW(recorder.event(completion(0)), ModelError);
    EXPECT_THROW(recorder.output(StepOutput::panic(1, 2)), ModelError);
    recorder.begin_step(0, 0);
    EXPECT_THROW(recorder.begin_step(0, 0), ModelError);
    recorder.close();
    EXPECT_THROW(recorder.begin_step(0, 0), ModelError);
}

TEST_F(StepFile, UnwritablePlacesAreTheUsersError)
{
    EXPECT_THROW(StepRecorder("/nowhere/at/all", tiny_config(0, 0, 1)), InputError);
    EXPECT_THROW(StepReader("/nowhere/at/all"), InputError);
    if (std::filesystem::exists("/dev/full")) {
        EXPECT_THROW(StepRecorder("/dev/full", tiny_config(0, 0, 1)), InputError);
        EXPECT_TRUE(std::filesystem::is_character_file("/dev/full")); // and no file has taken its place
    }
}

TEST_F(StepFile, EveryTruncationAndWrongKindIsRefused)
{
    {
        StepRecorder recorder(path, tiny_config(FW_SCHED_SERIAL, FW_BUFFER_NONE, 1));
        recorder.begin_step(0, 3);
        recorder.event(completion(3));
        recorder.output(StepOutput::host_complete(1, 0));
        recorder.end_step();
        recorder.close();
    }
    const std::vector<char> good = bytes();
    EXPECT_EQ(read_error(), "");
    for (std::size_t length = 0; length < good.size(); ++length) {
        write({good.begin(), good.begin() + static_cast<long>(length)});
        EXPECT_THAT(read_error(), AnyOf(HasSubstr("breaks off"), HasSubstr("broken off"))) << length;
    }
    std::vector<char> bad = good;
    bad.push_back(0);
    write(bad);
    EXPECT_THAT(read_error(), HasSubstr("damaged"));
    bad = good;
    bad[8] = 99; // version
    write(bad);
    EXPECT_THAT(read_error(), HasSubstr("another version"));
    bad = good;
    bad[0] = 'X';
    write(bad);
    EXPECT_THAT(read_error(), HasSubstr("not a recording"));
    bad = good;
    bad[24 + sizeof(fw_config)] = 0; // kind of the first entry
    write(bad);
    EXPECT_THAT(read_error(), HasSubstr("damaged"));
    seal(bad);
    write(bad);
    EXPECT_THAT(read_error(), HasSubstr("unknown kind"));
}

/* ---- replay ---- */

struct Case {
    u32 scheduler;
    u32 policy;
    u32 cores;
    u32 block_request;
};

std::string case_name(const testing::TestParamInfo<Case>& info)
{
    return std::string(tb::kSchedulers[info.param.scheduler]) + "_" + tb::kPolicies[info.param.policy] + "_" +
           std::to_string(info.param.cores) + "core" + (info.param.block_request ? "_request" : "");
}

class Replay : public StepFile, public testing::WithParamInterface<Case> {
protected:
    /// Fill, then `requests` random commands on native firmware; all data checked on the way.
    fw_stats record(u32 requests)
    {
        fw_config config = tiny_config(GetParam().scheduler, GetParam().policy, GetParam().cores);
        config.vaq_block_request = GetParam().block_request;
        StepRecorder recorder(path, config);
        RecordedDevice device(config, 1, recorder);
        tb::fill(device);
        tb::storm(device, requests);
        tb::read_back(device);
        EXPECT_TRUE(device.firmware_idle());
        EXPECT_GT(device.refused, 0u);
        recorder.close();
        return device.stats();
    }
};

void expect_same_counters(fw_stats a, fw_stats b)
{
    std::memset(a.cycles, 0, sizeof a.cycles); // charged natively only
    std::memset(b.cycles, 0, sizeof b.cycles);
    EXPECT_EQ(std::memcmp(&a, &b, sizeof a), 0);
}

TEST_P(Replay, NativeAndIssGiveTheRecordedOutputs)
{
    TLMSSD_NEEDS_ISS();
    const fw_stats recorded = record(1200); // of which 1,000 or more read or write
    EXPECT_GT(recorded.gc_runs, 20u);
    EXPECT_GT(recorded.gc_pages_moved, 20u);
    EXPECT_GT(recorded.pages_trimmed, 20u);

    const ReplayReport native = replay_native(path);
    EXPECT_TRUE(native.equal) << native.text();
    expect_same_counters(native.stats, recorded);

    const auto iss = load_iss_unicorn();
    const ReplayReport on_iss = replay_iss(path, *iss, rv32_image());
    EXPECT_TRUE(on_iss.equal) << on_iss.text();
    EXPECT_EQ(on_iss.steps, native.steps);
    EXPECT_EQ(on_iss.events, native.events);
    EXPECT_EQ(on_iss.outputs, native.outputs);
    expect_same_counters(on_iss.stats, recorded);
    EXPECT_GT(native.outputs, 2000u); // a transfer or a completion a request at the very least
    /* An event and an output cost dozens of instructions each. */
    EXPECT_GT(on_iss.cycles, 50 * (on_iss.events + on_iss.outputs));
    RecordProperty("cycles_iss", std::to_string(on_iss.cycles));
    RecordProperty("cycles_native", std::to_string(native.cycles));
}

INSTANTIATE_TEST_SUITE_P(
    Schedulers, Replay,
    testing::Values(Case{FW_SCHED_SERIAL, FW_BUFFER_NONE, 1, 0}, Case{FW_SCHED_SERIAL, FW_BUFFER_LRU, 1, 0},
                    Case{FW_SCHED_BARRIER, FW_BUFFER_NONE, 1, 0},
                    Case{FW_SCHED_BARRIER, FW_BUFFER_LRU, 1, 0},
                    Case{FW_SCHED_INORDER, FW_BUFFER_NONE, 1, 0},
                    Case{FW_SCHED_INORDER, FW_BUFFER_LRU, 1, 0}, Case{FW_SCHED_VAQ, FW_BUFFER_NONE, 1, 0},
                    Case{FW_SCHED_VAQ, FW_BUFFER_LRU, 1, 0}, Case{FW_SCHED_VAQ, FW_BUFFER_LRU, 1, 1},
                    Case{FW_SCHED_VAQ, FW_BUFFER_LRU, 4, 0}, Case{FW_SCHED_INORDER, FW_BUFFER_LRU, 3, 0},
                    Case{FW_SCHED_HOST, FW_BUFFER_NONE, 1, 0}, Case{FW_SCHED_HOST, FW_BUFFER_LRU, 1, 0},
                    Case{FW_SCHED_PAQ0, FW_BUFFER_NONE, 1, 0}, Case{FW_SCHED_PAQ1, FW_BUFFER_LRU, 1, 0},
                    Case{FW_SCHED_PAQ2, FW_BUFFER_NONE, 1, 0}, Case{FW_SCHED_PAQ2, FW_BUFFER_LRU, 4, 0},
                    Case{FW_SCHED_SOST, FW_BUFFER_NONE, 1, 0}, Case{FW_SCHED_SOST, FW_BUFFER_LRU, 1, 0},
                    Case{FW_SCHED_SOST, FW_BUFFER_LRU, 4, 0}),
    case_name);

class Falsified : public Replay {};

/// Change one byte of the n-th entry of `kind` that `wanted` accepts.
template <class Wanted>
void falsify(const std::string& path, std::vector<char>& content, Wanted wanted)
{
    /* Walk the file as docs/reference/rv32-interface.md describes it, independently of StepReader. */
    std::size_t at = 24 + sizeof(fw_config);
    for (u64 index = 0; at < content.size(); ++index) {
        const auto kind = static_cast<u8>(content[at]);
        std::size_t length = 1;
        if (kind == 0x10) {
            length += 12;
        } else if (kind == 0x11) {
            u32 count = 0;
            std::memcpy(&count, &content[at + 1 + 40 + 4], 4);
            length += 40 + 8 + count;
        } else if (kind == 0x12) {
            length += 2 + static_cast<u8>(content[at + 2]);
        } else if (kind == 0x14) {
            break;
        }
        if (wanted(kind, &content[at], length)) {
            seal(content);
            std::ofstream(path, std::ios::binary)
                .write(content.data(), static_cast<std::streamsize>(content.size()));
            return;
        }
        at += length;
    }
    FAIL() << "nothing to falsify";
}

TEST_P(Falsified, OutputsAreFoundOnBothCpus)
{
    TLMSSD_NEEDS_ISS();
    record(70);
    const std::vector<char> good = bytes();
    for (u8 output = 1; output <= 4; ++output) { // flash_submit, host_dma, host_complete, copy
        std::vector<char> content = good;
        u32 seen = 0;
        falsify(path, content, [&](u8 kind, char* entry, std::size_t) {
            if (kind != 0x12 || entry[1] != output || ++seen < 3) {
                return false;
            }
            entry[3] ^= 1;
            return true;
        });
        const ReplayReport native = replay_native(path);
        EXPECT_FALSE(native.equal) << unsigned{output};
        EXPECT_NE(native.recorded, native.replayed);
        const auto iss = load_iss_unicorn();
        const ReplayReport on_iss = replay_iss(path, *iss, rv32_image());
        EXPECT_FALSE(on_iss.equal) << unsigned{output};
        EXPECT_EQ(on_iss.text(), native.text());
    }
}

TEST_P(Falsified, AChangedOobRecordOfAProgramIsFound)
{
    TLMSSD_NEEDS_ISS();
    record(70);
    std::vector<char> content = bytes();
    falsify(path, content, [](u8 kind, char* entry, std::size_t length) {
        if (kind != 0x12 || entry[1] != 1 || entry[3 + 2] != FLASH_OP_PROGRAM) {
            return false;
        }
        entry[length - 1] ^= 1; // the check word of the last record
        return true;
    });
    const auto iss = load_iss_unicorn();
    const ReplayReport on_iss = replay_iss(path, *iss, rv32_image());
    EXPECT_FALSE(on_iss.equal);
    EXPECT_THAT(on_iss.text(), HasSubstr("flash_submit"));
    EXPECT_EQ(replay_native(path).text(), on_iss.text());
}

TEST_P(Falsified, AChangedOobRecordThatAReadBringsEndsInAPanic)
{
    TLMSSD_NEEDS_ISS();
    record(340);
    std::vector<char> content = bytes();
    falsify(path, content, [](u8 kind, char* entry, std::size_t length) {
        if (kind != 0x11 || length == 49) {
            return false;
        }
        entry[length - 16] ^= 1; // the LPN of the last record
        return true;
    });
    const auto iss = load_iss_unicorn();
    const ReplayReport on_iss = replay_iss(path, *iss, rv32_image());
    EXPECT_FALSE(on_iss.equal);
    EXPECT_THAT(on_iss.replayed, HasSubstr("panic(code 8")); // FW_PANIC_OOB
    EXPECT_EQ(replay_native(path).text(), on_iss.text());
}

TEST_P(Falsified, AChangedEventIsFound)
{
    TLMSSD_NEEDS_ISS();
    record(70);
    const std::vector<char> good = bytes();
    std::vector<char> content = good;
    u32 seen = 0;
    falsify(path, content, [&](u8 kind, char* entry, std::size_t) {
        if (kind != 0x11 || entry[1] != HAL_EVENT_HOST_COMMAND || ++seen != 70) {
            return false;
        }
        entry[1 + 8] ^= 1; // its LBA
        return true;
    });
    const auto iss = load_iss_unicorn();
    const ReplayReport on_iss = replay_iss(path, *iss, rv32_image());
    EXPECT_FALSE(on_iss.equal);
    EXPECT_EQ(replay_native(path).text(), on_iss.text());
}

INSTANTIATE_TEST_SUITE_P(Some, Falsified,
                         testing::Values(Case{FW_SCHED_INORDER, FW_BUFFER_LRU, 1, 0},
                                         Case{FW_SCHED_VAQ, FW_BUFFER_NONE, 1, 0}),
                         case_name);

TEST_F(StepFile, ARecordedPanicIsReplayed)
{
    TLMSSD_NEEDS_ISS();
    const fw_config config = tiny_config(FW_SCHED_INORDER, FW_BUFFER_NONE, 1);
    {
        StepRecorder recorder(path, config);
        recorder.begin_step(0, 5);
        recorder.event(completion(7)); // nothing is in flight under tag 7
        recorder.output(StepOutput::panic(5, 7)); // FW_PANIC_BAD_TAG
        recorder.close();
    }
    const ReplayReport native = replay_native(path);
    EXPECT_TRUE(native.equal) << native.text();
    EXPECT_TRUE(native.panicked);
    const auto iss = load_iss_unicorn();
    const ReplayReport on_iss = replay_iss(path, *iss, rv32_image());
    EXPECT_TRUE(on_iss.equal) << on_iss.text();
    EXPECT_TRUE(on_iss.panicked);
}

} // namespace

} // namespace tlmssd::cpu::test
