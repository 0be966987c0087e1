//===- SelfOverlap.h - Whether a layout uses a byte twice -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A layout may be unpacked by several threads only if each byte gets a single
// value. The answers are conservative: "disjoint" is certain.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_PACK_FORM_SELFOVERLAP_H
#define SLUICE_LIB_PACK_FORM_SELFOVERLAP_H

#include "sluice/Pack/Form.h"

namespace sluice::pack {

/// Whether no byte is used twice. The cost is n log n in the lists.
bool isDisjoint(const Form &form);
/// Whether no two of `count` instances of a disjoint form share a byte.
bool areInstancesDisjoint(const Layout &layout, int64_t count);

} // namespace sluice::pack

#endif // SLUICE_LIB_PACK_FORM_SELFOVERLAP_H
