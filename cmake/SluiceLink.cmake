# Shared functions of SluicePrograms.cmake and SluiceTaskGraph.cmake: they
# convert a project's libraries into flags for Sluice's tools.

# Dependency rules name files by absolute paths.
if(POLICY CMP0116)
  cmake_policy(SET CMP0116 NEW)
endif()

# A folder for outputs. A relative path is relative to the binary folder, which
# is also the default.
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
      # Shared libraries record their own dependencies.
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

# Flags for sources: the usage requirements of targets.
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
