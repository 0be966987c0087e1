//===- LayoutBytes.h - The bytes of a Pack layout -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host programs specify the part of an object that they need as a Pack layout.
// The tracker only handles bytes, so this function converts layouts.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_MEMORY_LAYOUTBYTES_H
#define SLUICE_RUNTIME_MEMORY_LAYOUTBYTES_H

#include "Places.h"

#include <string>
#include <vector>

namespace sluice {

/// The addresses of all bytes of `count` instances, at `base`, of the layout in
/// `text` (docs/pack.md): sorted, not adjacent, each byte once.
Result<std::vector<ByteRange>>
addressesOf(const void *base, const std::string &text, int64_t count);

} // namespace sluice

#endif // SLUICE_RUNTIME_MEMORY_LAYOUTBYTES_H
