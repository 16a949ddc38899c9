// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: transactions through a PCI function: registers, DMA, messages, reset.
#include <gtest/gtest.h>

#include <cstring>
#include <map>

#include "models/pci/ssd_pci.h"
#include "tb/sata/kernel.h"

namespace tlmssd::tb {
namespace {

/// A device with one register of 4 bytes at each offset.
struct Device final : sc_core::sc_module {
    tlm_utils::simple_target_socket<Device> registers{"registers"};
    tlm_utils::simple_initiator_socket<Device> memory{"memory"};
    std::map<u64, u32> values;

    explicit Device(sc_core::sc_module_name name) : sc_module(name)
    {
        registers.register_b_transport(this, &Device::on_access);
    }
    void on_access(tlm::tlm_generic_payload& p, sc_core::sc_time&)
    {
        u32& value = values[p.get_address()];
        std::memcpy(p.is_write() ? static_cast<void*>(&value) : p.get_data_ptr(),
                    p.is_write() ? p.get_data_ptr() : static_cast<void*>(&value), 4);
        p.set_response_status(tlm::TLM_OK_RESPONSE);
    }
};

/// All sockets of the function's system side.
struct System final : sc_core::sc_module {
    SC_HAS_PROCESS(System);
    tlm_utils::simple_initiator_socket<System> config{"config"};
    tlm_utils::simple_initiator_socket<System> space{"space"};
    tlm_utils::simple_target_socket<System> memory{"memory"};
    std::vector<std::pair<u64, u32>> written;
    std::function<void()> program;

    explicit System(sc_core::sc_module_name name) : sc_module(name)
    {
        memory.register_b_transport(this, &System::on_memory);
        SC_THREAD(run);
    }
    void run() { program(); }
    void on_memory(tlm::tlm_generic_payload& p, sc_core::sc_time& delay)
    {
        u32 value = 0;
        std::memcpy(&value, p.get_data_ptr(), 4);
        written.emplace_back(p.get_address(), value);
        delay += sc_core::sc_time(5, sc_core::SC_NS);
        p.set_response_status(tlm::TLM_OK_RESPONSE);
    }
    template <class Socket>
    static tlm::tlm_response_status access(Socket& socket, bool write, u64 at, u32& value, u32 bytes = 4)
    {
        tlm::tlm_generic_payload p;
        p.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
        p.set_address(at);
        p.set_data_ptr(reinterpret_cast<u8*>(&value));
        p.set_data_length(bytes);
        p.set_streaming_width(bytes);
        sc_core::sc_time delay;
        socket->b_transport(p, delay);
        return p.get_response_status();
    }
    void set(u32 at, u32 value) { EXPECT_EQ(access(config, true, at, value), tlm::TLM_OK_RESPONSE); }
    u32 get(u32 at)
    {
        u32 value = 0;
        EXPECT_EQ(access(config, false, at, value), tlm::TLM_OK_RESPONSE);
        return value;
    }
};

struct SsdPciTest : KernelTest {
    void run(const pci::FunctionFacts& facts, const std::function<void()>& program)
    {
        function = std::make_unique<pci::SsdPci>("pci", facts, [this] { ++resets; });
        device = std::make_unique<Device>("device");
        system = std::make_unique<System>("system");
        system->config.bind(function->config);
        system->space.bind(function->space);
        function->memory.bind(system->memory);
        function->registers.bind(device->registers);
        device->memory.bind(function->dma);
        bool ended = false;
        system->program = [&] {
            program();
            ended = true;
        };
        sc_core::sc_start();
        EXPECT_TRUE(ended);
    }
    std::unique_ptr<pci::SsdPci> function;
    std::unique_ptr<Device> device;
    std::unique_ptr<System> system;
    u32 resets = 0;
};

constexpr u32 kBar5 = 0x24;
constexpr u32 kMsi = 0x40; // the first capability

TEST_F(SsdPciTest, RegistersAreWhereTheBarIs)
{
    run(pci::ahci_function(), [this] {
        u32 value = 42;
        system->set(kBar5, 0xf0000000);
        EXPECT_EQ(System::access(system->space, true, 0xf0000118, value), tlm::TLM_ADDRESS_ERROR_RESPONSE);
        system->set(0x04, 0x2);
        EXPECT_EQ(System::access(system->space, true, 0xf0000118, value), tlm::TLM_OK_RESPONSE);
        EXPECT_EQ(device->values[0x118], 42u);
        value = 0;
        EXPECT_EQ(System::access(system->space, false, 0xf0000118, value), tlm::TLM_OK_RESPONSE);
        EXPECT_EQ(value, 42u);
        EXPECT_EQ(System::access(system->space, false, 0xf0001000, value), tlm::TLM_ADDRESS_ERROR_RESPONSE);
        EXPECT_EQ(System::access(system->config, false, 0xffe, value), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    });
}

TEST_F(SsdPciTest, DmaNeedsABusMaster)
{
    run(pci::ahci_function(), [this] {
        u32 value = 7;
        EXPECT_EQ(System::access(device->memory, true, 0x1000, value), tlm::TLM_ADDRESS_ERROR_RESPONSE);
        EXPECT_EQ(function->refused(), 1u);
        system->set(0x04, 0x4);
        EXPECT_EQ(System::access(device->memory, true, 0x1000, value), tlm::TLM_OK_RESPONSE);
        EXPECT_EQ(system->written, (std::vector<std::pair<u64, u32>>{{0x1000, 7}}));
    });
}

TEST_F(SsdPciTest, AnInterruptIsAWriteOfTheMessage)
{
    run(pci::ahci_function(), [this] {
        system->set(kMsi + 4, 0xfee00000);
        system->set(kMsi + 12, 65);
        system->set(kMsi, 0x10000 | (system->get(kMsi) & 0xffff));
        function->interrupt(0);
        sc_core::wait(1, sc_core::SC_US);
        EXPECT_EQ(function->messages(), 0u);
        system->set(0x04, 0x4); // the one that waits goes out
        sc_core::wait(1, sc_core::SC_US);
        function->interrupt(0);
        sc_core::wait(1, sc_core::SC_US);
        const std::vector<std::pair<u64, u32>> want(2, {0xfee00000, 65});
        EXPECT_EQ(system->written, want);
    });
}

TEST_F(SsdPciTest, AnUnmaskedVectorOfMsixSendsWhatIsPending)
{
    run(pci::nvme_function(2), [this] {
        u32 value = 0xf0000000;
        system->set(0x10, value);
        system->set(0x04, 0x6);
        system->set(kMsi, 0x80000000 | (system->get(kMsi) & 0xffff)); // MSI-X is the first capability here
        value = 0xfee00000;
        EXPECT_EQ(System::access(system->space, true, 0xf0002010, value), tlm::TLM_OK_RESPONSE);
        value = 66;
        EXPECT_EQ(System::access(system->space, true, 0xf0002018, value), tlm::TLM_OK_RESPONSE);
        function->interrupt(1);
        sc_core::wait(1, sc_core::SC_US);
        EXPECT_EQ(System::access(system->space, false, 0xf0003000, value), tlm::TLM_OK_RESPONSE);
        EXPECT_EQ(value, 2u) << "pending";
        EXPECT_TRUE(system->written.empty());
        value = 0;
        EXPECT_EQ(System::access(system->space, true, 0xf000201c, value), tlm::TLM_OK_RESPONSE);
        sc_core::wait(1, sc_core::SC_US);
        EXPECT_EQ(system->written, (std::vector<std::pair<u64, u32>>{{0xfee00000, 66}}));
        EXPECT_TRUE(device->values.empty()) << "the table is not the device's";
    });
}

TEST_F(SsdPciTest, AFunctionLevelResetReachesTheDevice)
{
    run(pci::ahci_function(), [this] {
        system->set(0x04, 0x6);
        u32 at = system->get(0x34) & 0xff;
        while ((system->get(at) & 0xff) != 0x13) {
            at = system->get(at) >> 8 & 0xff;
        }
        system->set(at + 4, 1);
        EXPECT_EQ(resets, 1u);
        EXPECT_EQ(system->get(0x04) & 0xffff, 0u);
    });
}

} // namespace
} // namespace tlmssd::tb
