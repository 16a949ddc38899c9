// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the list of trace formats, by name.
#include "models/workload/formats/formats.h"

#include "models/common/error.h"

namespace tlmssd::workload {
namespace {

/// A row of the table of formats.
struct Known {
    const char* name;
    std::unique_ptr<TraceFormat> (*make)(const config::Workload&);
    const char* words; ///< what it is
};

template <std::unique_ptr<TraceFormat> (*Make)()>
std::unique_ptr<TraceFormat> plain(const config::Workload&)
{
    return Make();
}

const Known kFormats[] = {
    {"spc", plain<make_spc>,
     "SPC trace files: ASU, LBA, bytes, R or W, seconds"},
    {"msr", plain<make_msr>,
     "CSV of MSR Cambridge: Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime"},
    {"ssdsim", plain<make_ssdsim>,
     "ASCII traces of SSDsim: ns, device, LBA, sectors, 1 for a read"},
    {"disksim", plain<make_disksim>,
     "ASCII traces of DiskSim: ms, device, block, sectors, flags"},
    {"disksim-pages", plain<make_disksim_pages>,
     "ASCII traces of DiskSim as users of FlashSim write them: LBA in sectors, size in pages of 4 KiB"},
    {"mqsim", plain<make_mqsim>,
     "ASCII traces of MQSim: ns, device, LBA, sectors, type"},
    {"ioda", plain<make_ioda>,
     "traces of the replayer of IODA: ms, device, offset, size, type"},
    {"blkparse", [](const config::Workload& w) { return make_blkparse(w.blkparse_action); },
     "text output of blkparse"},
    {"blkreplay", plain<make_blkreplay>,
     ".load files of blkreplay: start ; sector ; length ; op ; delay ; duration"},
    {"fio-iolog", plain<make_fio_iolog>,
     "I/O logs of fio, versions 2 and 3; waits of version 2 as the code of fio means them"},
    {"fio-iolog-manual", plain<make_fio_iolog_manual>,
     "I/O logs of fio; waits of version 2 as the manual of fio says"},
    {"fiu", plain<make_fiu>,
     "traces of FIU (IODedup): ns, pid, process, LBA, sectors, op, major, minor, md5"},
    {"hfplayer", plain<make_hfplayer>,
     "CSV of hfplayer, traces of NetApp's SAN; a header line names the columns"},
    {"tencent", plain<make_tencent>,
     "CSV of Tencent's block storage: Timestamp,Offset,Size,IOType,VolumeID"},
    {"alibaba", plain<make_alibaba>,
     "CSV of Alibaba's block traces of 2020: device_id,opcode,offset,length,timestamp"},
    {"systor17", plain<make_systor17>,
     "CSV of SYSTOR '17: Timestamp,Response,IOType,LUN,Offset,Size, after a header line"},
    {"cloudphysics", plain<make_cloudphysics>,
     "CSV of CloudPhysics: version,time,op,size,lbn, after a header line"},
    {"columns", [](const config::Workload& w) { return make_columns(w.trace_columns); },
     "any delimited text, with the columns that --trace-columns (workload.trace_columns) describes"},
};

} // namespace

std::vector<std::string> format_names()
{
    std::vector<std::string> names;
    for (const Known& known : kFormats) {
        names.emplace_back(known.name);
    }
    return names;
}

std::string format_words(const std::string& name)
{
    for (const Known& known : kFormats) {
        if (name == known.name) {
            return known.words;
        }
    }
    return "";
}

std::unique_ptr<TraceFormat> make_format(const config::Workload& workload)
{
    for (const Known& known : kFormats) {
        if (workload.format == known.name) {
            return known.make(workload);
        }
    }
    throw InputError("workload.format: unknown trace format " + quoted(workload.format) +
                     "; did you mean \"" + nearest_of(workload.format, format_names()) + "\"?");
}

} // namespace tlmssd::workload
