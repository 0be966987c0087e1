# Manual pages of the tools, and the files by which shells complete command
# lines. The tools generate them from their tables of options after they have
# been built. The paths below share/ are the same in the build folder and in an
# installation, except for the folders of zsh and fish.
set(SLUICE_SHARE ${PROJECT_BINARY_DIR}/share)
set(SLUICE_PAGE_TOOLS ddtplayer)
foreach(mpi ${SLUICE_MPI_LIBRARIES})
  list(APPEND SLUICE_PAGE_TOOLS ddtplayer-${mpi})
endforeach()
if(SLUICE_ENABLE_COMPILER)
  list(APPEND SLUICE_PAGE_TOOLS sluice sluice-device-codegen sluice-mlir-lsp
    sluice-opt sluice-specialize sluice-translate)
endif()

# Builds with sanitizers are not installed.
if(NOT SLUICE_SANITIZER)
  set(files)
  foreach(tool ${SLUICE_PAGE_TOOLS})
    list(APPEND files $<TARGET_FILE:${tool}>)
  endforeach()
  add_custom_command(OUTPUT ${SLUICE_SHARE}/stamp
    COMMAND ${SLUICE_PYTHON} ${PROJECT_SOURCE_DIR}/utils/docs/commands.py
      --release ${PROJECT_VERSION} --output ${SLUICE_SHARE} ${files}
    COMMAND ${CMAKE_COMMAND} -E touch ${SLUICE_SHARE}/stamp
    DEPENDS ${SLUICE_PAGE_TOOLS} ${PROJECT_SOURCE_DIR}/utils/docs/commands.py
    VERBATIM)
  add_custom_target(SluiceCommandFiles ALL DEPENDS ${SLUICE_SHARE}/stamp)

  install(DIRECTORY ${SLUICE_SHARE}/man/man1
    DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT compiler
    PATTERN ddtplayer-* EXCLUDE)
  foreach(mpi ${SLUICE_MPI_LIBRARIES})
    install(FILES ${SLUICE_SHARE}/man/man1/ddtplayer-${mpi}.1
      DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT mpi-${mpi})
  endforeach()
  if(SLUICE_ENABLE_COMPILER)
    # Debian packages have a separate folder.
    set(zsh site-functions)
    if(CMAKE_INSTALL_PREFIX STREQUAL "/usr")
      set(zsh vendor-completions)
    endif()
    install(FILES ${SLUICE_SHARE}/bash-completion/completions/sluice
      DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
      COMPONENT compiler)
    install(FILES ${SLUICE_SHARE}/zsh/_sluice
      DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/${zsh} COMPONENT compiler)
    install(FILES ${SLUICE_SHARE}/fish/sluice.fish
      DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d
      COMPONENT compiler)
  endif()
endif()
