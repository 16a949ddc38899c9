// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: link time against hand computation and the derived table; order of service.
#include "models/sata/link.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "tb/sata/kernel.h"

namespace tlmssd::sata {
namespace {

config::Sata line(u32 tenths, u32 handshake)
{
    config::Sata c;
    c.gbps_tenths = tenths;
    c.handshake_dwords = handshake;
    return c;
}

double mb_per_s(double bytes, Picoseconds time) { return bytes / time.seconds() / 1e6; }

// (5 + 3 + 20) dwords * 258/256 * 40 bit / 6 Gb/s = 28 * 6718.75 ps, exact; the other lines by the
// ratio of their rates: 752500/2 = 376250 and 752500.
TEST(FrameTime, RegisterFisToThePicosecond)
{
    EXPECT_EQ(frame_time(line(60, 20), kRegisterDwords).value(), 188125u);
    EXPECT_EQ(frame_time(line(30, 20), kRegisterDwords).value(), 376250u);
    EXPECT_EQ(frame_time(line(15, 20), kRegisterDwords).value(), 752500u);
}

// (2 + 3 + 20) * 6718.75 = 167968.75 and (7 + 3 + 20) * 6718.75 = 201562.5: rounded up.
TEST(FrameTime, RoundsUpOncePerFrame)
{
    EXPECT_EQ(frame_time(line(60, 20), kSetDeviceBitsDwords).value(), 167969u);
    EXPECT_EQ(frame_time(line(60, 20), kDmaSetupDwords).value(), 201563u);
}

TEST(FrameTime, DataFisReachesTheDerivedBandwidths) // docs/reference/sata-facts.md, "Bandwidth"
{
    struct Row {
        u32 tenths;
        double h0, h20, h40;
    };
    for (const Row& row : {Row{15, 148.5, 147.1, 145.7}, Row{30, 297.1, 294.2, 291.4},
                           Row{60, 594.2, 588.5, 582.8}}) {
        const u32 dwords = kDataHeaderDwords + kMaxDataBytes / 4;
        const double expected[] = {row.h0, row.h20, row.h40};
        for (u32 i = 0; i < 3; ++i) {
            const double got = mb_per_s(8192, frame_time(line(row.tenths, 20 * i), dwords));
            EXPECT_NEAR(got, expected[i], 0.002 * expected[i]) << row.tenths << " h=" << 20 * i;
        }
    }
}

TEST(FrameTime, WholeCommandsReachTheDerivedBandwidths) // docs/reference/sata-facts.md, "Bandwidth"
{
    struct Row {
        u32 tenths;
        double read4_h20, read4_h40, read64_h40, write64_h40;
    };
    for (const Row& row : {Row{15, 131, 121, 144, 141}, Row{30, 263, 242, 288, 282},
                           Row{60, 526, 484, 576, 565}}) {
        const auto total = [&row](u32 handshake, std::vector<u32> fises) {
            Picoseconds sum;
            for (const u32 dwords : fises) {
                sum += frame_time(line(row.tenths, handshake), dwords);
            }
            return sum;
        };
        const u32 data4 = 1 + 1024;
        const u32 data8 = 1 + 2048;
        const std::vector<u32> read4{5, 5, 7, data4, 2};
        EXPECT_NEAR(mb_per_s(4096, total(20, read4)), row.read4_h20, 0.6);
        EXPECT_NEAR(mb_per_s(4096, total(40, read4)), row.read4_h40, 0.6);
        const std::vector<u32> read64{5,     5,     7,     data8, data8, data8, data8,
                                      data8, data8, data8, data8, 2};
        EXPECT_NEAR(mb_per_s(65536, total(40, read64)), row.read64_h40, 1.1);
        std::vector<u32> write64{5, 5, 7, data8};
        for (u32 i = 0; i < 7; ++i) {
            write64.push_back(1); // DMA activate before each further data FIS
            write64.push_back(data8);
        }
        write64.push_back(2);
        EXPECT_NEAR(mb_per_s(65536, total(40, write64)), row.write64_h40, 1.1);
    }
}

/// One end of the link that notes what happens.
struct End : public sc_core::sc_module, public LinkBwIf {
    End(sc_core::sc_module_name name, Side side, std::vector<std::string>& log_ref,
        time::EventQueue& w)
        : sc_module(name), socket("socket"), pool(side), log(log_ref), event_queue(w)
    {
        socket.bind(*this);
    }
    tlm::tlm_sync_enum nb_transport_bw(Frame& frame, FramePhase& phase, sc_core::sc_time&) override
    {
        const std::string what = phase == FramePhase::Sent ? "sent " : "got ";
        log.push_back(what + std::to_string(frame.dwords) + "@" +
                      std::to_string(event_queue.now().value()));
        if (phase == FramePhase::Arrived) {
            frame.release();
        }
        return tlm::TLM_COMPLETED;
    }
    PortSocket socket;
    FramePool pool;
    std::vector<std::string>& log;
    time::EventQueue& event_queue;
};

// docs/reference/sata-facts.md, "Bandwidth", on a link that is never idle, in all generations, with and without
// bits.
TEST(LinkRate, BackToBackDataReachTheDerivedBandwidths)
{
    struct Row {
        u32 tenths;
        double h0, h20, h40;
    };
    for (const Row& row : {Row{15, 148.5, 147.1, 145.7}, Row{30, 297.1, 294.2, 291.4},
                           Row{60, 594.2, 588.5, 582.8}}) {
        const double expected[] = {row.h0, row.h20, row.h40};
        for (u32 i = 0; i < 6; ++i) {
            tb::fresh_kernel();
            config::Sata c = line(row.tenths, 20 * (i % 3));
            c.link = i < 3 ? config::LinkDetail::Fast : config::LinkDetail::Full;
            time::EventQueue event_queue("event_queue");
            Link link("link", event_queue, c);
            std::vector<std::string> log;
            End host("host", Side::Host, log, event_queue);
            End device("device", Side::Device, log, event_queue);
            host.socket.bind(link.host_socket);
            device.socket.bind(link.device_socket);
            for (u32 n = 0; n < 100; ++n) {
                queue_frame(device.socket, device.pool.take_data(16));
            }
            sc_core::sc_start(10, sc_core::SC_MS);
            ASSERT_EQ(log.size(), 100u);
            const double got = mb_per_s(100 * 8192, link.stats().from_device.busy);
            EXPECT_NEAR(got, expected[i % 3], 0.01 * expected[i % 3]) << row.tenths << " " << i;
            EXPECT_EQ(log.back(), "got 2049@" + std::to_string(link.stats().from_device.busy.value()));
        }
    }
}

class LinkOrder : public tb::KernelTest {
protected:
    // h = 0, 6 Gb/s: a FIS of d dwords takes (d + 3) * 6718.75 ps, rounded up.
    time::EventQueue event_queue{"event_queue"};
    Link link{"link", event_queue, line(60, 0)};
    std::vector<std::string> log;
    End host{"host", Side::Host, log, event_queue};
    End device{"device", Side::Device, log, event_queue};

    LinkOrder()
    {
        host.socket.bind(link.host_socket);
        device.socket.bind(link.device_socket);
    }
    void run() { sc_core::sc_start(1, sc_core::SC_MS); }
};

TEST_F(LinkOrder, CommandFisesPassWaitingDataAndFramesAreNotSplit)
{
    // The first frame takes the idle link at once, whatever it is; the rest are ordered.
    queue_frame(device.socket, device.pool.take_data(1));  // 129 dwords
    queue_frame(host.socket, host.pool.take_data(2));      // 257: last, host data
    queue_frame(device.socket, device.pool.take_data(3));  // 385: device data
    queue_frame(host.socket, host.pool.take(5));           // host FIS
    queue_frame(device.socket, device.pool.take(2));       // device FIS first
    run();
    // ends: 132 -> 886875; +5 -> 33593.75 up; +8 -> 53750; +388 -> 2606875; +260 -> 1746875
    EXPECT_THAT(log, testing::ElementsAre("got 129@886875", "got 2@920469", "got 5@974219",
                                          "got 385@3581094", "got 257@5327969"));
    EXPECT_EQ(link.stats().from_device.frames, 3u);
    EXPECT_EQ(link.stats().from_device.data_frames, 2u);
    EXPECT_EQ(link.stats().from_device.payload_bytes, 4u * 512);
    EXPECT_EQ(link.stats().from_device.busy.value(), 886875u + 33594 + 2606875);
    EXPECT_EQ(link.stats().from_host.frames, 2u);
    EXPECT_EQ(link.stats().from_host.busy.value(), 53750u + 1746875);
}

TEST_F(LinkOrder, DataWaitForTheirPayloadAndOthersGoMeanwhile)
{
    Frame& data = device.pool.take_data(1);
    data.ready_at = Picoseconds(1000000);
    data.notify_sent = true;
    queue_frame(device.socket, data);
    queue_frame(host.socket, host.pool.take(5)); // 8 * 6718.75
    run();
    EXPECT_THAT(log, testing::ElementsAre("got 5@53750", "sent 129@1886875", "got 129@1886875"));
}

} // namespace
} // namespace tlmssd::sata
