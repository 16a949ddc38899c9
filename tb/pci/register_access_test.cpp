// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: byte lanes of transactions on three registers, by hand.
#include "models/pci/register_access.h"

#include <gmock/gmock.h>

namespace tlmssd::tb {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct Write {
    u32 offset, value, mask;
    friend bool operator==(const Write& a, const Write& b)
    {
        return a.offset == b.offset && (a.value & a.mask) == (b.value & b.mask) && a.mask == b.mask;
    }
};

struct RegisterAccess : testing::Test {
    std::vector<u32> reads;
    std::vector<Write> writes;
    pci::RegisterBlock block{12,
                             [this](u32 offset) {
                                 reads.push_back(offset);
                                 return 0x03020100u + offset * 0x01010101u; // each byte is its address
                             },
                             [this](u32 offset, u32 value, u32 mask) { writes.push_back({offset, value, mask}); }};
    u8 data[16] = {0xa0, 0xa1, 0xa2, 0xa3, 0xa4, 0xa5, 0xa6, 0xa7, 0xa8, 0xa9, 0xaa, 0xab, 0xac, 0xad, 0xae, 0xaf};
    u8 enables[2] = {TLM_BYTE_ENABLED, TLM_BYTE_DISABLED};
    tlm::tlm_generic_payload payload;

    bool go(tlm::tlm_command command, u64 at, u32 bytes)
    {
        payload.set_command(command);
        payload.set_address(at);
        payload.set_data_ptr(data);
        payload.set_data_length(bytes);
        payload.set_streaming_width(bytes);
        payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
        return pci::access(block, payload);
    }
};

TEST_F(RegisterAccess, BytesOfOneDwordAreOneReadOfItsRegister)
{
    EXPECT_TRUE(go(tlm::TLM_READ_COMMAND, 3, 6));
    EXPECT_THAT(std::vector<u8>(data, data + 7), ElementsAre(3, 4, 5, 6, 7, 8, 0xa6));
    EXPECT_THAT(reads, ElementsAre(0, 4, 8));
    EXPECT_EQ(payload.get_response_status(), tlm::TLM_OK_RESPONSE);
}

TEST_F(RegisterAccess, AWriteCarriesTheMaskOfItsBytes)
{
    EXPECT_TRUE(go(tlm::TLM_WRITE_COMMAND, 6, 3));
    EXPECT_THAT(writes, ElementsAre(Write{4, 0xa1a00000, 0xffff0000}, Write{8, 0x000000a2, 0x000000ff}));
    EXPECT_THAT(reads, IsEmpty());
}

TEST_F(RegisterAccess, ByteEnablesRepeat)
{
    payload.set_byte_enable_ptr(enables);
    payload.set_byte_enable_length(2);
    EXPECT_TRUE(go(tlm::TLM_WRITE_COMMAND, 0, 4));
    EXPECT_THAT(writes, ElementsAre(Write{0, 0x00a200a0, 0x00ff00ff}));
    enables[0] = TLM_BYTE_DISABLED;
    EXPECT_TRUE(go(tlm::TLM_WRITE_COMMAND, 0, 4));
    EXPECT_EQ(writes.size(), 1u) << "no byte, no write";
}

TEST_F(RegisterAccess, WhatTheBlockCannotTakeActsOnNothing)
{
    EXPECT_FALSE(go(tlm::TLM_WRITE_COMMAND, 9, 4));
    EXPECT_EQ(payload.get_response_status(), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_FALSE(go(tlm::TLM_READ_COMMAND, 12, 1));
    EXPECT_FALSE(go(tlm::TLM_READ_COMMAND, ~u64{0}, 4));
    EXPECT_EQ(payload.get_response_status(), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_FALSE(go(tlm::TLM_READ_COMMAND, 0, 0));
    EXPECT_EQ(payload.get_response_status(), tlm::TLM_BURST_ERROR_RESPONSE);
    payload.set_byte_enable_ptr(enables);
    payload.set_byte_enable_length(0);
    EXPECT_FALSE(go(tlm::TLM_WRITE_COMMAND, 0, 4));
    EXPECT_EQ(payload.get_response_status(), tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
    EXPECT_THAT(reads, IsEmpty());
    EXPECT_THAT(writes, IsEmpty());
}

TEST_F(RegisterAccess, APeekReadsUpToTheEnd)
{
    go(tlm::TLM_READ_COMMAND, 0, 1);
    payload.set_address(10);
    payload.set_data_length(8);
    EXPECT_EQ(pci::peek(block, payload), 2u);
    EXPECT_THAT(std::vector<u8>(data, data + 3), ElementsAre(10, 11, 0xa2));
    payload.set_command(tlm::TLM_WRITE_COMMAND);
    EXPECT_EQ(pci::peek(block, payload), 0u);
    EXPECT_THAT(writes, IsEmpty());
}

} // namespace
} // namespace tlmssd::tb
