// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the requests of a device whose host is a platform.
#include "models/ssd/device_requests.h"

#include "models/probes/stages/stage_statistics.h"

namespace tlmssd::ssd {

DeviceRequests::DeviceRequests(const SsdObservation& wanted)
    : log_(wanted.log.empty() ? nullptr
                              : std::make_unique<observe::RequestLog>(wanted.log, observe::RequestLog::Columns::Stages))
{
}

Recordings DeviceRequests::recordings_of(const SsdObservation& wanted)
{
    Recordings recordings;
    recordings.timeline = wanted.timeline;
    recordings.timeline_window = {Picoseconds(wanted.timeline_from_ps), Picoseconds(wanted.timeline_to_ps)};
    return recordings;
}

SsdTaps DeviceRequests::taps_of(DeviceRequests& requests)
{
    SsdTaps taps;
    taps.requests = &requests;
    return taps;
}

void DeviceRequests::bind(probes::StageTracker* stages, probes::TimelineTap* timeline)
{
    stages_ = stages;
    timeline_ = timeline;
}

void DeviceRequests::on_issued(const host::RequestRecord& request)
{
    if (timeline_ != nullptr) {
        timeline_->on_issued(request);
    }
    if (stages_ != nullptr) {
        stages_->on_issued(request);
    }
}

void DeviceRequests::on_request(const host::RequestRecord& request)
{
    const u8 opcode = request.command.opcode;
    const bool good = request.status == HAL_HOST_OK;
    Kind& kind = kinds_[opcode];
    ++(good ? kind.count : kind.errors);
    if (timeline_ != nullptr) {
        timeline_->on_request(request);
    }
    if (stages_ == nullptr) {
        return;
    }
    const probes::EndedStages ended = stages_->finish(request);
    if (good) {
        kind.stages.add(ended.times);
        if ((opcode == HAL_HOST_READ || opcode == HAL_HOST_WRITE) && worst_.consider(request, ended)) {
            // Ten stages: what is shorter than a tenth of the least is the largest of no request.
            stages_->flash().explain_from(Picoseconds(worst_.least().value() / observe::kStages));
        }
    }
    if (log_) {
        log(request, ended);
    }
}

void DeviceRequests::log(const host::RequestRecord& request, const probes::EndedStages& stages)
{
    observe::LogRow row;
    row.kind = probes::kind_of(request.command.opcode);
    row.lba = request.command.lba;
    row.bytes = u64{request.command.sectors} * kSectorBytes;
    row.tag = request.command.tag;
    row.arrival = row.issued = request.issued;
    row.ended = request.ended;
    row.hit = stages.hit;
    row.flash_ops = stages.flash_ops;
    row.status = request.status == HAL_HOST_OK ? "ok" : "error";
    row.stages = &stages.times;
    log_->add(row);
}

void DeviceRequests::close()
{
    if (log_) {
        log_->close();
    }
}

} // namespace tlmssd::ssd
