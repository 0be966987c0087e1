//===- LayoutBytes.h - The bytes that a layout of Pack names --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host programs name the part of an object that they need by a layout of Pack.
// The tracker knows bytes only, so here one becomes the other.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_MEMORY_LAYOUTBYTES_H
#define SLUICE_RUNTIME_MEMORY_LAYOUTBYTES_H

#include "Places.h"

#include <string>
#include <vector>

namespace sluice {

/// The addresses of all bytes of `count` instances, at `base`, of the layout
/// that `text` describes (docs/pack.md): sorted, not adjacent, each
/// byte once.
Result<std::vector<ByteRange>>
addressesOf(const void *base, const std::string &text, int64_t count);

} // namespace sluice

#endif // SLUICE_RUNTIME_MEMORY_LAYOUTBYTES_H
