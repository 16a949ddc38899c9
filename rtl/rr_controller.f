flash_op_pkg.sv
rr_pkg.sv
rr_pick.sv
rr_channel.sv
rr_controller.sv
