//===- FilesAPI.h - The files of the running program ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tasks call functions that do not know the program.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_REGIONS_FILES_FILESAPI_H
#define SLUICE_RUNTIME_REGIONS_FILES_FILESAPI_H

#include "SharedFiles.h"

namespace sluice::regions {

/// Sets the files to which tasks write from now on; null: none.
SharedFiles *setSharedFiles(SharedFiles *files);

} // namespace sluice::regions

#endif // SLUICE_RUNTIME_REGIONS_FILES_FILESAPI_H
