// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: how a driver brings an NVMe controller up (Base Specification 1.4, 7.6.1).
#include <string>

#include "models/common/error.h"
#include "models/host/nvme_port.h"
#include "models/nvme/register_map.h"

namespace tlmssd::host {

using namespace nvme;

namespace {

constexpr u32 kReady = 1;              // CSTS.RDY
constexpr u32 kEnable = 0x00460001;    // IOCQES 4, IOSQES 6, pages of 4 KiB, EN
constexpr u32 kWeighted = 1u << 11;    // CC.AMS
constexpr u32 kArbitrationFeature = 1;
constexpr u32 kQueuesFeature = 7;
constexpr u32 kContiguous = 1;
constexpr u32 kInterrupts = 2;
constexpr u32 kController = 1; // CNS of Identify
constexpr u32 kNoLimit = 7;    // of an arbitration burst

u32 low(u64 value) { return static_cast<u32>(value); }
u32 high(u64 value) { return static_cast<u32>(value >> 32); }

void require(bool good, const char* what)
{
    if (!good) {
        throw ModelError(std::string("nvme: the driver does not get ") + what);
    }
}

/// Dword 11 of the feature: the burst as a power of two, weights from 0.
u32 arbitration(const config::Nvme& c)
{
    const u32 burst = c.arbitration_burst == 0 ? kNoLimit : static_cast<u32>(__builtin_ctz(c.arbitration_burst));
    return burst | (c.low_weight - 1) << 8 | (c.medium_weight - 1) << 16 | (c.high_weight - 1) << 24;
}

/// QPRIO: 0 urgent to 3 low.
u32 priority_of(char letter) { return static_cast<u32>(std::string("uhml").find(letter)); }

} // namespace

void NvmePort::write_register(u32 offset, u32 value) { ring(Transfer::Kind::Register, offset, value); }

/// Dword 0 of the completion.
u32 NvmePort::admin(Submission command)
{
    admin_ended_ = false;
    submit_entry(0, command);
    require(admin_ended_ && admin_.status == kSuccess, "an answer to an admin command");
    return admin_.result;
}

void NvmePort::bring_up()
{
    link_->set_timeless(true);
    const Queue& q = queues_[0];
    require((link_->read_register(reg::kCap) & 0xffff) + 1 >= config_.queue_entries, "queues of this length");
    require((link_->read_register(reg::kCap + 4) & 15) == 0, "doorbells next to each other");
    write_register(reg::kAqa, (q.entries - 1) * 0x10001);
    write_register(reg::kAsq, low(q.submissions));
    write_register(reg::kAsq + 4, high(q.submissions));
    write_register(reg::kAcq, low(q.completions));
    write_register(reg::kAcq + 4, high(q.completions));
    const bool weighted = config_.arbitration == config::NvmeArbitration::Weighted;
    write_register(reg::kCc, kEnable | (weighted ? kWeighted : 0));
    require(link_->read_register(reg::kCsts) == kReady, "a controller that is ready");
    create_queues();
    link_->set_timeless(false);
}

void NvmePort::create_queues()
{
    const u64 page = queues_[0].submissions - kMinPageBytes;
    Submission s;
    s.dw[0] = kIdentify;
    s.set_prp(page, 0);
    s.dw[10] = kController;
    admin(s);
    const u32 mdts = at(page, kMinPageBytes)[77];
    require(mdts == 0 || mdts >= 13, "transfers of 32 MiB");

    s = Submission();
    s.dw[0] = kSetFeatures;
    s.dw[10] = kQueuesFeature;
    s.dw[11] = (config_.queues - 1) * 0x10001;
    const u32 count = admin(s);
    require((count & 0xffff) + 1 >= config_.queues && (count >> 16) + 1 >= config_.queues, "its number of queues");
    s.dw[10] = kArbitrationFeature;
    s.dw[11] = arbitration(config_);
    admin(s);

    for (u32 id = 1; id <= config_.queues; ++id) {
        const Queue& q = queues_[id];
        s = Submission();
        s.dw[0] = kCreateCq;
        s.set_prp(q.completions, 0);
        s.dw[10] = id | (q.entries - 1) << 16;
        s.dw[11] = kContiguous | kInterrupts | id << 16; // its vector
        admin(s);
        s.dw[0] = kCreateSq;
        s.set_prp(q.submissions, 0);
        s.dw[11] = kContiguous | priority_of(config_.classes[(id - 1) % config_.classes.size()]) << 1 | id << 16;
        admin(s);
    }
}

} // namespace tlmssd::host
