// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the SSD of a guest.
#include "models/guest/guest_device.h"

#include <cstring>
#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include "models/common/error.h"
#include "models/flash/rtl/rtl_controller.h"
#include "models/nvme/pcie_link.h"
#include "models/pci/ssd_pci.h"
#include "models/sata/link.h"
#include "models/ssd/include/tlmssd/ssd_ahci.h"
#include "models/ssd/include/tlmssd/ssd_nvme.h"

namespace tlmssd::guest {

namespace {

constexpr u64 kPicoseconds = 1000; // in a nanosecond
constexpr u32 kVectors = 32;       // User-Mode Linux has no more

pci::FunctionFacts function_of(Controller kind, BarWidth bars)
{
    pci::FunctionFacts facts = kind == Controller::Nvme ? pci::nvme_function(kVectors) : pci::ahci_function();
    if (bars == BarWidth::Narrow) {
        for (pci::BarFacts& bar : facts.bars) {
            bar.wide = false;
        }
    }
    return facts;
}

/// The guest's memory as a bus; a write of four bytes outside of it is an interrupt message.
class MemoryBus final : public sc_core::sc_module {
public:
    tlm_utils::simple_target_socket<MemoryBus> socket;

    MemoryBus(sc_core::sc_module_name name, GuestMemory& memory) : sc_module(name), socket("socket"), memory_(memory)
    {
        socket.register_b_transport(this, &MemoryBus::b_transport);
    }

    std::deque<InterruptMessage> messages;
    u64 refused = 0;
    bool gone = false;

private:
    void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time&)
    {
        if (gone) {
            payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
            return;
        }
        const u32 bytes = payload.get_data_length();
        u8* const at = memory_.at(payload.get_address(), bytes);
        if (at != nullptr && payload.get_byte_enable_ptr() == nullptr && payload.get_streaming_width() >= bytes) {
            if (payload.is_read()) {
                std::memcpy(payload.get_data_ptr(), at, bytes);
            } else {
                memory_.announce_write(payload.get_address(), bytes);
                std::memcpy(at, payload.get_data_ptr(), bytes);
            }
            payload.set_response_status(tlm::TLM_OK_RESPONSE);
        } else if (payload.is_write() && bytes == 4 && at == nullptr) {
            u32 data = 0;
            std::memcpy(&data, payload.get_data_ptr(), sizeof data);
            messages.push_back({payload.get_address(), data});
            payload.set_response_status(tlm::TLM_OK_RESPONSE);
        } else {
            ++refused;
            payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
        }
    }

    GuestMemory& memory_;
};

} // namespace

/// AHCI has a level where MSI needs messages: one when it rises, and one when it is still high after the driver has
/// cleared what it knew of.
class LevelToMessage final : public sc_core::sc_module {
public:
    SC_HAS_PROCESS(LevelToMessage);
    sc_core::sc_in<bool> level;

    LevelToMessage(sc_core::sc_module_name name, std::function<void()> message)
        : sc_module(name), message_(std::move(message))
    {
        SC_METHOD(rose);
        sensitive << level.pos();
        dont_initialize();
        SC_METHOD(look);
        sensitive << looked_;
        dont_initialize();
    }
    /// The driver has written the interrupt status.
    void cleared()
    {
        deltas_ = 3; // until the pin has followed the registers
        looked_.notify(sc_core::SC_ZERO_TIME);
    }

private:
    void rose() { message_(); }
    void look()
    {
        if (--deltas_ != 0) {
            looked_.notify(sc_core::SC_ZERO_TIME);
        } else if (level.read()) {
            message_();
        }
    }

    std::function<void()> message_;
    sc_core::sc_event looked_;
    u32 deltas_ = 0;
};

struct GuestDevice::System final : public sc_core::sc_module, public SsdNvmeVectorsIf {
    SC_HAS_PROCESS(System);

    System(sc_core::sc_module_name name, Controller kind, const std::string& file, const std::vector<std::string>& sets,
           const std::string& cells, GuestMemory& guest, BarWidth bars, const SsdObservation& observation)
        : sc_module(name), pci("pci", function_of(kind, bars), [this] { reset(); }),
          memory("memory", guest), config("config"), space("space")
    {
        SC_METHOD(remove);
        sensitive << removal;
        dont_initialize();
        config.bind(pci.config);
        space.bind(pci.space);
        pci.memory.bind(memory.socket);
        if (kind == Controller::Nvme) {
            SsdNvmeConfig from;
            from.file = file;
            from.sets = sets;
            from.cells = cells;
            from.observation = observation;
            from.vectors = kVectors;
            from.queue_pairs = 16;
            nvme = std::make_unique<SsdNvme>("ssd", from);
            pci.registers.bind(nvme->registers);
            nvme->memory.bind(pci.dma);
            nvme->interrupt.bind(pin);
            nvme->vectors.bind(*this);
        } else {
            SsdAhciConfig from;
            from.file = file;
            from.sets = sets;
            from.cells = cells;
            from.observation = observation;
            ahci = std::make_unique<SsdAhci>("ssd", from);
            pci.registers.bind(ahci->registers);
            ahci->memory.bind(pci.dma);
            ahci->interrupt.bind(pin);
            level = std::make_unique<LevelToMessage>("level", [this] { pci.interrupt(0); });
            level->level.bind(pin);
        }
    }

    void message(std::uint32_t vector) override { pci.interrupt(vector); }
    void remove()
    {
        memory.gone = true;
        memory.messages.clear();
    }

    void reset()
    {
        if (nvme) {
            nvme->reset_function();
        } else {
            constexpr u32 kGlobalControl = 4, kReset = 1; // GHC.HR
            u32 value = kReset;
            access(pci.registers, tlm::TLM_WRITE_COMMAND, kGlobalControl, reinterpret_cast<u8*>(&value), 4);
        }
    }
    /// False: nobody answers there.
    template <class Socket>
    bool access(Socket& socket, tlm::tlm_command command, u64 address, u8* data, u32 bytes)
    {
        if (memory.gone) {
            return false;
        }
        tlm::tlm_generic_payload payload;
        payload.set_command(command);
        payload.set_address(address);
        payload.set_data_ptr(data);
        payload.set_data_length(bytes);
        payload.set_streaming_width(bytes);
        sc_core::sc_time delay;
        socket->b_transport(payload, delay);
        return payload.is_response_ok();
    }

    void set_limit(sc_core::sc_time end) { nvme ? nvme->set_limit(end) : ahci->set_limit(end); }
    std::vector<std::string> failures() const { return nvme ? nvme->failures() : ahci->failures(); }

    pci::SsdPci pci;
    MemoryBus memory;
    tlm_utils::simple_initiator_socket<System> config, space;
    sc_core::sc_signal<bool> pin{"pin"};
    sc_core::sc_event removal{"removal"};
    std::unique_ptr<SsdNvme> nvme;
    std::unique_ptr<SsdAhci> ahci;
    std::unique_ptr<LevelToMessage> level;
};

GuestDevice::GuestDevice(Controller controller, const std::string& file, const std::vector<std::string>& sets,
                         const std::string& cells, GuestMemory& memory, BarWidth bars,
                         const SsdObservation& observation)
    : system_(std::make_unique<System>("guest", controller, file, sets, cells, memory, bars, observation))
{
    system_->set_limit(sc_core::SC_ZERO_TIME); // nothing runs ahead of the guest
    sc_core::sc_start(sc_core::SC_ZERO_TIME); // elaborated; processes wait
    at_start_ = all_counters();
}

GuestDevice::~GuestDevice() = default;

void GuestDevice::read_config(u32 offset, u8* data, u32 bytes)
{
    if (!system_->access(system_->config, tlm::TLM_READ_COMMAND, offset, data, bytes)) {
        std::memset(data, 0xff, bytes);
    }
}

void GuestDevice::write_config(u32 offset, const u8* data, u32 bytes)
{
    std::vector<u8> copy(data, data + bytes);
    system_->access(system_->config, tlm::TLM_WRITE_COMMAND, offset, copy.data(), bytes);
}

void GuestDevice::read_bar(u32 bar, u64 offset, u8* data, u32 bytes)
{
    if (bar < pci::kBars) {
        read_space(system_->pci.configuration().bar_address(bar) + offset, data, bytes);
    } else {
        std::memset(data, 0xff, bytes);
    }
}

void GuestDevice::write_bar(u32 bar, u64 offset, const u8* data, u32 bytes)
{
    if (bar < pci::kBars) {
        write_space(system_->pci.configuration().bar_address(bar) + offset, data, bytes);
    }
}

void GuestDevice::read_space(u64 address, u8* data, u32 bytes)
{
    if (!system_->access(system_->space, tlm::TLM_READ_COMMAND, address, data, bytes)) {
        std::memset(data, 0xff, bytes);
    }
}

void GuestDevice::write_space(u64 address, const u8* data, u32 bytes)
{
    constexpr u64 kInterruptStatus = 8; // AHCI's IS
    std::vector<u8> copy(data, data + bytes);
    system_->access(system_->space, tlm::TLM_WRITE_COMMAND, address, copy.data(), bytes);
    if (system_->level) {
        const std::optional<pci::BarHit> hit = system_->pci.configuration().find(address, bytes);
        if (hit && hit->offset == kInterruptStatus) {
            system_->level->cleared();
        }
    }
}

void GuestDevice::reset()
{
    if (!system_->memory.gone) {
        system_->pci.reset();
        system_->memory.messages.clear();
    }
}

u64 GuestDevice::now() const { return sc_core::sc_time_stamp().value() / kPicoseconds; }

u64 GuestDevice::next_event() const
{
    if (sc_core::sc_pending_activity_at_current_time()) {
        return (sc_core::sc_time_stamp().value() + kPicoseconds - 1) / kPicoseconds;
    }
    if (!sc_core::sc_pending_activity_at_future_time()) {
        return kNever;
    }
    const sc_core::sc_time next = sc_core::sc_time_stamp() + sc_core::sc_time_to_pending_activity();
    return (next.value() + kPicoseconds - 1) / kPicoseconds;
}

void GuestDevice::advance(u64 time)
{
    const sc_core::sc_time end = sc_core::sc_time::from_value(time * kPicoseconds);
    system_->set_limit(end);
    if (end > sc_core::sc_time_stamp()) {
        sc_core::sc_start(end - sc_core::sc_time_stamp());
    }
    while (sc_core::sc_pending_activity_at_current_time() && sc_core::sc_get_status() != sc_core::SC_STOPPED) {
        sc_core::sc_start(sc_core::SC_ZERO_TIME);
    }
}

std::optional<InterruptMessage> GuestDevice::take_interrupt()
{
    std::deque<InterruptMessage>& messages = system_->memory.messages;
    if (messages.empty()) {
        return std::nullopt;
    }
    const InterruptMessage message = messages.front();
    messages.pop_front();
    return message;
}

bool GuestDevice::interrupt_waits() const { return !system_->memory.messages.empty(); }

bool GuestDevice::failed() const { return sc_core::sc_get_status() == sc_core::SC_STOPPED; }

void GuestDevice::remove_at(u64 time)
{
    system_->removal.notify(sc_core::sc_time::from_value((time - now()) * kPicoseconds));
}

void GuestDevice::cut_power()
{
    before_cut_ = system_->failures(); // ready lines rise with the supply: no violation
    system_->nvme ? system_->nvme->cut_power() : system_->ahci->cut_power();
}

std::vector<std::string> GuestDevice::failures() const { return before_cut_ ? *before_cut_ : system_->failures(); }

u64 GuestDevice::refused() const { return system_->memory.refused + system_->pci.refused(); }

run::DeviceCounters GuestDevice::counters() const { return all_counters().since(at_start_); }

run::DeviceCounters GuestDevice::all_counters() const
{
    const Picoseconds now(sc_core::sc_time_stamp().value());
    run::DeviceCounters counters = run::DeviceCounters::of(ssd(), ssd::HostSide(), now);
    if (system_->ahci) {
        const sata::Link& link = system_->ahci->link();
        counters.link = {link.busy(sata::Side::Device, now), link.busy(sata::Side::Host, now)};
    } else {
        const nvme::PcieLink& link = *ssd().pcie();
        counters.link = {link.busy_to_host(now), link.busy_to_device(now)};
    }
    return counters;
}

std::optional<flash::RtlCounters> GuestDevice::rtl_counters()
{
    flash::RtlController* const rtl = (system_->nvme ? system_->nvme->ssd() : system_->ahci->ssd()).rtl_controller();
    if (rtl == nullptr || !rtl->has_counters() || failed()) {
        return std::nullopt;
    }
    return rtl->finish_counters(Picoseconds(sc_core::sc_time_stamp().value()));
}

const ssd::DeviceRequests& GuestDevice::requests() const
{
    return system_->nvme ? system_->nvme->requests() : system_->ahci->requests();
}

void GuestDevice::close_observation()
{
    system_->nvme ? system_->nvme->close_observation() : system_->ahci->close_observation();
}

const Ssd& GuestDevice::ssd() const { return system_->nvme ? system_->nvme->ssd() : system_->ahci->ssd(); }

} // namespace tlmssd::guest
