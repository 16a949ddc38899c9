// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what the flash packages do: operations, parallelism, time (observe.packages).
#pragma once

#include <array>
#include <vector>

#include "models/common/geometry.h"
#include "models/cpu/cpu.h"
#include "models/interfaces/controller_if.h"

namespace tlmssd::probes {

/// Classes of parallelism of the page-allocation paper's Fig. 8.
enum class PackageClass : u8 { None, DieInterleaving, PlaneSharing, DieAndPlane };
inline constexpr std::size_t kPackageClasses = 4;

/// The use of a package at an instant; of several that hold the first of this order counts.
enum class PackageTime : u8 {
    Bus,         ///< a segment for it is on the channel
    Cell,        ///< an array of it works
    WaitChannel, ///< an operation of it waits for the channel
    WaitDie,     ///< the head of the scheduler's queue is for it and is held by a conflict
    Idle
};
inline constexpr std::size_t kPackageTimes = 5;

struct PackageCounters {
    std::array<u64, kPackageClasses> operations{}; ///< by class
    std::array<Picoseconds, kPackageTimes> times{};  ///< sums over all packages
    std::vector<Picoseconds> occupied; ///< by channel: an operation of it has not ended
    Picoseconds conflict_wait;         ///< of heads of the queue for a package

    u64 all_operations() const;
    /// Counts since `before`; an empty `before` is the start.
    PackageCounters since(const PackageCounters& before) const;
};

/// Follows all operations. Bind it to the controller and to the segment port, and as an observer of
/// the CPU. An operation of a package is all that the scheduler has committed to it at once: one
/// flash operation, or those of one opcode on several of its dies (FLASH_TAG says which).
class PackageTracker final : public flash::OperationObserverIf, public cpu::StepObserverIf {
public:
    /// `tags`: flash tags.
    PackageTracker(const Geometry& geometry, u32 tags);

    /// At `now`. Operations that have not ended count with the part that has passed.
    PackageCounters counters(Picoseconds now) const;

    void on_issue(u32 tag, const flash_op& op, Picoseconds now) override;
    void on_wait(u32 tag, Picoseconds now) override;
    void on_bus(u32 tag, u32 channel, Picoseconds start) override;
    void on_phase(u32 tag, u32 channel, flash::Phase phase, Picoseconds start,
                  Picoseconds end) override;
    void on_complete(u32 tag, const flash_completion& completion, Picoseconds now) override;

    void on_step(u32, Picoseconds, Picoseconds, const fw&) override {}
    void on_probe(u32 id, u32 value, Picoseconds now, Picoseconds at) override;
    u32 probes() const override;

private:
    static constexpr u32 kOpcodes = 8;
    static constexpr u32 kNoTag = ~u32{0};

    struct Operation {
        u64 group = 0; ///< number of what was committed at once
        u32 package = 0;
        u32 channel = 0;
        u32 die = 0;
        PackageTime doing = PackageTime::Idle; ///< Bus, Cell, WaitChannel; Idle: nothing that counts
        bool open = false;
        bool suspending = false; ///< from a suspend to the resume
    };
    /// The operation of an opcode that a package has had last.
    struct Joined {
        u64 group = 0;
        u32 dies = 0;
        bool planes = false; ///< some operation of it has several
    };
    struct Package {
        std::array<u32, kPackageTimes> doing{}; ///< operations by what they do; WaitDie: 0 or 1
        std::array<Joined, kOpcodes> last{};
        Picoseconds since; ///< all before it has been counted
        PackageTime before = PackageTime::Idle; ///< as what the last part was counted
    };
    struct Channel {
        u32 open = 0;
        Picoseconds since, occupied;
    };

    static PackageTime state(const Package& package);
    void count_time(Package& package, Picoseconds t);
    void move(Operation& o, PackageTime doing, Picoseconds t);
    void count_operation(const Operation& o, const flash_op& op);
    void hold(u32 die, Picoseconds at);

    Geometry geometry_;
    std::vector<Operation> operations_; ///< by flash tag
    std::vector<Package> packages_;
    std::vector<Channel> channels_;
    std::vector<u32> tag_of_die_;
    PackageCounters sums_;
    u64 group_ = 0;
    u32 held_package_ = kNoTag; ///< of the head of the queue
    Picoseconds held_since_;
};

} // namespace tlmssd::probes
