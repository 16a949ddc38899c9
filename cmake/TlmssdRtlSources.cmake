# SPDX-License-Identifier: BSD-3-Clause
# tlmssd_rtl_sources(variable file.f): the sources of a list of rtl/, absolute paths in the list's order. A line
# of a list is a file, `-F` and another list, or a comment (//); paths are relative to the list's folder. Verilator
# reads the same with -F, and scripts/rtl_sources.py in Python.
function(tlmssd_rtl_sources variable list)
  get_filename_component(list "${list}" ABSOLUTE)
  get_filename_component(folder "${list}" DIRECTORY)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${list}")
  file(STRINGS "${list}" lines REGEX "^[^/]")
  set(sources)
  foreach(line ${lines})
    if(line MATCHES "^-F (.+)$")
      tlmssd_rtl_sources(inner "${folder}/${CMAKE_MATCH_1}")
      list(APPEND sources ${inner})
    else()
      get_filename_component(source "${line}" ABSOLUTE BASE_DIR "${folder}")
      list(APPEND sources "${source}")
    endif()
  endforeach()
  set(${variable} "${sources}" PARENT_SCOPE)
endfunction()
