//===- Overlap.h - Whether a layout touches a byte twice ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A layout may be unpacked by several threads only if each byte has one value
// to get. The answers err to the safe side: "disjoint" is certain.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_PACK_FORM_OVERLAP_H
#define SLUICE_LIB_PACK_FORM_OVERLAP_H

#include "sluice/Pack/Form.h"

namespace sluice::pack {

/// No byte is touched twice. n log n in the lists.
bool isDisjoint(const Form &form);
/// No byte is touched by two of `count` instances of a disjoint form.
bool areInstancesDisjoint(const Layout &layout, int64_t count);

} // namespace sluice::pack

#endif // SLUICE_LIB_PACK_FORM_OVERLAP_H
