//===- Boxes.h - Ranges at regular distances as boxes ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A part of a matrix consists of many ranges of bytes, which devices can
// transfer as one box.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_MEMORY_BOXES_H
#define SLUICE_RUNTIME_MEMORY_BOXES_H

#include "Places.h"

#include <span>
#include <vector>

namespace sluice {

/// Boxes that cover exactly the bytes of `parts`, which are sorted. Offsets and
/// pitches on the device and on the host are those of the object.
std::vector<device::CopyBox> boxesOf(std::span<const ValidRange> parts);
/// The same for ranges without adjacent ones.
std::vector<device::CopyBox> boxesOf(std::span<const ByteRange> ranges);

} // namespace sluice

#endif // SLUICE_RUNTIME_MEMORY_BOXES_H
