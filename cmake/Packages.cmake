# CPack, for local builds: everything that is installed, as an archive or one
# package, in a separate folder. debian/rules makes Debian's packages.
set(CPACK_PACKAGE_NAME sluice-local)
set(CPACK_PACKAGE_VENDOR "Sluice")
set(CPACK_PACKAGE_CONTACT "Sluice Maintainers <sluice@example.org>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY
  "compiler and runtime for programs that are graphs of dataflow")
set(CPACK_PACKAGE_DESCRIPTION_FILE ${PROJECT_SOURCE_DIR}/README.md)
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX /opt/sluice)
set(CPACK_INCLUDE_TOPLEVEL_DIRECTORY ON)
set(CPACK_GENERATOR TGZ)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "clang-22, lld-22")
set(CPACK_STRIP_FILES ON)
include(CPack)
