// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what the registers of o3_top keep: transfers without a pause, a configuration that is in use, a reset.
#include <algorithm>
#include <cstring>
#include <vector>

#include "firmware/hal/flash_op.h"
#include "models/flash/o3/o3_regs.h"
#include "tb/rtl/o3_bus.h"

namespace tlmssd::tb {
namespace {

// Addresses and data run ahead of answers that the master is slow to take: each is done once, in its order, and an
// answer stays as it is until it is taken.
TEST_F(O3Bus, TransfersFollowOneAnother)
{
    struct Write {
        u32 address, data, strobes;
    };
    const std::vector<u32> addresses = {0x01c, 0x020, 0x028, 0x040, 0x044, 0x07c, 0x0a4, 0x0e0, 0x014, 0x0fc};
    std::vector<Write> writes;
    for (u32 i = 0; i < 600; ++i) {
        writes.push_back({addresses[draw(static_cast<u32>(addresses.size()))],
                          static_cast<u32>(draw64(seed, 8, i)), draw(16)});
    }
    u32 aw = 0, w = 0, b = 0;
    bool stands = false;
    u32 response = 0;
    const auto offer = [this](bool valid) { return valid || draw(3) != 0; }; // once valid, until it is taken
    for (u32 now = 0; b < writes.size() && now < 10000; ++now) {
        top->awvalid_i = aw < writes.size() && offer(top->awvalid_i);
        top->wvalid_i = w < writes.size() && offer(top->wvalid_i);
        top->awaddr_i = static_cast<u16>(aw < writes.size() ? writes[aw].address : 0);
        top->wdata_i = w < writes.size() ? writes[w].data : 0;
        top->wstrb_i = static_cast<u8>(w < writes.size() ? writes[w].strobes : 0);
        top->bready_i = draw(3) == 0;
        ASSERT_TRUE(top->bvalid_o || !stands) << "an answer is taken back";
        ASSERT_TRUE(!stands || top->bresp_o == response) << "an answer changes";
        const bool takes_aw = top->awvalid_i && top->awready_o, takes_w = top->wvalid_i && top->wready_o;
        stands = top->bvalid_o && !top->bready_i;
        response = top->bresp_o;
        if (top->bvalid_o && top->bready_i) {
            ASSERT_LT(b, std::min(aw, w)) << "an answer before its question";
            ASSERT_EQ(response, model.write(writes[b].address, writes[b].data, writes[b].strobes)) << "write " << b;
            ++b;
        }
        edge();
        aw += takes_aw;
        w += takes_w;
        top->awvalid_i = top->awvalid_i && !takes_aw;
        top->wvalid_i = top->wvalid_i && !takes_w;
    }
    ASSERT_EQ(b, writes.size());
    top->bready_i = 0;
    u32 ar = 0, r = 0, data = 0;
    stands = false;
    const u32 kReads = 40 * static_cast<u32>(addresses.size());
    const auto at = [&](u32 n) { return addresses[n * 7 % addresses.size()]; };
    for (u32 now = 0; r < kReads && now < 10000; ++now) {
        top->arvalid_i = ar < kReads && offer(top->arvalid_i);
        top->araddr_i = static_cast<u16>(at(ar));
        top->rready_i = draw(3) == 0;
        ASSERT_TRUE(top->rvalid_o || !stands) << "an answer is taken back";
        ASSERT_TRUE(!stands || top->rdata_o == data) << "an answer changes";
        const bool takes = top->arvalid_i && top->arready_o;
        stands = top->rvalid_o && !top->rready_i;
        data = top->rdata_o;
        if (top->rvalid_o && top->rready_i) {
            ASSERT_LT(r, ar) << "an answer before its question";
            ASSERT_EQ(data, model.find(at(r))->value) << "read " << r;
            ++r;
        }
        edge();
        ar += takes;
        top->arvalid_i = top->arvalid_i && !takes;
    }
    ASSERT_EQ(r, kReads);
}

// "Written only if idle" (docs/reference/o3-registers.md): refused while an erase is outstanding, done after its end.
TEST_F(O3Bus, TheConfigurationStandsWhileAnOperationIsInside)
{
    write(0x028, 1u | 1u << 8 | 1u << 16, 0xf); // one LUN
    model.write(0x028, 1u | 1u << 8 | 1u << 16, 0xf);
    offer_erase();
    ASSERT_TRUE(top->seg_valid_o & 1);
    std::vector<u32> configuration = {0x018, 0x01c, 0x020, 0x028, 0x02c, 0x0a0, 0x0a4, 0x0a8, 0x0ac, 0x0b8, 0x0bc};
    for (u32 i = 0; i < 8; ++i) {
        configuration.push_back(0x0e0 + 4 * i);
    }
    for (const u32 address : configuration) {
        const u32 value = model.find(address)->value;
        EXPECT_EQ(write(address, ~value, 0xf).response, kSlverr) << std::hex << address;
        EXPECT_EQ(read(address).data, value) << std::hex << address;
    }
    std::memset(&top->ready_i, 0xff, sizeof top->ready_i);
    for (u32 segment = 0; segment < 2; ++segment) { // the command; its status: ready, passed
        for (u32 i = 0; i < 200 && !(top->seg_valid_o & 1); ++i) {
            edge();
        }
        ASSERT_TRUE(top->seg_valid_o & 1);
        flash::set_port_bits(top->seg_status_i, 0, 8, 0xe0);
        top->seg_done_i = 1;
        edges(1);
        top->seg_done_i = 0;
        edges(4);
    }
    for (u32 i = 0; i < 200 && read(0x014).data != 0; ++i) {
    }
    ASSERT_EQ(read(0x014).data, 0u) << "it has ended";
    for (const u32 address : configuration) {
        const u32 value = ~model.find(address)->value;
        EXPECT_EQ(write(address, value, 0xf).response, kOkay) << std::hex << address;
        model.write(address, value, 0xf);
        EXPECT_EQ(read(address).data, model.find(address)->value) << std::hex << address;
    }
}

// Every register is all ones, then the reset comes: it is as after the first one.
TEST_F(O3Bus, AResetSetsEveryRegisterBack)
{
    for (const Plain& r : model.registers) {
        if (r.writable != 0) {
            EXPECT_EQ(write(r.address, 0xffffffff, 0xf).response, kOkay) << std::hex << r.address;
        }
    }
    top->arvalid_i = 1; // in the middle of a read
    edge();
    top->arvalid_i = 0;
    reset();
    EXPECT_FALSE(top->rvalid_o);
    EXPECT_FALSE(top->irq_o);
    for (const Plain& r : RegisterModel().registers) {
        EXPECT_EQ(read(r.address).data, r.value) << std::hex << r.address;
    }
}

// In order. An erase is given up after its limit of 3 stamps; those after it are refused, each when it comes, as none of
// them leaves the LUN taken.
TEST_F(O3Bus, InOrderALunThatIsGivenUpRefusesOneAfterTheOther)
{
    write(0x018, 1, 0xf);
    write(0x024, 3, 0xf);
    write(0x028, 1u | 1u << 8 | 1u << 16, 0xf); // one LUN
    std::memset(&top->ready_i, 0xff, sizeof top->ready_i);
    top->done_ready_i = 0;
    offer_erase();
    ASSERT_TRUE(top->seg_valid_o & 1);
    std::memset(&top->ready_i, 0, sizeof top->ready_i);
    end_segment(0);
    edges(8 * 210 + 20);
    for (u32 tag = 0; tag < 4; ++tag) {
        if (tag > 0) {
            offer(FLASH_OP_ERASE, 0, tag);
            edges(20);
        }
        ASSERT_TRUE(top->done_valid_o) << "tag " << tag;
        EXPECT_EQ(top->done_tag_o, tag);
        EXPECT_EQ(top->done_status_o, FLASH_STATUS_TIMEOUT);
        EXPECT_FALSE(top->seg_valid_o & 1) << "tag " << tag;
        top->done_ready_i = 1;
        edge();
        top->done_ready_i = 0;
    }
}

// A read in the very cycle in which the doorbell rings: the window is full, and the controller busy.
TEST_F(O3Bus, TheWindowIsFullFromTheDoorbellOn)
{
    write(0x010, 1, 0xf); // hold
    top->awvalid_i = top->wvalid_i = 1;
    top->awaddr_i = 0x080;
    top->wdata_i = 1;
    top->wstrb_i = 0xf;
    edge(); // taken
    top->awvalid_i = top->wvalid_i = 0;
    top->arvalid_i = 1;
    top->araddr_i = 0x014;
    edge(); // written
    top->arvalid_i = 0;
    edge();
    ASSERT_TRUE(top->rvalid_o && top->bvalid_o);
    EXPECT_EQ(top->rdata_o, flash::o3_regs::kStatusBusyMask | flash::o3_regs::kStatusWindowFullMask);
    top->rready_i = top->bready_i = 1;
    edge();
}

// In order the operations of a busy LUN stand in the front until it is full: that of the window waits, too.
TEST_F(O3Bus, TheWindowWaitsForAFullFront)
{
    write(0x018, 1, 0xf); // in order
    write(0x028, 1u | 1u << 8 | 1u << 16, 0xf); // one LUN
    for (u32 i = 0; i < 16; ++i) {
        top->op_i[i] = 0;
    }
    top->op_i[1] = 1u << 24; // a plane
    u32 tag = 0;
    for (u32 cycles = 0; cycles < 100; ++cycles) {
        top->op_i[0] = tag | u32{FLASH_OP_ERASE} << 16;
        top->op_valid_i = 1;
        const bool taken = top->op_ready_o;
        edge();
        tag += taken;
    }
    ASSERT_FALSE(top->op_ready_o);
    ASSERT_GE(tag, 5u) << "one at its LUN, four in the FIFO";
    write(0x040, tag + 1, 0xf);
    write(0x080, 1, 0xf);
    edges(50);
    EXPECT_EQ(read(0x014).data, flash::o3_regs::kStatusBusyMask | flash::o3_regs::kStatusWindowFullMask);
    EXPECT_EQ(read(0x084).data, 0u) << "none was taken from the window";
}

} // namespace
} // namespace tlmssd::tb
