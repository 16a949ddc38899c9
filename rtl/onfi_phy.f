common/flash_op_pkg.sv
onfi/onfi_pkg.sv
onfi/onfi_timing.sv
onfi/onfi_bytes.sv
onfi/onfi_sequencer.sv
onfi/onfi_phy_sdr.sv
onfi/onfi_phy_ddr.sv
onfi/onfi_phy.sv
