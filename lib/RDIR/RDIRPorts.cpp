//===- RDIRPorts.cpp - Which argument an edge belongs to ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An edge takes the next number; but what a task writes, reduces or continues
// of a region that an edge before it names is the same argument.
//
//===----------------------------------------------------------------------===//

#include "RDIREdges.h"

using namespace mlir;
using namespace sluice::rdir;

namespace {
/// What makes two edges one argument.
struct PortKey {
  Attribute region, color, fields, projection;
  bool operator==(const PortKey &) const = default;
};
} // namespace

static PortKey portKey(NodeOpInterface node, unsigned index) {
  PortKey key;
  Operation *other = node.getNodes()[index].getDefiningOp();
  if (auto region = dyn_cast_or_null<RegionOp>(other)) {
    key.region = region.getRegionAttr();
    key.color = region.getColorAttr();
    key.fields = region.getFieldsAttr();
  } else if (auto scalar = dyn_cast_or_null<ScalarOp>(other)) {
    key.region = scalar.getVariableAttr();
  }
  if (ArrayAttr projections = node.getProjectionsAttr())
    key.projection = projections[index];
  return key;
}

/// True if an edge joins the port of an edge before it.
static bool joinsPort(EdgeKind kind) {
  return kind == EdgeKind::Write || kind == EdgeKind::Reduce ||
         kind == EdgeKind::Continues;
}

/// True if later edges may join its port.
static bool lendsPort(EdgeKind kind) {
  return kind == EdgeKind::Read || kind == EdgeKind::Discard ||
         kind == EdgeKind::Continues || kind == EdgeKind::Reduce;
}

/// Calls `take(edge, default)` for each edge, which returns the port that the
/// edge really has.
template <typename TakeT>
static void walkPorts(NodeOpInterface node, TakeT take) {
  SmallVector<std::pair<PortKey, uint32_t>, 8> lenders;
  uint32_t next = 0;
  for (auto [index, code] : llvm::enumerate(node.getKinds())) {
    EdgeKind kind = EdgeCode::decode(code).kind;
    if (kind == EdgeKind::HappensBefore) {
      take(index, 0);
      continue;
    }
    PortKey key = portKey(node, index);
    uint32_t byDefault = next;
    if (joinsPort(kind) && key.region) {
      auto lender = llvm::find_if(
          lenders, [&](const auto &entry) { return entry.first == key; });
      if (lender != lenders.end())
        byDefault = lender->second;
    }
    uint32_t port = take(index, byDefault);
    next = std::max(next, port + 1);
    if (lendsPort(kind))
      lenders.push_back({key, port});
  }
}

SmallVector<uint32_t> sluice::rdir::edgePorts(NodeOpInterface node) {
  DenseI32ArrayAttr written = node.getPortsAttr();
  SmallVector<uint32_t> ports;
  walkPorts(node, [&](unsigned index, uint32_t byDefault) {
    ports.push_back(written && written[index] >= 0 ? written[index]
                                                   : byDefault);
    return ports.back();
  });
  return ports;
}

SmallVector<uint32_t> sluice::rdir::defaultPorts(NodeOpInterface node) {
  DenseI32ArrayAttr written = node.getPortsAttr();
  SmallVector<uint32_t> defaults;
  walkPorts(node, [&](unsigned index, uint32_t byDefault) -> uint32_t {
    defaults.push_back(byDefault);
    return written && written[index] >= 0 ? written[index] : byDefault;
  });
  return defaults;
}
