# Functions for projects with programs that Sluice compiles: included by
# find_package(Sluice).

# Resolves files relative to the source folder.
function(_sluice_absolute out)
  set(files)
  foreach(file ${ARGN})
    get_filename_component(file ${file} ABSOLUTE)
    list(APPEND files ${file})
  endforeach()
  set(${out} ${files} PARENT_SCOPE)
endfunction()

# A target that is built only on request. It puts C and C++ sources into
# compile_commands.json, where editors look for their flags.
function(_sluice_tell_editors name)
  cmake_parse_arguments(ARG "" ""
    "SOURCES;INCLUDE_DIRECTORIES;DEFINITIONS;LIBRARIES" ${ARGN})
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  set(endings)
  if("C" IN_LIST languages)
    string(APPEND endings "|c")
  endif()
  if("CXX" IN_LIST languages)
    string(APPEND endings "|cc|cpp|cxx|C")
  endif()
  set(sources ${ARG_SOURCES})
  list(FILTER sources INCLUDE REGEX "\\.(-${endings})$")
  if(NOT sources)
    return()
  endif()
  add_library(${name}.syntax OBJECT EXCLUDE_FROM_ALL ${sources})
  set_target_properties(${name}.syntax PROPERTIES EXPORT_COMPILE_COMMANDS ON
    CXX_STANDARD 20)
  target_include_directories(${name}.syntax SYSTEM PRIVATE
    ${SLUICE_INCLUDE_DIR}/sluice/hpvm ${SLUICE_INCLUDE_DIR})
  target_include_directories(${name}.syntax PRIVATE
    ${ARG_INCLUDE_DIRECTORIES})
  target_compile_definitions(${name}.syntax PRIVATE ${ARG_DEFINITIONS})
  foreach(library ${ARG_LIBRARIES})
    if(TARGET ${library})
      target_link_libraries(${name}.syntax PRIVATE ${library})
    endif()
  endforeach()
endfunction()

# sluice_add_program(NAME
#   SOURCES file...               C and C++ with HPVM-C or Hetero-C++, LLVM IR
#                                 (.ll, .bc), objects
#   [INCLUDE_DIRECTORIES dir...]
#   [DEFINITIONS NAME[=VALUE]...]
#   [LIBRARIES library...]        targets, files, names and flags of the linker
#   [OPTIONS flag...]             further flags of 'sluice build'
#   [DEPENDS file...]             further files that a new build depends on
#   [OUTPUT_DIRECTORY dir]        for the executable; default: the binary dir
#   [STATIC_RUNTIME]              the runtime becomes part of the executable
#   [INSTALL]                     'cmake --install' copies the executable to bin,
#                                 and the runtime to lib beside it)
# Builds the executable NAME with Sluice, again whenever its sources, their
# headers or the compiler change. The target NAME.link makes it, and is part of
# `all`. Without a build type it is optimised; Debug means -g -O0. What is
# installed runs wherever the folder is moved.
function(sluice_add_program name)
  cmake_parse_arguments(ARG "STATIC_RUNTIME;INSTALL"
    "OUTPUT_DIRECTORY;_HEADERS"
    "SOURCES;INCLUDE_DIRECTORIES;DEFINITIONS;LIBRARIES;OPTIONS;DEPENDS" ${ARGN})
  if(ARG_UNPARSED_ARGUMENTS OR NOT ARG_SOURCES)
    message(FATAL_ERROR "sluice_add_program(${name}) needs SOURCES, and knows "
      "nothing of '${ARG_UNPARSED_ARGUMENTS}'")
  endif()
  _sluice_folder(ARG_OUTPUT_DIRECTORY "${ARG_OUTPUT_DIRECTORY}")
  _sluice_absolute(sources ${ARG_SOURCES})
  _sluice_absolute(folders ${ARG_INCLUDE_DIRECTORIES})
  foreach(source ${sources})
    get_source_file_property(is_generated ${source} GENERATED)
    if(NOT EXISTS ${source} AND NOT is_generated)
      message(FATAL_ERROR "sluice_add_program(${name}): there is no file "
        "'${source}'")
    endif()
  endforeach()
  _sluice_tell_editors(${name} SOURCES ${sources}
    INCLUDE_DIRECTORIES ${folders} ${ARG__HEADERS}
    DEFINITIONS ${ARG_DEFINITIONS} LIBRARIES ${ARG_LIBRARIES})

  set(flags
    $<$<CONFIG:Debug>:-O0> $<$<CONFIG:Debug,RelWithDebInfo>:-g>)
  list(TRANSFORM folders PREPEND -I)
  set(definitions ${ARG_DEFINITIONS})
  list(TRANSFORM definitions PREPEND -D)
  list(APPEND flags ${folders} ${definitions})
  if(ARG_STATIC_RUNTIME)
    list(APPEND flags --static-runtime)
  endif()
  _sluice_usage_flags(library_flags "" ${ARG_LIBRARIES})
  _sluice_link_flags(link_flags "" ${ARG_LIBRARIES})
  set(libraries)
  foreach(library ${ARG_LIBRARIES})
    if(TARGET ${library})
      get_target_property(type ${library} TYPE)
      if(NOT type STREQUAL INTERFACE_LIBRARY)
        list(APPEND libraries ${library} $<TARGET_FILE:${library}>)
      endif()
    endif()
  endforeach()

  set(output ${ARG_OUTPUT_DIRECTORY}/${name})
  file(MAKE_DIRECTORY ${ARG_OUTPUT_DIRECTORY})
  # The runtime next to an installed program is found first.
  add_custom_command(OUTPUT ${output}
    COMMAND Sluice::sluice build ${sources} -o ${output}
      -MD -MF ${output}.d
      ${flags} "${library_flags}" "-Wl,-rpath,$ORIGIN/../lib" ${link_flags}
      ${ARG_OPTIONS}
    DEPFILE ${output}.d
    DEPENDS ${sources} ${libraries} ${ARG_DEPENDS} $<TARGET_FILE:Sluice::sluice>
    COMMENT "Compiling ${name} with Sluice" COMMAND_EXPAND_LISTS VERBATIM)
  add_custom_target(${name}.link ALL DEPENDS ${output})
  if(ARG_INSTALL)
    install(PROGRAMS ${output} DESTINATION bin)
    if(NOT ARG_STATIC_RUNTIME)
      # The file under the name that programs ask for.
      install(FILES $<TARGET_FILE:Sluice::Runtime> DESTINATION lib
        RENAME $<TARGET_SONAME_FILE_NAME:Sluice::Runtime>)
    endif()
  endif()
endfunction()

# sluice_add_regions(NAME MODULE file.mlir ...)
# A program over regions: MODULE names the module, and SOURCES the functions of
# its tasks, which include "file.rdir.h". All other arguments are those of
# sluice_add_program. The header is also written to the binary dir, for editors.
function(sluice_add_regions name)
  cmake_parse_arguments(ARG "" "MODULE" "SOURCES;DEPENDS" ${ARGN})
  if(NOT ARG_MODULE OR NOT ARG_SOURCES)
    message(FATAL_ERROR "sluice_add_regions(${name}) needs MODULE, a file of the "
      "dialect rdir, and SOURCES, the functions of its tasks")
  endif()
  get_filename_component(module ${ARG_MODULE} ABSOLUTE)
  get_filename_component(stem ${ARG_MODULE} NAME_WLE)
  set(headers ${CMAKE_BINARY_DIR}/${name}.headers)
  set(header ${headers}/${stem}.rdir.h)
  file(MAKE_DIRECTORY ${headers})
  add_custom_command(OUTPUT ${header}
    COMMAND Sluice::sluice build ${module} --emit=header -o ${header}
    DEPENDS ${module} $<TARGET_FILE:Sluice::sluice>
    COMMENT "Writing ${stem}.rdir.h" VERBATIM)
  sluice_add_program(${name} ${ARG_UNPARSED_ARGUMENTS}
    SOURCES ${module} ${ARG_SOURCES} DEPENDS ${header} ${ARG_DEPENDS}
    _HEADERS ${headers})
  if(TARGET ${name}.syntax)
    add_dependencies(${name}.syntax ${name}.link)
  endif()
endfunction()
