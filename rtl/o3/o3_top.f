// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: sources of o3_top, sorted by level; paths are relative to this folder.
-F o3_controller.f
o3_reset.sv
o3_completions.sv
o3_perf_channel.sv
o3_perf.sv
o3_regs.sv
o3_top.sv
