# SPDX-License-Identifier: BSD-3-Clause
# tlmssd_rtl_unit(module CLASS FLAG...): the library tlmssd_unit_CLASS with class VCLASS, module `module`
# of rtl/ alone, of the shape given by -GPARAMETER=value flags. Small shapes: each builds in seconds.
# It reads the sources of o3_top up to `module`.
function(tlmssd_rtl_unit module class)
  tlmssd_rtl_sources(list ${PROJECT_SOURCE_DIR}/rtl/o3/o3_top.f)
  set(sources)
  foreach(file ${list})
    list(APPEND sources ${file})
    if(file MATCHES "/${module}[.]sv$")
      break()
    endif()
  endforeach()
  tlmssd_verilate(tlmssd_unit_${class} TOP ${module} PREFIX V${class}
    FLAGS --x-assign fast --x-initial unique -I${TLMSSD_RTL_DIR} ${ARGN}
    SOURCES ${TLMSSD_RTL_DIR}/lint.vlt ${TLMSSD_RTL_DIR}/assert.svh ${sources})
  target_link_libraries(rtl_unit_test PRIVATE tlmssd_unit_${class})
endfunction()
