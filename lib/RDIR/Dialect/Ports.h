//===- Ports.h - The argument that an edge belongs to -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An edge normally takes the next number. But if a task writes, reduces or
// continues a region that an earlier edge names, both edges are the same
// argument.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_RDIR_DIALECT_PORTS_H
#define SLUICE_LIB_RDIR_DIALECT_PORTS_H

#include "sluice/RDIR/RDIR.h"

namespace sluice::rdir {

/// True if an edge of this kind joins the port of an earlier edge.
inline bool joinsPort(EdgeKind kind) {
  return kind == EdgeKind::Write || kind == EdgeKind::Reduce ||
         kind == EdgeKind::Continues;
}

/// True if later edges may join the port of an edge of this kind.
inline bool lendsPort(EdgeKind kind) {
  return kind == EdgeKind::Read || kind == EdgeKind::Discard ||
         kind == EdgeKind::Continues || kind == EdgeKind::Reduce;
}

/// Calls `take(edge, default)` for each edge; the callback returns the edge's
/// actual port. Two edges with the same `keyOf(edge)` are one argument. Returns
/// the first port that no edge has.
template <typename KeyT, typename KeyOfT, typename TakeT>
uint32_t walkPorts(llvm::ArrayRef<int8_t> kinds, KeyOfT keyOf, TakeT take) {
  llvm::SmallVector<std::pair<KeyT, uint32_t>, 8> lenders;
  uint32_t next = 0;
  for (auto [index, code] : llvm::enumerate(kinds)) {
    EdgeKind kind = EdgeCode::decode(code).kind;
    if (kind == EdgeKind::HappensBefore) {
      take(index, 0);
      continue;
    }
    KeyT key = keyOf(index);
    uint32_t byDefault = next;
    if (joinsPort(kind) && key.isData()) {
      auto lender = llvm::find_if(
          lenders, [&](const auto &entry) { return entry.first == key; });
      if (lender != lenders.end())
        byDefault = lender->second;
    }
    uint32_t port = take(index, byDefault);
    next = std::max(next, port + 1);
    if (lendsPort(kind) && key.isData())
      lenders.push_back({key, port});
  }
  return next;
}

} // namespace sluice::rdir

#endif // SLUICE_LIB_RDIR_DIALECT_PORTS_H
