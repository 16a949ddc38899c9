// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: rules of the array, its bus, the part and the flash controller.
#include <algorithm>
#include <cmath>

#include "models/config/keys/rtl_controllers.h"
#include "models/config/nand_limits.h"
#include "models/config/rules/rules.h"
#include "models/config/text/raw.h"

namespace tlmssd::config {
namespace {

constexpr u32 kMaxDies = 1024;
constexpr u32 kMaxChipEnables = 32; // on a channel
constexpr double kPsPerUs = 1e6;
constexpr u32 kRowBits = 24;        // three row address cycles (ONFI 2.3, 5 address cycles)

/// No program and no erase of the part takes longer, whatever its page type, variation and wear.
u64 longest_array_us(const Nand& n)
{
    Picoseconds program = n.t_program;
    for (const PageType& type : n.types) {
        program = max(program, type.t_program);
    }
    const double die = 1 + n.die_variation;
    const double program_ps = static_cast<double>(program.value()) * (1 + n.array_variation) *
                              (1 + kMostWear * std::max(n.wear.program_change, 0.0));
    const double erase_ps =
        static_cast<double>(n.t_erase.value()) * (1 + kMostWear * std::max(n.wear.erase_change, 0.0));
    return static_cast<u64>(std::ceil(std::max(program_ps, erase_ps) * die / kPsPerUs - 1e-9));
}

class FlashRules : public Rules {
public:
    using Rules::Rules;
    void all() const
    {
        array();
        row_address();
        size();
        bus();
        part();
        controller();
        no_grants();
    }

private:
    void array() const
    {
        const u32 page = c_.nand.page_bytes;
        require((page & (page - 1)) == 0, "nand.page_bytes", str(page) + " is not a power of two");
        require((g_.planes & (g_.planes - 1)) == 0, given("geometry.planes", "nand.planes"),
                str(g_.planes) + " planes: plane addresses need 1, 2 or 4");
        require(g_.dies % g_.chip_enables == 0, "geometry.chip_enables",
                str(g_.chip_enables) + " chip enables do not divide " + str(g_.dies) +
                    " dies (geometry.dies) evenly");
        require(g_.ces_per_channel() <= kMaxChipEnables, "geometry.ways",
                str(g_.ways) + " ways with " + str(g_.chip_enables) +
                    " chip enables each are more than " + str(kMaxChipEnables) +
                    " chip enables per channel");
        require(g_.total_dies() <= kMaxDies, "geometry.dies",
                str(g_.channels) + " channels x " + str(g_.ways) + " ways x " + str(g_.dies) +
                    " dies are " + str(g_.total_dies()) + " dies, more than " + str(kMaxDies));
    }

    void row_address() const
    {
        const u32 bits = g_.lun_shift() + bits_for(g_.luns_per_ce());
        require(bits <= kRowBits, given("geometry.blocks", "nand.blocks"),
                "the row address needs " + str(bits) + " bits (" + str(g_.pages) + " pages, " +
                    str(g_.planes) + " planes, " + str(g_.blocks) + " blocks, " +
                    str(g_.luns_per_ce()) + " dies per chip enable); ONFI carries " + str(kRowBits));
    }

    void size() const
    {
        constexpr u64 limit = 0xffffffffu; // 2^32 - 1 means "none" in every table
        const char* key = given("geometry.blocks", "nand.blocks");
        require(g_.total_pages() < limit, key,
                str(g_.total_pages()) + " pages in the device; at most 2^32 - 2 can be numbered");
        require(c_.logical_pages() * g_.units_per_page() < limit - 1, key,
                str(c_.logical_pages() * g_.units_per_page()) + " logical units of " +
                    str(g_.unit_bytes()) + " bytes; at most 2^32 - 3 can be numbered");
    }

    void bus() const
    {
        const Onfi& o = c_.onfi;
        const Nand& n = c_.nand;
        static constexpr u32 kLast[] = {5, 5, 8, 10};
        const auto interface = static_cast<std::size_t>(o.interface);
        const std::string name = to_string(o.interface);
        require(o.mode <= kLast[interface], "onfi.mode",
                name + " has modes 0 to " + str(kLast[interface]) + ", not " + str(o.mode));
        const u32 modes[] = {n.sdr_modes, n.nvddr_modes, n.nvddr2_modes, n.nvddr3_modes};
        static constexpr const char* kModes[] = {"nand.sdr_modes", "nand.nvddr_modes",
                                                 "nand.nvddr2_modes", "nand.nvddr3_modes"};
        require(o.mode < modes[interface], given(kModes[interface], "onfi.mode"),
                n.name + (modes[interface] == 0 ? " has no " + name
                                                : " has " + name + " modes 0 to " +
                                                      str(modes[interface] - 1)) +
                    ", but onfi.interface and onfi.mode ask for " + name + " mode " + str(o.mode));
        if (o.timeless) {
            require(c_.controller.kind == ControllerKind::Tlm, given("onfi.timeless", "controller.kind"),
                    std::string("true is for controller.kind: tlm; cycles of ") +
                        to_string(c_.controller.kind) + " take their clock's time");
            require(o.cycle == Picoseconds(), "onfi.cycle_ns",
                    "a cycle of this length with onfi.timeless: true: leave it 0");
        }
    }

    void part() const
    {
        const Nand& n = c_.nand;
        require(n.manufacturer.size() <= 12, "nand.manufacturer", "more than 12 characters");
        require(n.jedec_id.size() % 2 == 0 && n.jedec_id.size() >= 2 && n.jedec_id.size() <= 16 &&
                    n.jedec_id.find_first_not_of("0123456789abcdefABCDEF") == std::string::npos,
                "nand.jedec_id", "must be 1 to 8 bytes in hex, like 2c88044ba900");
        require(n.program_clear || g_.luns_per_ce() == 1, "nand.program_clear",
                "false needs one die per chip enable: 80h to one LUN would clear what another has "
                "read, and the controllers do not wait for that");
        require(c_.controller.read_retries <= n.errors.retry_levels, "controller.read_retries",
                str(c_.controller.read_retries) + " is more than the part's " +
                    str(n.errors.retry_levels) + " levels (nand.errors.retry_levels)");
        const std::string& script = c_.inject.fault_script;
        if (!script.empty()) {
            check_readable(script, settings_.where("inject.fault_script"), "inject.fault_script");
        }
    }

    void controller() const
    {
        const ControllerMode need = mode_of(c_.scheduler);
        require(c_.controller.mode == need || settings_.mode_forced(), "controller.mode",
                std::string(to_string(c_.controller.mode)) + " does not fit scheduler " +
                    to_string(c_.scheduler) + ", which needs " + to_string(need) + "; use auto");
        require(c_.controller.suspend == Suspend::None || c_.controller.stations > 1,
                "controller.stations",
                "1 leaves no station for a read beside the operation that is to be suspended "
                "(controller.suspend): needs 2 or more");
        require(c_.controller.suspend == Suspend::None || c_.controller.age_limit != Picoseconds(),
                "controller.suspend",
                "needs a time of controller.age_limit_us: with by_age everything goes by age and nothing "
                "would be suspended");
        require(c_.controller.suspend != Suspend::ProgramAndErase || !caches_programs(c_.controller.cache_ops),
                "controller.cache_ops",
                "a cached program cannot be suspended, and controller.suspend: program_and_erase suspends every "
                "program: use read, or suspend: erase");
        if (is_rtl(c_.controller.kind)) {
            // None: this build has no RTL.
            if (const RtlController* const rtl = find_rtl_controller(c_.controller.rtl)) {
                rtl_controller(*rtl);
            }
        }
        time_limit();
        phy();
    }

    /// A die that works is not to be given up: its firmware would take what it programs for lost.
    void time_limit() const
    {
        const u64 longest = longest_array_us(c_.nand);
        require(c_.controller.timeout == Picoseconds() || c_.controller.timeout > microseconds(longest),
                "controller.timeout_us",
                "not above " + str(longest) +
                    ", the longest program or erase of the part in microseconds (its times, variation and wear): "
                    "dies that work would be given up; use more, or never");
    }

    void phy() const
    {
        if (c_.controller.kind == ControllerKind::RtlPins) {
            const BusInterface interface = c_.onfi.interface;
            require(interface == BusInterface::Sdr || interface == BusInterface::NvDdr, "onfi.interface",
                    std::string("controller.kind: rtl_pins has sdr and nvddr, not ") + to_string(interface) +
                        "; the nearest is nvddr");
        } else {
            require(c_.controller.phy_mhz == 0, "controller.phy_mhz",
                    std::string("is for controller.kind: rtl_pins; with ") + to_string(c_.controller.kind) +
                        " there is no PHY: leave it 0");
        }
    }

    void rtl_controller(const RtlController& rtl) const
    {
        const std::string name = rtl.name;
        require(rtl.has(c_.controller.mode), "controller.rtl",
                name + " has no mode but " + rtl.modes() + "; " +
                    (settings_.mode_forced()
                         ? std::string("--mode is")
                         : std::string("scheduler ") + to_string(c_.scheduler) + " needs mode") +
                    " " + to_string(c_.controller.mode) + ": use o3");
        require(c_.controller.mode != ControllerMode::Ooo || rtl.clump ||
                    c_.controller.issue_policy == IssuePolicy::FirstCome,
                "controller.issue_policy",
                name + " gives the bus to who asked first (first_come) only; for clump use o3");
        if (rtl.registers) {
            return;
        }
        require(c_.onfi.ready == ReadySense::Lun, "onfi.ready",
                name + " needs a ready line for each LUN (lun); o3 polls (status, target), too");
        require(c_.nand.ready_falls == ReadyFalls::AtOnce, "nand.ready_falls",
                name + " looks at R/B# at once, and needs at_once; o3 masks it for tWB");
        require(c_.controller.timeout == Picoseconds(), "controller.timeout_us",
                name + " has no timeout; use o3");
        require(c_.controller.suspend == Suspend::None, "controller.suspend",
                name + " does not suspend; use o3");
        require(c_.controller.read_retries == 0, "controller.read_retries",
                name + " has no read retry; use o3");
        for (const char* key : {"controller.stations", "controller.age_limit_us"}) {
            require(settings_.find(key) == nullptr, key, name + " does not know it; use o3");
        }
    }

    void no_grants() const
    {
        const u32 channels = c_.inject.no_grants;
        const RtlController* const rtl = find_rtl_controller(c_.controller.rtl);
        require(channels == 0 || (is_rtl(c_.controller.kind) && rtl != nullptr && rtl->no_grants),
                "inject.no_grants",
                "needs controller.kind: rtl or rtl_pins and a controller.rtl with the port no_grant_i, such as o3");
        require(u64{channels} >> c_.geometry.channels == 0, "inject.no_grants",
                str(channels) + " has a bit beyond the " + str(c_.geometry.channels) + " channels");
    }
};

} // namespace

void check_flash(const Config& config, const Settings& settings) { FlashRules(config, settings).all(); }

} // namespace tlmssd::config
