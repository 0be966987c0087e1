//===- Boxes.h - Ranges at regular distances as boxes ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A part of a matrix consists of many ranges of bytes, which devices can move
// as one box.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_MEMORY_BOXES_H
#define SLUICE_RUNTIME_MEMORY_BOXES_H

#include "Places.h"

#include <span>
#include <vector>

namespace sluice {

/// Boxes that cover exactly the bytes of `parts`, which are in order. Offsets
/// and pitches of the device are those of the object; so are the host's.
std::vector<device::Box> boxesOf(std::span<const ValidRange> parts);
/// The same for ranges no two of which are neighbours.
std::vector<device::Box> boxesOf(std::span<const ByteRange> ranges);

} // namespace sluice

#endif // SLUICE_RUNTIME_MEMORY_BOXES_H
