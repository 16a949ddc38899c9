// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the keys of NVMe and its PCI Express link (nvme.h).
#include "models/config/keys/tables.h"

#include <algorithm>

#include "models/config/keys/key_builders.h"

namespace tlmssd::config {

NAMES(NvmeArbitration, "round_robin", "weighted")
NAMES(NvmeSteer, "job", "round_robin")
NAMES(NvmeEngine, "hardware", "firmware")

using namespace rows;

namespace {

const std::vector<std::string> kClassNames{"low", "medium", "high", "urgent"};

/// "urgent,high,low": one letter each in `out`. Returns what is wrong, or "".
std::string parse_classes(const std::string& text, std::string& out)
{
    out.clear();
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t end = std::min(text.find(',', at), text.size());
        const std::string word = text.substr(at, end - at);
        if (std::find(kClassNames.begin(), kClassNames.end(), word) == kClassNames.end()) {
            return "'" + word + "' is no class; urgent, high, medium or low, with commas between them";
        }
        out += word.front();
        at = end + 1;
    }
    return "";
}

std::string show_classes(const std::string& letters)
{
    std::string text;
    for (const char letter : letters) {
        for (const std::string& name : kClassNames) {
            if (name.front() == letter) {
                text += (text.empty() ? "" : ",") + name;
            }
        }
    }
    return text;
}

Row weight(const char* path, u32 Nvme::* member, u64 fallback, const char* help)
{
    return integer(path, [member](auto& c) -> auto& { return c.nvme.*member; }, fallback, 1, 256, help)
        .when(kNvmeWeighted);
}

} // namespace

std::vector<Key> nvme_keys()
{
    return {
        integer("nvme.queues", AT(nvme.queues), 1, 1, 64, "queue pairs").when(kNvme),
        integer("nvme.queue_entries", AT(nvme.queue_entries), 1024, 2, 65536,
                "of each queue; one less may be open, what comes beyond waits in the host")
            .when(kNvme),
        integer("nvme.command_limit", AT(nvme.commands), 1024, 1, 1024,
                "inside the device at most; the rest waits in the queues")
            .when(kNvme),
        choice("nvme.steer", AT(nvme.steer), NvmeSteer::Job,
               "queue of a request: number of its job, or one after the other")
            .when(kNvmeQueues),
        choice("nvme.arbitration", AT(nvme.arbitration), NvmeArbitration::RoundRobin, "which queue is next")
            .when(kNvmeQueues),
        integer("nvme.arbitration_burst", AT(nvme.arbitration_burst), 1, 0, 64,
                "commands a queue at its turn at most, a power of two")
            .zero("unlimited")
            .when(kNvmeQueues),
        words("nvme.classes", AT(nvme.classes), "medium", parse_classes, show_classes,
              "of queue 0, 1, ..., again from the front: urgent, high, medium, low; the firmware gets them as "
              "priorities 3 to 0")
            .when(kNvmeWeighted),
        weight("nvme.high_weight", &Nvme::high_weight, 8, "commands of class high a round"),
        weight("nvme.medium_weight", &Nvme::medium_weight, 4, "of class medium"),
        weight("nvme.low_weight", &Nvme::low_weight, 2, "of class low"),
        choice("nvme.engine", AT(nvme.units.engine), NvmeEngine::Hardware,
               "what fetches, decodes and completes: units of the controller, or the firmware's core that has the host "
               "interface layer")
            .when(kNvme),
        time("nvme.fetch_ns", AT(nvme.units.fetch), kNs, 0, 0, 1e6,
             "of the engine for each turn of arbitration, before its read")
            .when(kNvme),
        time("nvme.decode_ns", AT(nvme.units.decode), kNs, 0, 0, 1e6, "of the engine for each command").when(kNvme),
        time("nvme.completion_ns", AT(nvme.units.completion), kNs, 0, 0, 1e6,
             "of the engine for each completion entry, before its write")
            .when(kNvme),

        integer("pcie.generation", AT(pcie.generation), 3, 1, 5, "2.5, 5, 8, 16, 32 GT/s a lane").when(kNvme),
        integer("pcie.lanes", AT(pcie.lanes), 4, 1, 16, "a power of two").when(kNvme),
        integer("pcie.max_payload", AT(pcie.max_payload), 256, 128, 4096, "bytes of a packet, a power of two")
            .when(kNvme),
        integer("pcie.read_request", AT(pcie.read_request), 512, 128, 4096,
                "bytes that a read of host memory asks for at most, a power of two")
            .when(kNvme),
        integer("pcie.read_tags", AT(pcie.read_tags), 64, 1, 1024, "reads of data that are open at most")
            .when(kNvme),
        integer("pcie.packets_per_dllp", AT(pcie.packets_per_dllp), 4, 1, 1024,
                "packets for which the other side sends an acknowledgement and a credit update")
            .when(kNvme),
        time("pcie.latency_ns", AT(pcie.latency), kNs, 150, 0, 1e6,
             "from one end to the other, beside the time of the bytes")
            .when(kNvme),
        time("pcie.host_memory_ns", AT(pcie.host_memory), kNs, 100, 0, 1e6,
             "from a read's arrival in the host to its data")
            .when(kNvme),
    };
}

} // namespace tlmssd::config
