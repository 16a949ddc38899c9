// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: times of the PCI Express link against hand computation.
#include "models/nvme/pcie_link.h"

#include <gmock/gmock.h>

#include <vector>

#include "models/nvme/entries.h"
#include "tb/sata/kernel.h"

namespace tlmssd::nvme {
namespace {

using testing::ElementsAre;
using Kind = Transfer::Kind;

/// Generation 1, one lane: 4 ns a byte. No link-layer packets.
config::Pcie slow()
{
    config::Pcie c;
    c.generation = 1;
    c.lanes = 1;
    c.max_payload = 4096;
    c.packets_per_dllp = 1000;
    c.latency = Picoseconds(100000);
    c.host_memory = Picoseconds(50000);
    return c;
}

config::Pcie fast()
{
    config::Pcie c;
    c.generation = 3;
    c.lanes = 4;
    return c;
}

TEST(Pcie, BytesByGenerationAndLanes)
{
    EXPECT_DOUBLE_EQ(byte_ps(slow()), 4000);      // 10 bits at 2.5 GT/s
    EXPECT_DOUBLE_EQ(byte_ps(fast()), 253.90625); // 8 * 130/128 bits at 32 GT/s
    config::Pcie c = fast();
    c.generation = 5;
    c.lanes = 16;
    EXPECT_DOUBLE_EQ(byte_ps(c), 8e3 * 130 / 128 / 512);
}

// 4 KiB: 16 packets of 256 bytes with 24 or 20 bytes each; 8 requests of 24 bytes for 512 bytes each.
TEST(Pcie, PacketsOfAPage)
{
    EXPECT_EQ(write_packets(fast(), 4096).count, 16u);
    EXPECT_EQ(write_packets(fast(), 4096).bytes, 4096u + 16 * 24);
    EXPECT_EQ(completion_packets(fast(), 4096).bytes, 4096u + 16 * 20);
    EXPECT_EQ(read_packets(fast(), 4096).count, 8u);
    EXPECT_EQ(read_packets(fast(), 4096).bytes, 8u * 24);
    EXPECT_EQ(write_packets(fast(), 4).bytes, 28u);
}

// 256 / 280 and 256 / 276 of 3938.46 MB/s.
TEST(Pcie, PeakRates)
{
    EXPECT_NEAR(peak_to_host_mb_per_s(fast()), 3600.88, 0.01);
    EXPECT_NEAR(peak_to_device_mb_per_s(fast()), 3653.07, 0.01);
}

/// Writes down what arrives, and when.
struct Log {
    explicit Log(const time::EventQueue& w) : event_queue(w) {}
    void add(const Transfer& t) { got.push_back({t.kind, t.value, event_queue.now().value()}); }

    struct Arrival {
        Kind kind;
        u32 value;
        u64 at;
        friend bool operator==(const Arrival& a, const Arrival& b)
        {
            return a.kind == b.kind && a.value == b.value && a.at == b.at;
        }
        friend std::ostream& operator<<(std::ostream& out, const Arrival& a)
        {
            return out << static_cast<int>(a.kind) << "/" << a.value << " at " << a.at;
        }
    };
    std::vector<Arrival> got;
    const time::EventQueue& event_queue;
};

struct Device : PcieDeviceIf, Log {
    using Log::Log;
    void on_arrival(const Transfer& t) override { add(t); }
    void on_delivered(const Transfer& t) override { delivered.push_back({t.kind, t.value, event_queue.now().value()}); }
    u32 on_register_read(u32 offset) override { return offset + 1; }
    std::vector<Arrival> delivered;
};

struct Host : PcieHostIf, Log {
    using Log::Log;
    void on_arrival(const Transfer& t) override
    {
        add(t);
        link->delivered(t);
    }
    void on_read(const Transfer& t) override { reads.push_back({t.kind, t.value, event_queue.now().value()}); }
    PcieLink* link = nullptr;
    std::vector<Arrival> reads;
};

Transfer of(Kind kind, u32 bytes, u32 value = 0)
{
    Transfer t;
    t.kind = kind;
    t.bytes = bytes;
    t.value = value;
    return t;
}

class PcieLinkTest : public tb::KernelTest {
protected:
    void build(const config::Pcie& config, bool answers = false)
    {
        event_queue_ = std::make_unique<time::EventQueue>("event_queue");
        link_ = std::make_unique<PcieLink>("link", *event_queue_, config);
        host_ = std::make_unique<Host>(*event_queue_);
        device_ = std::make_unique<Device>(*event_queue_);
        host_->link = link_.get();
        link_->bind_host(*host_, answers);
        link_->bind_device(*device_);
    }
    void run() { sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_MS)); }

    std::unique_ptr<time::EventQueue> event_queue_;
    std::unique_ptr<PcieLink> link_;
    std::unique_ptr<Host> host_;
    std::unique_ptr<Device> device_;
};

TEST_F(PcieLinkTest, ADoorbell) // 28 bytes of 4 ns, 100 ns
{
    build(slow());
    link_->ring(of(Kind::SubmissionBell, 4, 7));
    run();
    EXPECT_THAT(device_->got, ElementsAre(Log::Arrival{Kind::SubmissionBell, 7, 212000}));
    EXPECT_TRUE(host_->got.empty());
}

// Request: 24 bytes, 96 ns, at the host at 196, answered at 246; 84 bytes take 336 ns, arrive at 682.
TEST_F(PcieLinkTest, ASmallReadOfHostMemory)
{
    build(slow());
    link_->read(of(Kind::Entries, 64), false);
    run();
    EXPECT_THAT(device_->got, ElementsAre(Log::Arrival{Kind::Entries, 0, 682000}));
    EXPECT_EQ(link_->busy_to_host(Picoseconds(1000000)).value(), 96000u);
    EXPECT_EQ(link_->busy_to_device(Picoseconds(1000000)).value(), 336000u);
}

// The answer waits for a doorbell that has the direction when it comes: rung at 0, six of them last until
// 672 ns, the answer is ready at 246, ends at 1008 and arrives at 1108.
TEST_F(PcieLinkTest, AnAnswerWaitsForItsDirection)
{
    build(slow());
    link_->read(of(Kind::Entries, 64), false);
    for (u32 i = 0; i < 6; ++i) {
        link_->ring(of(Kind::SubmissionBell, 4, i));
    }
    run();
    ASSERT_EQ(device_->got.size(), 7u);
    EXPECT_EQ(device_->got[5].at, 772000u);
    EXPECT_EQ(device_->got[6], (Log::Arrival{Kind::Entries, 0, 1108000}));
}

// Two pieces of 4 KiB: 4120 bytes, 16480 ns each. A completion that comes at 1 ns goes between them: 40 and
// 28 bytes, 272 ns; the second piece then ends at 33232.
TEST_F(PcieLinkTest, SmallOnesPassBetweenPieces)
{
    build(slow());
    time::Timer later(*event_queue_, time::Priority::Link, [](void* link) {
        Transfer t = of(Kind::Completion, kCompletionBytes);
        t.interrupt = true;
        static_cast<PcieLink*>(link)->post(t);
    }, link_.get());
    link_->write(of(Kind::ReadData, 4096, 1));
    link_->write(of(Kind::ReadData, 4096, 2));
    later.arm(Picoseconds(1000));
    run();
    EXPECT_THAT(host_->got, ElementsAre(Log::Arrival{Kind::ReadData, 1, 16580000},
                                        Log::Arrival{Kind::Completion, 0, 16852000},
                                        Log::Arrival{Kind::ReadData, 2, 33332000}));
    EXPECT_EQ(device_->delivered, host_->got);
}

// An entry alone: 40 bytes, 160 ns, 100 ns. A message: 28 bytes after it, at 272. The pin has no packet: with the message.
TEST_F(PcieLinkTest, EntriesMessagesAndThePin)
{
    build(slow());
    link_->post(of(Kind::Completion, kCompletionBytes, 1));
    link_->post(of(Kind::Interrupt, 0, 2));
    link_->post(of(Kind::Level, 0, 3));
    run();
    EXPECT_THAT(host_->got, ElementsAre(Log::Arrival{Kind::Completion, 1, 260000}, Log::Arrival{Kind::Interrupt, 2, 372000},
                                        Log::Arrival{Kind::Level, 3, 372000}));
    EXPECT_EQ(link_->stats().to_host.bytes, 40u + 28u);
    EXPECT_EQ(link_->stats().to_host.packets, 2u);
}

// The request is at the host at 196 ns. It answers at 1000; 84 bytes take 336 ns, arrive at 1436.
TEST_F(PcieLinkTest, AHostWithATimeOfItsOwn)
{
    build(slow(), true);
    time::Timer later(*event_queue_, time::Priority::Link, [](void* link) {
        static_cast<PcieLink*>(link)->answer(of(Kind::Entries, 64, 5));
    }, link_.get());
    link_->read(of(Kind::Entries, 64, 5), false);
    later.arm(Picoseconds(1000000));
    run();
    EXPECT_THAT(host_->reads, ElementsAre(Log::Arrival{Kind::Entries, 5, 196000}));
    EXPECT_THAT(device_->got, ElementsAre(Log::Arrival{Kind::Entries, 5, 1436000}));
}

// An entry of 40 bytes, 160 ns; its message of 28, 112 ns.
TEST_F(PcieLinkTest, SuchAHostSeesAnEntryBeforeItsInterrupt)
{
    build(slow(), true);
    Transfer t = of(Kind::Completion, kCompletionBytes, 6);
    t.interrupt = true;
    link_->post(t);
    run();
    EXPECT_THAT(host_->got, ElementsAre(Log::Arrival{Kind::Completion, 6, 260000}, Log::Arrival{Kind::Interrupt, 6, 372000}));
}

TEST_F(PcieLinkTest, WithoutTimeTransfersPassAtOnceAndDoNotCount)
{
    build(slow());
    link_->set_timeless(true);
    link_->ring(of(Kind::Register, 4, 7));
    link_->read(of(Kind::Entries, 64, 8), false);
    link_->post(of(Kind::Completion, kCompletionBytes, 9));
    EXPECT_EQ(link_->read_register(0x1c), 0x1du);
    EXPECT_THAT(device_->got, ElementsAre(Log::Arrival{Kind::Register, 7, 0}, Log::Arrival{Kind::Entries, 8, 0}));
    EXPECT_THAT(host_->got, ElementsAre(Log::Arrival{Kind::Completion, 9, 0}));
    run();
    EXPECT_EQ(device_->got.size(), 2u);
    EXPECT_EQ(link_->stats().to_device.packets + link_->stats().to_host.packets, 0u);
}

// 8 requests of 24 bytes, 768 ns: at the host at 868, answered at 918; 4116 bytes take 16464 ns: there at
// 17482. With 8 tags the second piece is asked for then, and comes one whole round later.
TEST_F(PcieLinkTest, ReadTagsLimitWhatIsOnItsWay)
{
    config::Pcie c = slow();
    c.read_request = 512;
    c.read_tags = 8;
    build(c);
    link_->read(of(Kind::WriteData, 4096, 1), true);
    link_->read(of(Kind::WriteData, 4096, 2), true);
    run();
    EXPECT_THAT(device_->got, ElementsAre(Log::Arrival{Kind::WriteData, 1, 17482000},
                                          Log::Arrival{Kind::WriteData, 2, 2 * 17482000}));
}

// With 16 tags the answers lie back to back: the second ends 16464 ns after the first.
TEST_F(PcieLinkTest, ManyReadTagsFillTheDirection)
{
    config::Pcie c = slow();
    c.read_request = 512;
    c.read_tags = 16;
    build(c);
    link_->read(of(Kind::WriteData, 4096, 1), true);
    link_->read(of(Kind::WriteData, 4096, 2), true);
    run();
    EXPECT_THAT(device_->got, ElementsAre(Log::Arrival{Kind::WriteData, 1, 17482000},
                                          Log::Arrival{Kind::WriteData, 2, 17482000 + 16464000}));
}

// Each packet down costs the other direction 16 bytes, with the next that goes there: 24 + 16 bytes.
TEST_F(PcieLinkTest, AcknowledgementsGoWithTheOtherDirection)
{
    config::Pcie c = slow();
    c.packets_per_dllp = 1;
    build(c);
    link_->ring(of(Kind::SubmissionBell, 4));
    link_->read(of(Kind::Entries, 64), false);
    run();
    EXPECT_EQ(link_->busy_to_host(Picoseconds(1000000)).value(), 160000u);
    // Down: 28 bytes, then 84 and 16 for the request.
    EXPECT_EQ(link_->busy_to_device(Picoseconds(1000000)).value(), 512000u);
    EXPECT_EQ(link_->stats().to_device.bytes, 128u);
    EXPECT_EQ(link_->stats().to_device.packets, 2u);
}

} // namespace
} // namespace tlmssd::nvme
