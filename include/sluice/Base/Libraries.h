//===- Libraries.h - Where Sluice's own libraries are ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Some parts are shared objects that are opened only when they are needed. They
// are searched beside the code that opens them, so that build trees,
// installations and programs that are shipped with their libraries find their
// own.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BASE_LIBRARIES_H
#define SLUICE_BASE_LIBRARIES_H

#include <string>
#include <vector>

namespace sluice {

/// Where to look for the library with this name, in this order.
std::vector<std::string> placesOfLibrary(const std::string &name);

} // namespace sluice

#endif // SLUICE_BASE_LIBRARIES_H
