//===- Versions.h - Versions of compilers, MPIs and devices ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every tool prints this with `--version`, so that a bug report contains all
// relevant versions.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_DEVICE_VERSIONS_H
#define SLUICE_DEVICE_VERSIONS_H

#include <string>

namespace sluice::device {

/// "sluice-opt 0.1.0 (LLVM 22.1.2)" and, on separate lines, the MPIs with a
/// launcher on this machine, and the devices with their drivers. `llvm` may be
/// empty. Starts launchers and opens drivers, so it takes a moment.
std::string versionText(const std::string &tool, const std::string &version,
                        const std::string &llvm);

/// "Open MPI 4.1.4", from the version output of a launcher; empty if the output
/// names neither MPI.
std::string mpiNameIn(const std::string &said);

} // namespace sluice::device

#endif // SLUICE_DEVICE_VERSIONS_H
