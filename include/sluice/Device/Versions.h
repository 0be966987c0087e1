//===- Versions.h - Versions of what programs run on ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `--version` of every tool prints, so that a report of a defect says all
// that may matter.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_DEVICE_VERSIONS_H
#define SLUICE_DEVICE_VERSIONS_H

#include <string>

namespace sluice::device {

/// "sluice-opt 0.1.0 (LLVM 22.1.2)" and, on lines of their own, the MPIs whose
/// launchers are found, and the devices with their drivers. `llvm` may be
/// empty. Starts launchers and opens drivers, so it takes a moment.
std::string versionText(const std::string &tool, const std::string &version,
                        const std::string &llvm);

/// "Open MPI 4.1.4", from what a launcher prints when it is asked; empty if it
/// says neither.
std::string mpiNameIn(const std::string &said);

} // namespace sluice::device

#endif // SLUICE_DEVICE_VERSIONS_H
