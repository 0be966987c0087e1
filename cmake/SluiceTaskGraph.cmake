# Functions for projects that build programs from meta-programs: included by
# find_package(Sluice).

# Halide as one imported target, without its own CMake package: the package
# would find another LLVM, which must not affect this build.
function(sluice_find_halide)
  if(TARGET Halide::Halide)
    return()
  endif()
  find_library(SLUICE_HALIDE_LIBRARY NAMES Halide Halide14)
  find_path(SLUICE_HALIDE_INCLUDE_DIR Halide.h PATH_SUFFIXES halide14)
  mark_as_advanced(SLUICE_HALIDE_LIBRARY SLUICE_HALIDE_INCLUDE_DIR)
  if(NOT SLUICE_HALIDE_LIBRARY OR NOT SLUICE_HALIDE_INCLUDE_DIR)
    message(FATAL_ERROR "Halide is not installed; on Debian: "
      "apt-get install libhalide14-0-dev")
  endif()
  add_library(Halide::Halide SHARED IMPORTED GLOBAL)
  set_target_properties(Halide::Halide PROPERTIES
    IMPORTED_LOCATION ${SLUICE_HALIDE_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${SLUICE_HALIDE_INCLUDE_DIR})
  _sluice_find_halide_images()
endfunction()

# Halide's headers for image files, with the available PNG and JPEG libraries.
function(_sluice_find_halide_images)
  find_path(SLUICE_HALIDE_IMAGE_DIR halide_image_io.h
    PATHS /usr/src PATH_SUFFIXES halide14)
  mark_as_advanced(SLUICE_HALIDE_IMAGE_DIR)
  if(NOT SLUICE_HALIDE_IMAGE_DIR)
    return()
  endif()
  add_library(Halide::ImageIO INTERFACE IMPORTED GLOBAL)
  target_include_directories(Halide::ImageIO INTERFACE
    ${SLUICE_HALIDE_IMAGE_DIR})
  foreach(format PNG JPEG)
    find_package(${format} QUIET)
    if(${format}_FOUND)
      target_link_libraries(Halide::ImageIO INTERFACE ${${format}_LIBRARIES})
    else()
      target_compile_definitions(Halide::ImageIO INTERFACE HALIDE_NO_${format})
    endif()
  endforeach()
endfunction()

# Sets `out` to whether one of the sources includes Halide's header.
function(_sluice_uses_halide out)
  set(${out} FALSE PARENT_SCOPE)
  foreach(source ${ARGN})
    get_filename_component(path ${source} ABSOLUTE)
    if(EXISTS ${path})
      file(STRINGS ${path} lines REGEX
        "#[ \t]*include[ \t]*[<\"](Halide|sluice/TaskGraph/Halide)\\.h")
      if(lines)
        set(${out} TRUE PARENT_SCOPE)
      endif()
    endif()
  endforeach()
endfunction()

# sluice_add_task_graph(APP META
#   SOURCES file...               of the meta-program, its generators included
#   [KERNEL_SOURCES file...]      where C kernels are looked for: sources,
#                                 bitcode, objects, archives, libraries
#   [INCLUDE_DIRECTORIES dir...]  for these sources
#   [LIBRARIES library...]        what the executable is linked with
#   [PYTHON_PATH dir...]          folders of Python modules
#   [OPTIONS flag...]             further flags for the meta-program
#   [DEPENDS file...]             further files that a new build depends on
#   [OUTPUT_DIRECTORY dir]        for the executable; default: the binary dir
#   [HALIDE])                     link the meta-program with Halide; found out
#                                 from SOURCES if not given
# Builds the meta-program META, and with it the executable APP, again whenever
# the meta-program or what its kernels are made from changes, headers included.
# The target APP.link makes it, and is part of `all`.
function(sluice_add_task_graph app meta)
  cmake_parse_arguments(ARG "HALIDE" "OUTPUT_DIRECTORY"
    "SOURCES;KERNEL_SOURCES;INCLUDE_DIRECTORIES;LIBRARIES;PYTHON_PATH;OPTIONS;DEPENDS"
    ${ARGN})
  if(ARG_UNPARSED_ARGUMENTS OR NOT ARG_SOURCES)
    message(FATAL_ERROR "sluice_add_task_graph(${app} ${meta}) needs SOURCES"
      ", and knows nothing of '${ARG_UNPARSED_ARGUMENTS}'")
  endif()
  _sluice_folder(ARG_OUTPUT_DIRECTORY "${ARG_OUTPUT_DIRECTORY}")

  add_executable(${meta} ${ARG_SOURCES})
  target_link_libraries(${meta} PRIVATE Sluice::TaskGraph)
  target_compile_features(${meta} PRIVATE cxx_std_17)
  # Messages name sources, and sources name kernels next to them, regardless of
  # where the compiler and the meta-program run.
  file(RELATIVE_PATH relative ${CMAKE_BINARY_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  target_compile_options(${meta} PRIVATE
    -fmacro-prefix-map=${relative}/=${CMAKE_CURRENT_SOURCE_DIR}/)
  _sluice_uses_halide(uses_halide ${ARG_SOURCES})
  if(ARG_HALIDE OR uses_halide)
    sluice_find_halide()
    target_link_libraries(${meta} PRIVATE Halide::Halide)
  endif()

  set(flags)
  set(sources)
  foreach(source ${ARG_KERNEL_SOURCES})
    get_filename_component(source ${source} ABSOLUTE)
    list(APPEND sources ${source})
    list(APPEND flags --kernel-source=${source})
  endforeach()
  foreach(folder ${ARG_INCLUDE_DIRECTORIES})
    get_filename_component(folder ${folder} ABSOLUTE)
    list(APPEND flags --kernel-flag=-I${folder})
  endforeach()
  set(folders)
  foreach(folder ${ARG_PYTHON_PATH})
    get_filename_component(folder ${folder} ABSOLUTE)
    list(APPEND folders ${folder})
    file(GLOB modules CONFIGURE_DEPENDS ${folder}/*.py)
    list(APPEND sources ${modules})
  endforeach()
  if(folders)
    string(JOIN : folders ${folders})
    list(APPEND flags --python-path=${folders})
  endif()
  _sluice_link_flags(link_flags "--link-flag=" ${ARG_LIBRARIES})
  _sluice_usage_flags(library_flags "--kernel-flag=" ${ARG_LIBRARIES})

  set(output ${ARG_OUTPUT_DIRECTORY}/${app})
  file(MAKE_DIRECTORY ${ARG_OUTPUT_DIRECTORY})
  add_custom_command(OUTPUT ${output}
    COMMAND ${meta} -o ${output} --depfile=${output}.d ${flags}
      "${library_flags}" ${link_flags} ${ARG_OPTIONS}
    DEPFILE ${output}.d
    DEPENDS ${meta} ${sources} ${ARG_DEPENDS}
    COMMENT "Compiling task graph ${app}" COMMAND_EXPAND_LISTS VERBATIM)
  add_custom_target(${app}.link ALL DEPENDS ${output})
endfunction()
