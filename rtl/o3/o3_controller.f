// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: sources of o3_controller, sorted by level; paths are relative to this folder.
../common/flash_op_pkg.sv
o3_pkg.sv
../common/rr_pick.sv
o3_first.sv
o3_gate.sv
o3_fifo.sv
o3_queue.sv
o3_choose.sv
o3_clump.sv
o3_bus.sv
o3_store.sv
o3_select.sv
o3_timer.sv
o3_earliest.sv
o3_intake.sv
o3_stations.sv
o3_segment.sv
o3_phases.sv
o3_times.sv
o3_luns.sv
o3_ready.sv
o3_channel.sv
o3_retire.sv
o3_tags.sv
o3_controller.sv
