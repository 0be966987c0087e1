//===- CompilerWrapper.h - 'sluice cc' and 'sluice c++' ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In place of a C or C++ compiler in builds of programs: objects, libraries and
// programs as clang makes them, with the graphs of Sluice in them.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_DRIVER_COMPILERWRAPPER_H
#define SLUICE_DRIVER_COMPILERWRAPPER_H

#include "llvm/ADT/ArrayRef.h"

namespace sluice::driver {

/// Does what clang or gcc would do with `words`; returns the exit status. The
/// process may become another program instead.
int compile(llvm::ArrayRef<const char *> words, bool isCpp);

} // namespace sluice::driver

#endif // SLUICE_DRIVER_COMPILERWRAPPER_H
