# What the functions of SluicePrograms.cmake and SluiceTaskGraph.cmake share:
# flags that libraries of a project mean for Sluice's tools.

# Rules of dependences name files by absolute paths.
if(POLICY CMP0116)
  cmake_policy(SET CMP0116 NEW)
endif()

# A folder for outputs: relative ones are in the binary folder, as is none.
function(_sluice_folder out folder)
  get_filename_component(folder "${folder}" ABSOLUTE
    BASE_DIR ${CMAKE_CURRENT_BINARY_DIR})
  set(${out} ${folder} PARENT_SCOPE)
endfunction()

# Flags for the linker of an executable: targets, files, flags and names; each
# begins with `prefix`.
function(_sluice_link_flags out prefix)
  set(flags)
  foreach(library ${ARGN})
    if(TARGET ${library})
      get_target_property(type ${library} TYPE)
      get_target_property(linked ${library} INTERFACE_LINK_LIBRARIES)
      if(NOT type STREQUAL INTERFACE_LIBRARY)
        list(APPEND flags ${prefix}$<TARGET_LINKER_FILE:${library}>)
      endif()
      # Shared libraries name themselves what they need.
      if(linked AND NOT type STREQUAL SHARED_LIBRARY)
        list(TRANSFORM linked REPLACE "^\\$<LINK_ONLY:(.*)>$" "\\1")
        _sluice_link_flags(more "${prefix}" ${linked})
        list(APPEND flags ${more})
      endif()
      if(type STREQUAL SHARED_LIBRARY)
        list(APPEND flags
          ${prefix}-Wl,-rpath,$<TARGET_FILE_DIR:${library}>)
      endif()
    elseif(library MATCHES "::")
      message(FATAL_ERROR "there is no target ${library} to link with")
    elseif(library MATCHES "^-" OR IS_ABSOLUTE ${library})
      list(APPEND flags ${prefix}${library})
    else()
      list(APPEND flags ${prefix}-l${library})
    endif()
  endforeach()
  set(${out} ${flags} PARENT_SCOPE)
endfunction()

# Flags for sources: what targets ask of those who use them.
function(_sluice_usage_flags out prefix)
  set(flags)
  foreach(library ${ARGN})
    if(TARGET ${library})
      foreach(pair INCLUDE_DIRECTORIES:-I COMPILE_DEFINITIONS:-D)
        string(REPLACE ":" ";" pair ${pair})
        list(GET pair 0 property)
        list(GET pair 1 flag)
        set(values $<TARGET_PROPERTY:${library},INTERFACE_${property}>)
        list(APPEND flags "$<$<BOOL:${values}>:${prefix}${flag}\
$<JOIN:${values},;${prefix}${flag}>>")
      endforeach()
    endif()
  endforeach()
  set(${out} ${flags} PARENT_SCOPE)
endfunction()
