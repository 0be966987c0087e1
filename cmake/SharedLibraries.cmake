# Installed shared objects. Each has a version of its interface, and exports
# only the symbols that its own version script names. `./dev abi` compares the
# exported symbols with the lists in utils/abi.

# Increase this when something that programs use is removed or changed.
set(SLUICE_SOVERSION 0)

# sluice_shared_library(TARGET MAP): a shared object with the interface that MAP
# names, libTARGET.so.0 with the link libTARGET.so.
function(sluice_shared_library target map)
  get_filename_component(map ${map} ABSOLUTE)
  set_target_properties(${target} PROPERTIES SOVERSION ${SLUICE_SOVERSION}
    LINK_DEPENDS ${map})
  target_link_options(${target} PRIVATE -Wl,--version-script=${map})
endfunction()

# sluice_install_library(TARGET [EXPORT set] COMPONENT component
#   [DEVELOPMENT component | OPENED])
# Installs a library, an archive or a tool. The link that linkers search for
# goes to the component of the headers, unless both are one component. With
# EXPORT, other projects find it as Sluice::NAME, in the file
# SluiceSETTargets.cmake. OPENED: only Sluice's own code opens it, so there is
# no such link.
function(sluice_install_library target)
  cmake_parse_arguments(ARG "OPENED" "EXPORT;COMPONENT;DEVELOPMENT" "" ${ARGN})
  if(NOT ARG_DEVELOPMENT)
    set(ARG_DEVELOPMENT ${ARG_COMPONENT})
  endif()
  set(link NAMELINK_COMPONENT ${ARG_DEVELOPMENT})
  if(ARG_OPENED)
    set(link NAMELINK_SKIP)
  endif()
  set(export)
  if(ARG_EXPORT)
    set(export EXPORT Sluice${ARG_EXPORT}Targets)
    string(REGEX REPLACE "^[Ss]luice-?(.+)" "\\1" name ${target})
    set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
    set_property(GLOBAL APPEND PROPERTY SLUICE_EXPORTS
      ${ARG_EXPORT}:${ARG_DEVELOPMENT})
  endif()
  install(TARGETS ${target} ${export}
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${ARG_DEVELOPMENT}
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${ARG_COMPONENT}
      ${link}
    RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT ${ARG_COMPONENT})
endfunction()

# Defines for `source` the suffix of the names under which a running program
# opens Sluice's libraries: ".so.0".
function(sluice_knows_libraries source)
  set_property(SOURCE ${source} APPEND PROPERTY COMPILE_DEFINITIONS
    SLUICE_LIBRARY_ENDING=".so.${SLUICE_SOVERSION}")
endfunction()
