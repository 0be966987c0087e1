//===- CacheFolder.h - Where compiled programs are kept ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything that is kept on disk lies in one folder. What commands need of it
// is here: a folder of a kind that can be written to, or a reason.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_TOOLCHAIN_CACHEFOLDER_H
#define SLUICE_TOOLCHAIN_CACHEFOLDER_H

#include "sluice/Base/Status.h"

#include <string>

namespace sluice::driver {

/// Prepares the folder `kind` of the cache and sets `folder` to it. Fails if
/// there is no cache, or it cannot be written to, or its disk is full.
Status prepareCacheFolder(const std::string &kind, std::string &folder);

/// The same; without a usable cache, a folder that is removed when this
/// process ends. Programs run in it then, but are compiled each time.
Status prepareWorkFolder(const std::string &kind, std::string &folder);

} // namespace sluice::driver

#endif // SLUICE_TOOLCHAIN_CACHEFOLDER_H
