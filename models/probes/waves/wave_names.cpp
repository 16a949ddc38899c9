// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: names of bus phases, ONFI commands, states.
#include "models/probes/waves/wave_names.h"

#include "firmware/hal/flash_op.h"
#include "models/onfi/bus/segment.h"

namespace tlmssd::probes {

namespace {

namespace cmd = onfi::cmd;
using Values = std::vector<observe::Waves::EnumValue>;

Values opcode_values()
{
    return {{cmd::kRead, "READ_00h"},
            {cmd::kReadConfirm, "READ_30h"},
            {cmd::kReadQueuePlane, "READ_PLANE_32h"},
            {cmd::kReadCacheRandom, "READ_CACHE_31h"},
            {cmd::kReadCacheEnd, "READ_CACHE_END_3Fh"},
            {cmd::kCopybackReadConfirm, "COPYBACK_35h"},
            {cmd::kChangeReadColumn, "COLUMN_05h"},
            {cmd::kChangeReadColumnEnhanced, "COLUMN_06h"},
            {cmd::kChangeReadColumnConfirm, "COLUMN_E0h"},
            {cmd::kProgram, "PROGRAM_80h"},
            {cmd::kProgramConfirm, "PROGRAM_10h"},
            {cmd::kProgramQueuePlane, "PROGRAM_PLANE_11h"},
            {cmd::kProgramCacheConfirm, "PROGRAM_CACHE_15h"},
            {cmd::kChangeWriteColumn, "COLUMN_85h"},
            {cmd::kErase, "ERASE_60h"},
            {cmd::kEraseConfirm, "ERASE_D0h"},
            {cmd::kEraseQueuePlane, "ERASE_PLANE_D1h"},
            {cmd::kReadStatus, "STATUS_70h"},
            {cmd::kReadStatusEnhanced, "STATUS_78h"},
            {cmd::kReadId, "READ_ID_90h"},
            {cmd::kReadParameterPage, "PARAMETER_PAGE_ECh"},
            {cmd::kReadUniqueId, "UNIQUE_ID_EDh"},
            {cmd::kGetFeatures, "GET_FEATURES_EEh"},
            {cmd::kSetFeatures, "SET_FEATURES_EFh"},
            {cmd::kLunGetFeatures, "LUN_GET_FEATURES_D4h"},
            {cmd::kLunSetFeatures, "LUN_SET_FEATURES_D5h"},
            {cmd::kReset, "RESET_FFh"},
            {cmd::kSynchronousReset, "SYNC_RESET_FCh"},
            {cmd::kResetLun, "RESET_LUN_FAh"},
            {cmd::kProgramSuspend, "PROGRAM_SUSPEND_84h"},
            {cmd::kProgramResume, "PROGRAM_RESUME_13h"},
            {cmd::kEraseSuspend, "ERASE_SUSPEND_61h"},
            {cmd::kEraseResume, "ERASE_RESUME_D2h"},
            {kNoOpcode, "-"}};
}

Values operation_values()
{
    return {{kNoOperation, "-"},
            {FLASH_OP_READ, "Read"},
            {FLASH_OP_PROGRAM, "Program"},
            {FLASH_OP_ERASE, "Erase"},
            {FLASH_OP_RESET, "Reset"},
            {FLASH_OP_COPYBACK, "Copyback"}};
}

} // namespace

WaveNames::WaveNames(observe::Waves& waves)
    : bus_phase(waves.add_enum("bus_phase", {"Idle", "Select", "Command", "Address", "Wait",
                                             "DataIn", "DataOut"})),
      opcode(waves.add_sparse_enum("onfi_command", opcode_values())),
      owner(waves.add_sparse_enum("owner", {{kNoOwner, "-"}})),
      ce(waves.add_sparse_enum("ce", {{kNoCe, "-"}})),
      direction(waves.add_enum("direction", {"None", "In", "Out"})),
      operation(waves.add_sparse_enum("flash_operation", operation_values())),
      stream(waves.add_enum("stream", {"Host", "Gc", "-"})),
      die_state(waves.add_enum("die_state", {"Idle", "Queue", "Read", "Program", "Erase", "Cache",
                                             "Suspended", "Reset", "Feature"})),
      plane_state(waves.add_enum("plane_state", {"Idle", "DataIn", "Gathered", "Read", "Loaded",
                                                 "DataOut", "Program", "Erase", "Suspended"})),
      controller_state(waves.add_enum("controller_state", {"Idle", "Working", "Full"})),
      scheduler(waves.add_enum("scheduler", {
#define SCHED(id, name, mode, traits, words) #name,
#include "firmware/hal/sched.def"
#undef SCHED
                                            })),
      scheduler_state(waves.add_enum("scheduler_state", {"Idle", "Working", "Holding", "Full"}))
{
}

} // namespace tlmssd::probes
