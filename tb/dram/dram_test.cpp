// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: DRAM occupancy in closed form, tag cells, copies, OOB records, the TLM socket.
#include <gtest/gtest.h>

#include <vector>

#include "firmware/hal/hal.h"
#include "models/common/error.h"
#include "models/dram/dram.h"
#include "tb/support/geometry.h"

namespace tlmssd::tb {
namespace {

constexpr u32 kPage = 8192; ///< two units, 16 sectors

/// 3200 MB/s: 312.5 ps a byte; 50 ns before each 8 KiB or part of it.
class DramTest : public testing::Test {
protected:
    DramTest() : dram("dram", event_queue, config(), geometry(), 8 * kPage) {}
    static config::Dram config()
    {
        config::Dram c;
        c.mb_per_s = 3200;
        c.access_time = nanoseconds(50);
        return c;
    }
    static Geometry geometry()
    {
        return make_geometry().page(kPage, 448);
    }
    UnitTag& tag(u32 page, u32 unit) { return dram.tags(page * kPage)[unit]; }
    /// Page `page` holds (first, version) and (first + 1, version).
    void fill(u32 page, u32 first, u32 version)
    {
        tag(page, 0) = {first, version};
        tag(page, 1) = {first + 1, version};
    }
    time::EventQueue event_queue{"event_queue"};
    dram::Dram dram;
};

TEST_F(DramTest, TakesAccessTimePlusBytesOverBandwidth)
{
    EXPECT_EQ(dram.transfer_time(512), nanoseconds(50 + 160));
    EXPECT_EQ(dram.transfer_time(4096), nanoseconds(50 + 1280));
    EXPECT_EQ(dram.transfer_time(8192), nanoseconds(50 + 2560));
    EXPECT_EQ(dram.transfer_time(16384), nanoseconds(2 * 50 + 5120));
    // One byte more: a second access, and 312.5 ps rounded up.
    EXPECT_EQ(dram.transfer_time(8193), Picoseconds(100000 + 2560313));
    EXPECT_EQ(dram.transfer_time(0), Picoseconds(0));
}

TEST_F(DramTest, ServesFirstInFirstOut)
{
    const Picoseconds one = nanoseconds(1330); // 4 KiB
    EXPECT_EQ(dram.transfer(Picoseconds(0), {0, 4096, false}), one);
    EXPECT_EQ(dram.transfer(nanoseconds(100), {0, 4096, false}), 2 * one);  // waits
    EXPECT_EQ(dram.transfer(nanoseconds(2660), {0, 512, false}), nanoseconds(2660 + 210)); // just free
    EXPECT_EQ(dram.transfer(microseconds(10), {0, 4096, false}), microseconds(10) + one);  // idle before
    EXPECT_EQ(dram.busy(), nanoseconds(3 * 1330 + 210));
}

TEST_F(DramTest, HasOneCellAUnitAndContiguousPages)
{
    fill(2, 7, 1);
    EXPECT_EQ(*dram.tags(2 * kPage), (UnitTag{7, 1}));
    EXPECT_EQ(*dram.tags(2 * kPage + 4096), (UnitTag{8, 1}));
    EXPECT_EQ(dram.tags(2 * kPage) + 2, dram.tags(3 * kPage));
    EXPECT_EQ(*dram.tags(kPage), UnitTag{}) << "empty at the start";
}

TEST_F(DramTest, HasOneCellAPageWherePagesAreSmall)
{
    const Geometry g = make_geometry().page(2048);
    dram::Dram small("small", event_queue, config(), g, 8 * 2048);
    EXPECT_EQ(small.tags(0) + 1, small.tags(2048));
    *small.tags(4096) = {3, 1};
    small.copy(0, 4096, 0xf); // 4 sectors a page
    EXPECT_EQ(*small.tags(0), (UnitTag{3, 1}));
}

TEST_F(DramTest, CopiesWholeUnitsAndKeepsTheNewerRestOfOthers)
{
    fill(0, 10, 5);
    fill(1, 20, 9);
    dram.copy(0, kPage, 0x00ff); // unit 0 only
    EXPECT_EQ(tag(0, 0), (UnitTag{20, 9}));
    EXPECT_EQ(tag(0, 1), (UnitTag{11, 5}));
    dram.copy(0, kPage, 0x0f00); // half of unit 1: the destination's other half is newer
    EXPECT_EQ(tag(0, 1), (UnitTag{11, 5}));
    dram.copy(0, kPage, 0xffff);
    EXPECT_EQ(tag(0, 1), (UnitTag{21, 9}));
    EXPECT_EQ(tag(1, 0), (UnitTag{20, 9})) << "the source stays";
}

TEST_F(DramTest, ClearsUnits)
{
    fill(0, 10, 5);
    dram.copy(0, HAL_COPY_ZERO, 0xff00);
    EXPECT_EQ(tag(0, 0), (UnitTag{10, 5}));
    EXPECT_EQ(tag(0, 1), UnitTag{});
}

TEST_F(DramTest, ClearsAPartOfAUnitThatHoldsNothingElse)
{
    fill(0, 10, 5);
    dram.copy(0, HAL_COPY_ZERO, 0x00f0); // the other half stays
    EXPECT_EQ(tag(0, 0), (UnitTag{10, 5}));
    dram.copy(0, HAL_COPY_ZERO_EMPTY, 0x00f0);
    EXPECT_EQ(tag(0, 0), UnitTag{});
    EXPECT_EQ(tag(0, 1), (UnitTag{11, 5})) << "untouched";
}

TEST_F(DramTest, HasNoBytesUnlessAsked) { EXPECT_EQ(dram.bytes(0), nullptr); }

TEST_F(DramTest, CopiesAndClearsTheBytesOfTheSectorsGivenOnly)
{
    dram::Dram full("full", event_queue, config(), geometry(), 8 * kPage, config::DataKind::Full);
    for (u32 i = 0; i < kPage; ++i) {
        *full.bytes(i) = 0x11;
        *full.bytes(kPage + i) = 0x22;
    }
    full.copy(0, kPage, 0x8001);           // the first and the last sector
    full.copy(0, HAL_COPY_ZERO, 0x0002);   // the second
    full.copy(0, HAL_COPY_ZERO_EMPTY, 0x0004);
    for (u32 i = 0; i < kPage; ++i) {
        const u32 sector = i / 512;
        const u32 want = sector == 0 || sector == 15 ? 0x22 : sector == 1 || sector == 2 ? 0 : 0x11;
        ASSERT_EQ(*full.bytes(i), want) << i;
        ASSERT_EQ(*full.bytes(kPage + i), 0x22) << i;
    }
}

TEST_F(DramTest, ShowsTheFirmwaresOobRecordsAndNothingElse)
{
    u8 memory[64] = {};
    dram.map_oob(0xf0000000u, memory, sizeof memory);
    EXPECT_EQ(dram.oob(0xf0000000u), memory);
    EXPECT_EQ(dram.oob(0xf0000030u), memory + 48);
    EXPECT_THROW(dram.oob(0xf0000031u), ModelError); // 15 bytes are left
    EXPECT_THROW(dram.oob(0xf0000040u), ModelError);
    EXPECT_THROW(dram.oob(0xefffffffu), ModelError);
}

TEST_F(DramTest, AnswersTheBaseProtocol)
{
    tlm::tlm_generic_payload payload;
    payload.set_data_length(4096);
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    EXPECT_EQ(dram.nb_transport_fw(payload, phase, delay), tlm::TLM_COMPLETED);
    EXPECT_EQ(delay.value(), 1330000u);
    EXPECT_EQ(payload.get_response_status(), tlm::TLM_OK_RESPONSE);
    delay = sc_core::SC_ZERO_TIME;
    dram.b_transport(payload, delay); // behind the first
    EXPECT_EQ(delay.value(), 2660000u);
    delay = sc_core::sc_time(5, sc_core::SC_US); // arrives later: DRAM is free by then
    dram.b_transport(payload, delay);
    EXPECT_EQ(delay.value(), 6330000u);
}

TEST_F(DramTest, RefusesWhatIsNotARequestOfAtMost8KiB)
{
    tlm::tlm_generic_payload payload;
    payload.set_data_length(8193);
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    EXPECT_EQ(dram.nb_transport_fw(payload, phase, delay), tlm::TLM_COMPLETED);
    EXPECT_EQ(payload.get_response_status(), tlm::TLM_BURST_ERROR_RESPONSE);
    payload.set_data_length(4096);
    phase = tlm::END_RESP;
    dram.nb_transport_fw(payload, phase, delay);
    EXPECT_EQ(payload.get_response_status(), tlm::TLM_BURST_ERROR_RESPONSE);
    EXPECT_EQ(delay, sc_core::SC_ZERO_TIME);
    EXPECT_EQ(dram.busy(), Picoseconds(0));
    tlm::tlm_dmi dmi;
    EXPECT_FALSE(dram.get_direct_mem_ptr(payload, dmi));
    EXPECT_EQ(dram.transport_dbg(payload), 0u);
}

TEST_F(DramTest, TablePagesLieBehindThePageBuffers)
{
    std::vector<u8> memory(3 * kPage);
    EXPECT_EQ(dram.table_page(8 * kPage), nullptr) << "nothing is mapped";
    dram.map_tables(9 * kPage, memory.data(), memory.size());
    EXPECT_EQ(dram.table_page(8 * kPage), nullptr);
    EXPECT_EQ(dram.table_page(9 * kPage), memory.data());
    EXPECT_EQ(dram.table_page(11 * kPage), memory.data() + 2 * kPage);
    EXPECT_EQ(dram.table_page(12 * kPage), nullptr);
    EXPECT_THROW(dram.table_page(11 * kPage + 512), ModelError) << "ends beyond";
    EXPECT_THROW(dram.map_tables(7 * kPage, memory.data(), kPage), ModelError) << "a page buffer";
    EXPECT_THROW(dram.map_tables(9 * kPage, memory.data(), 512), ModelError) << "no whole page";
}

} // namespace
} // namespace tlmssd::tb
