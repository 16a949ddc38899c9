// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: sources of onfi_phy, sorted by level; paths are relative to this folder.
../common/flash_op_pkg.sv
onfi_pkg.sv
onfi_timing.sv
onfi_bytes.sv
onfi_sequencer.sv
onfi_phy_sdr.sv
onfi_phy_ddr.sv
onfi_phy.sv
