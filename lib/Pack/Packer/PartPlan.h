//===- PartPlan.h - Copying parts of one instance fast --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A part of a large instance consists of a few incomplete iterations around
// many whole ones. A plan contains, for each loop and child of a form, the
// ready-made kernel that copies whole ones, so that a pack in pieces is about
// as fast as a single pack.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_PACK_PACKER_PARTPLAN_H
#define SLUICE_LIB_PACK_PACKER_PARTPLAN_H

#include "sluice/Pack/Kernel.h"

namespace sluice::pack {

/// A tree like the form, down to parts for which kernels do not pay.
struct PartPlan {
  /// Entries of a list of runs that one kernel copies.
  static constexpr int64_t segment = 512;

  /// Null if the form needs no plan: blocks and short lists of runs.
  static std::unique_ptr<const PartPlan>
  of(const Form &form, const Processor &processor = thisProcessor());

  /// Strided: for each loop, the kernel with its iterations as instances. Lists
  /// of runs: for each whole segment, placed at its first entry. Other lists:
  /// for each child, the kernel of one; empty for children that do not pay.
  std::vector<Kernel> kernels;
  /// Like the form's children; null where they need no plan.
  std::vector<std::unique_ptr<const PartPlan>> children;
};

/// Whether a range leaves enough of an instance incomplete that a plan pays.
inline bool needsPlan(const Layout &layout, int64_t position, int64_t length) {
  int64_t size = layout.size();
  return size > 1024 && length > 512 &&
         (position % size != 0 || (position + length) % size != 0);
}

/// Like packRange and unpackRange, with a plan of the layout's form or null.
/// The range must be within the stream.
void packPlanned(const Layout &layout, const Kernel &kernel,
                 const PartPlan *plan, const std::byte *in, int64_t position,
                 int64_t length, std::byte *out);
void unpackPlanned(const Layout &layout, const Kernel &kernel,
                   const PartPlan *plan, const std::byte *in, int64_t position,
                   int64_t length, std::byte *out);

/// Throws farc::Error if the range is not within the stream.
void checkRange(const Layout &layout, int64_t count, int64_t position,
                int64_t length);

} // namespace sluice::pack

#endif // SLUICE_LIB_PACK_PACKER_PARTPLAN_H
