//===- Libraries.h - Locations of Sluice's own libraries ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Some parts of Sluice are shared objects that are opened only when they are
// needed. They are searched next to the code that opens them. So build trees,
// installations, and programs that ship their libraries find the right ones.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BASE_LIBRARIES_H
#define SLUICE_BASE_LIBRARIES_H

#include <string>
#include <vector>

namespace sluice {

/// The paths at which to look for the library with this name, in order.
std::vector<std::string> placesOfLibrary(const std::string &name);

} // namespace sluice

#endif // SLUICE_BASE_LIBRARIES_H
