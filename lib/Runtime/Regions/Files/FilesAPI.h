//===- FilesAPI.h - The files of the program that runs --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tasks call functions that know of no program.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_REGIONS_FILES_FILESAPI_H
#define SLUICE_RUNTIME_REGIONS_FILES_FILESAPI_H

#include "SharedFiles.h"

namespace sluice::regions {

/// Where tasks write from now on; null: nowhere.
SharedFiles *setSharedFiles(SharedFiles *files);

} // namespace sluice::regions

#endif // SLUICE_RUNTIME_REGIONS_FILES_FILESAPI_H
