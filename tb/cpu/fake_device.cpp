// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the tiny device's flash, DRAM and HAL.
#include "tb/cpu/fake_device.h"

#include <gtest/gtest.h>

#include <cstring>

#include "firmware/core/sched_traits.h"
#include "models/common/error.h"

namespace tlmssd::cpu::test {

namespace {

constexpr u32 kPageBits = 3;
constexpr u32 kTemps = 16; // FW_BUFFER_TEMPS

u64 mix(u64 x)
{
    x += 0x9e3779b97f4a7c15ull;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x >> 27) * 0x94d049bb133111ebull;
    return x ^ x >> 31;
}

/// Schedulers that promise to submit to idle dies only.
bool one_a_die(u32 scheduler) { return (fw_sched_traits[scheduler] & SCHED_ONE_A_DIE) != 0; }

} // namespace

fw_config tiny_config(u32 scheduler, u32 buffer_policy, u32 cores)
{
    fw_config c{};
    c.channels = 2;
    c.ways = 1;
    c.chip_enables = 1;
    c.dies = 2;
    c.planes = 2;
    c.blocks = 16;
    c.pages = 1u << kPageBits;
    c.page_bytes = 4096;
    c.logical_pages = 700;
    c.allocation[0] = 0; // CWDP
    c.allocation[1] = 1;
    c.allocation[2] = 2;
    c.allocation[3] = 3;
    c.gc_threshold = 2;
    c.slots = 48;
    c.buffer_policy = buffer_policy;
    c.scheduler = scheduler;
    c.vaq_block_request = 0;
    c.vaq_join = 1;
    c.t_read_ns = 50000;
    c.t_program_ns = 500000;
    c.t_erase_ns = 2000000;
    c.join_writes = c.hybrid_place_late = c.hybrid_pack = 1;
    c.hybrid_defer_gc = c.hybrid_priorities = 1;
    c.hybrid_window = 4;
    c.hybrid_gc_window = 8;
    c.hybrid_age_limit_us = 10000;
    c.sost_leveler = c.hit_manager = 1;
    c.return_reads = 3;
    c.sost_priorities = 1;
    c.sost_hot_hits = 3;
    c.sost_age_limit_us = 100000;
    c.host_tags = 32;
    c.flash_tags = 32;
    c.cores = cores;
    for (u32 room = 0; room < FW_ROOM_COUNT; ++room) {
        c.core_of[room] = room % cores;
    }
    c.oob_base = (c.slots + kTemps + 8) * c.page_bytes;
    return c;
}

FakeDevice::FakeDevice(const fw_config& config, u64 seed)
    : config_(config), seed_(seed), spp_(config.page_bytes / 512), firmware_(std::make_unique<fw>()),
      commands_(config.host_tags), host_(u64{config.logical_pages} * spp_),
      trimmed_(config.logical_pages), dram_(config.oob_base / 512),
      capacity_(one_a_die(config.scheduler) ? 3 : 12)
{
}

FakeDevice::~FakeDevice() = default;

void FakeDevice::boot(StepRecorder* recorder)
{
    recorder_ = recorder;
    HalIf* hal = this;
    if (recorder != nullptr) {
        recording_ = std::make_unique<RecordingHal>(*this, *recorder);
        hal = recording_.get();
    }
    const u64 bytes = fw_arena_bytes(&config_);
    arena_.assign(bytes + 64, 0);
    const u64 skew = (64 - reinterpret_cast<std::uintptr_t>(arena_.data()) % 64) % 64;
    if (!fw_boot(firmware_.get(), &config_, native_handle(*hal), arena_.data() + skew, bytes)) {
        fail("the firmware does not boot");
        return;
    }
    if (recording_ != nullptr) {
        recording_->bind_oob({firmware_->oob, config_.oob_base, config_.flash_tags * 64});
    }
}

void FakeDevice::fail(const std::string& what)
{
    ADD_FAILURE() << what;
    failed_ = true;
    throw ModelError(what);
}

u32 FakeDevice::draw(u32 below) { return static_cast<u32>(mix(seed_ + draws_++) % below); }

void FakeDevice::post(u32 room, const hal_event& event)
{
    events_[config_.core_of[room]].push_back(event);
}

/* ---- HAL ---- */

bool FakeDevice::next_event(u32 core, hal_event& event)
{
    if (events_[core].empty()) {
        return false;
    }
    event = events_[core].front();
    events_[core].pop_front();
    return true;
}

void FakeDevice::host_dma(const struct ::hal_host_dma& dma)
{
    if (dma.tag >= commands_.size() || !commands_[dma.tag].active) {
        fail("a transfer for a command that is not inside");
    }
    commands_[dma.tag].dmas.push_back(dma);
}

void FakeDevice::host_complete(u32 tag, u32 status)
{
    if (status != HAL_HOST_OK || tag >= commands_.size()) {
        fail("a command ended with an error");
    }
    finish(tag);
}

void FakeDevice::copy(u32 dst, u32 src, u64 sectors, u32 cookie)
{
    copies_.push_back({dst, src, cookie, sectors});
}

void FakeDevice::timer_arm(u32, u64) { fail("no room arms a timer"); }

void FakeDevice::send(u32 core, const hal_message& message)
{
    hal_event event{};
    event.kind = HAL_EVENT_MESSAGE;
    event.u.message = message;
    events_.at(core).push_back(event);
}

void FakeDevice::panic(u32 code, u32 detail)
{
    fail("firmware panic " + std::to_string(code) + ", detail " + std::to_string(detail));
}

bool FakeDevice::flash_submit(const flash_op& op)
{
    if (in_flight_.size() >= capacity_) {
        owe_space_ = true;
        ++refused_;
        return false;
    }
    check_operation(op);
    Operation operation;
    operation.op = op;
    operation.number = ++operations_;
    for (u32 i = 0; i < op.nplanes && op.opcode == FLASH_OP_PROGRAM; ++i) {
        Page& page = operation.planes[i];
        page.data.assign(dram_.begin() + op.buf[i] / 512, dram_.begin() + op.buf[i] / 512 + spp_);
        std::memcpy(page.oob.data(), firmware_->oob + (op.oob - config_.oob_base) + 16 * i, 16);
    }
    in_flight_[operation.number] = op.stream;
    pending_.push_back(operation);
    dispatch_operations();
    return true;
}

/* ---- flash ---- */

/// What no NAND would forgive, and the plane rule (same page offset in every plane).
void FakeDevice::check_operation(const flash_op& op)
{
    if (op.nplanes < 1 || op.nplanes > config_.planes || op.channel >= config_.channels ||
        op.reserved != 0 || op.lun != op.row[0] >> (kPageBits + 4 + 1)) {
        fail("an impossible operation");
    }
    if (one_a_die(config_.scheduler) && !dies_[die_of(op)].empty()) {
        fail("the scheduler submits to a die that is busy");
    }
    for (u32 i = 0; i < op.nplanes; ++i) {
        const u32 page = op.row[i] % config_.pages;
        const u64 block = page_key(op, i) >> kPageBits;
        for (u32 j = 0; j < i; ++j) {
            if ((op.row[j] >> kPageBits & 1) == (op.row[i] >> kPageBits & 1) ||
                op.row[j] % config_.pages != page) {
                fail("planes joined against the plane rule");
            }
        }
        if (op.opcode == FLASH_OP_PROGRAM) {
            if (next_page_[block] != page || op.col[i] != 0 || op.len[i] != spp_) {
                fail("a page programmed out of order, twice or in part");
            }
            ++next_page_[block];
        } else if (op.opcode == FLASH_OP_READ && page >= next_page_[block]) {
            fail("a read of a page that is erased");
        } else if (op.opcode == FLASH_OP_ERASE) {
            next_page_[block] = 0;
        }
    }
}

bool FakeDevice::fenced(const Operation& operation) const
{
    if (config_.scheduler == FW_SCHED_SERIAL) {
        return in_flight_.begin()->first != operation.number; // one at a time
    }
    for (const auto& [number, stream] : in_flight_) {
        if (number < operation.number && stream == operation.op.stream) {
            return (operation.op.flags & FLASH_FLAG_FENCE) != 0;
        }
    }
    return false;
}

/// Operations go to their dies in order; one that waits holds up those behind it.
void FakeDevice::dispatch_operations()
{
    while (!pending_.empty() && !fenced(pending_.front())) {
        dies_[die_of(pending_.front().op)].push_back(pending_.front());
        pending_.pop_front();
    }
}

bool FakeDevice::one_flash()
{
    std::vector<u32> busy;
    for (const auto& [die, queue] : dies_) {
        if (!queue.empty()) {
            busy.push_back(die);
        }
    }
    if (busy.empty()) {
        return false;
    }
    std::deque<Operation>& queue = dies_[busy[draw(static_cast<u32>(busy.size()))]];
    Operation operation = queue.front();
    queue.pop_front();
    execute(operation);
    in_flight_.erase(operation.number);
    dispatch_operations();
    hal_event event{};
    event.kind = HAL_EVENT_FLASH;
    event.u.flash.tag = operation.op.tag;
    event.u.flash.status = FLASH_STATUS_OK;
    event.u.flash.cookie = operation.op.cookie;
    post(FW_ROOM_SCHED, event);
    if (owe_space_) {
        owe_space_ = false;
        hal_event space{};
        space.kind = HAL_EVENT_FLASH_SPACE;
        post(FW_ROOM_SCHED, space);
    }
    return true;
}

void FakeDevice::execute(Operation& operation)
{
    const flash_op& op = operation.op;
    for (u32 i = 0; i < op.nplanes; ++i) {
        const u64 key = page_key(op, i);
        if (op.opcode == FLASH_OP_PROGRAM) {
            u32 lpn = 0;
            std::memcpy(&lpn, operation.planes[i].oob.data(), 4);
            copies_of_[lpn].insert(key);
            flash_[key] = operation.planes[i];
        } else if (op.opcode == FLASH_OP_READ) {
            const auto page = flash_.find(key);
            if (page == flash_.end()) {
                fail("a read of a page that has been erased meanwhile");
            }
            std::copy_n(page->second.data.begin() + op.col[i], op.len[i],
                        dram_.begin() + op.buf[i] / 512 + op.col[i]);
            if (op.oob != FLASH_NO_OOB) {
                std::memcpy(firmware_->oob + (op.oob - config_.oob_base) + 16 * i,
                            page->second.oob.data(), 16);
            }
        } else {
            for (u32 page = 0; page < config_.pages; ++page) {
                const auto erased = flash_.find((key >> kPageBits << kPageBits) + page);
                if (erased != flash_.end()) {
                    u32 lpn = 0;
                    std::memcpy(&lpn, erased->second.oob.data(), 4);
                    copies_of_[lpn].erase(erased->first);
                    flash_.erase(erased);
                }
            }
        }
    }
}

/// Each sector of `tags` must be in some page of its LPN in flash, in this version or a newer one.
void FakeDevice::check_durable(u64 lba, const std::vector<u64>& tags)
{
    for (u64 i = 0; i < tags.size(); ++i) {
        /* 0: never written. Versions up to trimmed_ were removed by a later TRIM. */
        bool found = tags[i] <= trimmed_[static_cast<u32>((lba + i) / spp_)];
        for (const u64 key : copies_of_[static_cast<u32>((lba + i) / spp_)]) {
            found = found || flash_[key].data[(lba + i) % spp_] >= tags[i];
        }
        if (!found) {
            fail("LBA " + std::to_string(lba + i) + " is not in flash");
        }
    }
}

bool FakeDevice::one_copy()
{
    if (copies_.empty()) {
        return false;
    }
    const u32 which = draw(static_cast<u32>(copies_.size()));
    const CopyJob job = copies_[which];
    copies_.erase(copies_.begin() + which);
    for (u32 i = 0; i < spp_; ++i) {
        if (job.sectors >> i & 1) {
            dram_.at(job.dst / 512 + i) =
                hal_copy_clears(job.src) ? 0 : dram_.at(job.src / 512 + i);
        }
    }
    hal_event event{};
    event.kind = HAL_EVENT_COPY;
    event.cookie = job.cookie;
    post(FW_ROOM_BUFFER, event);
    return true;
}

void FakeDevice::step(u32 core)
{
    now_us_ += draw(50);
    if (recorder_ != nullptr) {
        recorder_->begin_step(core, now_us_);
    }
    fw_step(firmware_.get(), core, now_us_);
    if (recorder_ != nullptr) {
        recorder_->end_step();
    }
}

bool FakeDevice::tick()
{
    const u32 first = draw(4);
    for (u32 i = 0; i < 4; ++i) {
        switch ((first + i) % 4) {
        case 0: {
            const u32 start = draw(config_.cores);
            for (u32 c = 0; c < config_.cores; ++c) {
                const u32 core = (start + c) % config_.cores;
                if (!events_[core].empty()) {
                    step(core);
                    return true;
                }
            }
            break;
        }
        case 1:
            if (one_flash()) {
                return true;
            }
            break;
        case 2:
            if (one_dma()) {
                return true;
            }
            break;
        default:
            if (one_copy()) {
                return true;
            }
        }
    }
    return false;
}

} // namespace tlmssd::cpu::test
