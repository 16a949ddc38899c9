# SPDX-License-Identifier: BSD-3-Clause
# The ports of a Verilated controller against docs/start/own-rtl-controller.md, and its adapter in C++.
# cmake -DHEADER=Vx.h -DNAME= -DTOP= -DPREFIX= -DCHANNELS= -DLUNS= -DTAGS= -DMODES=a,b -DNO_GRANTS= -DOUT=
#   -P rtl_ports.cmake
cmake_minimum_required(VERSION 3.25)
set(C ${CHANNELS})
math(EXPR ready_bits "${C} * ${LUNS}")
macro(bits name factor)
  math(EXPR ${name} "${C} * ${factor}")
endmacro()
bits(c2 2)
bits(c3 3)
bits(c8 8)
bits(c16 16)
bits(c32 32)

# name direction width: what every controller has.
set(required
  "clk_i IN 1" "rst_ni IN 1" "op_valid_i IN 1" "op_ready_o OUT 1" "op_i IN 512"
  "done_valid_o OUT 1" "done_tag_o OUT 16" "done_status_o OUT 8" "done_planes_o OUT 8" "done_cookie_o OUT 32"
  "land_valid_i IN 1" "land_tag_i IN 16"
  "seg_valid_o OUT ${C}" "seg_ce_o OUT ${c8}" "seg_lun_o OUT ${c8}" "seg_phase_o OUT ${c3}"
  "seg_opcode_o OUT ${c8}" "seg_plane_o OUT ${c2}" "seg_nplanes_o OUT ${c3}" "seg_col_o OUT ${c8}"
  "seg_len_o OUT ${c8}" "seg_flags_o OUT ${c8}" "seg_tag_o OUT ${c16}" "seg_row_o OUT ${c32}"
  "seg_buf_o OUT ${c32}" "seg_oob_o OUT ${c32}"
  "seg_done_i IN ${C}" "seg_status_i IN ${c8}" "ready_i IN ${ready_bits}")
set(optional
  "done_ready_i IN 1" "land_ready_o OUT 1" "idle_o OUT 1" "wake_at_o OUT 64" "now_i IN 64" "cycle_i IN 64"
  "channels_i IN 8" "ces_i IN 8" "luns_i IN 8" "lun_shift_i IN 3" "mode_serial_i IN 1" "mode_ooo_i IN 1"
  "no_grant_i IN ${C}" "test_en_i IN 1")

# Of modes that the controller has to tell apart.
string(REPLACE "," ";" modes "${MODES}")
list(REMOVE_DUPLICATES modes)
list(LENGTH modes count)
set(because_of_modes)
if(count GREATER 1)
  foreach(mode serial ooo)
    if(mode IN_LIST modes)
      list(APPEND required "mode_${mode}_i IN 1")
      list(APPEND because_of_modes mode_${mode}_i)
    endif()
  endforeach()
endif()
if(NO_GRANTS)
  list(APPEND required "no_grant_i IN ${C}")
endif()

# Verilator's own header has one line a port: VL_IN8(&name,left,right); VL_OUTW(&name,left,right,words);
file(STRINGS ${HEADER} lines REGEX "^ *VL_(IN|OUT|INOUT)(8|16|64|W)?\\(")
set(found)
foreach(line ${lines})
  if(NOT line MATCHES "VL_(INOUT|IN|OUT)(8|16|64|W)?\\(&([A-Za-z0-9_]+),([0-9]+),([0-9]+)")
    message(FATAL_ERROR "${TOP}: this line of ${HEADER} is no port: ${line}")
  endif()
  set(port ${CMAKE_MATCH_3})
  set(direction_of_${port} ${CMAKE_MATCH_1})
  math(EXPR width_of_${port} "${CMAKE_MATCH_4} - ${CMAKE_MATCH_5} + 1")
  list(APPEND found ${port})
endforeach()

set(problems)
function(complain text)
  set(problems ${problems} "${text}" PARENT_SCOPE)
endfunction()
set(words_IN "an input")
set(words_OUT "an output")
set(words_INOUT "an inout")
set(known)
foreach(entry ${required} ${optional})
  string(REPLACE " " ";" fields "${entry}")
  list(POP_FRONT fields port direction width)
  if(port IN_LIST known)
    continue()
  endif()
  list(APPEND known ${port})
  if(NOT port IN_LIST found)
    if(entry IN_LIST required)
      set(why)
      if(port IN_LIST because_of_modes)
        set(why ", since MODES names more than one (${MODES})")
      elseif(port STREQUAL no_grant_i)
        set(why ", since NO_GRANTS is given")
      endif()
      complain("port ${port} is missing: ${words_${direction}} of ${width} bit(s)${why}")
    endif()
  elseif(NOT direction_of_${port} STREQUAL direction)
    complain("port ${port} is ${words_${direction_of_${port}}}, \
expected ${words_${direction}} of ${width} bit(s)")
  elseif(NOT width_of_${port} EQUAL width)
    complain("port ${port} has ${width_of_${port}} bit(s), expected ${width}")
  endif()
endforeach()
foreach(port ${found})
  if(NOT port IN_LIST known)
    if(direction_of_${port} STREQUAL OUT)
      continue() # of no meaning here, harmless
    endif()
    complain("port ${port} is ${words_${direction_of_${port}}} that nothing drives: \
not in the contract (an own ADAPTER could)")
  endif()
endforeach()
if("no_grant_i" IN_LIST found AND NOT NO_GRANTS)
  complain("port no_grant_i is there, but NO_GRANTS is not given")
endif()
if("wake_at_o" IN_LIST found AND NOT "idle_o" IN_LIST found)
  complain("port wake_at_o is of no use without idle_o")
endif()
if(problems)
  list(JOIN problems "\n  " text)
  file(REMOVE "${OUT}")
  message(FATAL_ERROR "tlmssd: RTL controller ${NAME}, module ${TOP}, CHANNELS ${CHANNELS}, LUNS ${LUNS}:\n"
    "  ${text}\nThe contract: docs/start/own-rtl-controller.md, \"Ports\".")
endif()

file(WRITE "${OUT}" "// tlmssd: made by cmake/rtl_ports.cmake: RTL controller ${NAME}, module ${TOP}.
#include \"models/flash/rtl/rtl_own.h\"

#include <${PREFIX}.h>

namespace tlmssd::flash {

std::unique_ptr<RtlModelIf> make_rtl_${NAME}(bool waves)
{
    return make_rtl_own<${PREFIX}, ${CHANNELS}, ${LUNS}>(\"${TOP}\", ${TAGS}, waves);
}

} // namespace tlmssd::flash
")
