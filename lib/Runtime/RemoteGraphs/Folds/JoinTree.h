//===- JoinTree.h - What shares of a node have comes to rank 0 --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each rank with a share has as many bytes, which are joined along a binomial
// tree of the shares: as many messages one after the other as it has levels.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_REMOTEGRAPHS_JOINTREE_H
#define SLUICE_RUNTIME_REMOTEGRAPHS_JOINTREE_H

#include "../NodeShares.h"
#include "../RankLink.h"

#include <functional>
#include <span>

namespace sluice {

/// The index of this rank's share; none: the number of shares.
size_t shareOf(const RankLink &link, std::span<const RankShare> shares);

/// For all ranks that have a share; `own` is that of this one. `join(other)`
/// joins what another one has to `data`, which the rank of the first share has
/// in the end.
Status joinAlongTree(RankLink &link, std::span<const RankShare> shares,
                     size_t own, std::span<char> data,
                     const std::function<void(const char *other)> &join);

} // namespace sluice

#endif // SLUICE_RUNTIME_REMOTEGRAPHS_JOINTREE_H
