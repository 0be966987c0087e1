//===- JoinTree.cpp - What shares of a node have comes to rank 0 ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In each round the right one of two neighbours sends all that it has to the
// left one, and is done.
//
//===----------------------------------------------------------------------===//

#include "JoinTree.h"

#include <algorithm>
#include <memory>
#include <new>

using namespace sluice;

size_t sluice::shareOf(const RankLink &link,
                       std::span<const RankShare> shares) {
  auto own =
      std::find_if(shares.begin(), shares.end(), [&](const RankShare &share) {
        return share.rank == link.rank();
      });
  return static_cast<size_t>(own - shares.begin());
}

Status
sluice::joinAlongTree(RankLink &link, std::span<const RankShare> shares,
                      size_t own, std::span<char> data,
                      const std::function<void(const char *other)> &join) {
  std::unique_ptr<char[]> other;
  for (size_t width = 1; width < shares.size(); width *= 2) {
    const bool isSend = own % (2 * width) != 0;
    if (!isSend && own + width >= shares.size())
      continue;
    const uint32_t peer = shares[isSend ? own - width : own + width].rank;
    if (!isSend && !other) {
      other.reset(new (std::nothrow) char[data.size()]);
      if (!other)
        link.endForWantOfMemory(data.size(), peer);
    }
    RankMessage message = {
        isSend, peer, {{isSend ? data.data() : other.get(), data.size()}}};
    if (Status status = link.exchange({&message, 1}); !status.ok())
      return status;
    if (isSend)
      break;
    join(other.get());
  }
  return {};
}
