//===- RDIRPorts.cpp - Ports of nodes -------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The edges of a node are the arguments of its function; several edges may make
// one argument. This file numbers the arguments for the parser, the printer and
// the checks.
//
//===----------------------------------------------------------------------===//

#include "Ports.h"
#include "RDIREdges.h"

using namespace mlir;
using namespace sluice::rdir;

namespace {
/// The source's identity of an argument: edges with equal keys are one
/// argument.
struct PortKey {
  Attribute region, color, fields, projection;
  bool operator==(const PortKey &) const = default;
  bool isData() const { return bool(region); }
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

/// Walks the edges of a node that computes; calls `see(default, port)`.
template <typename SeeT>
static void walkNodePorts(NodeOpInterface node, SeeT see) {
  DenseI32ArrayAttr written = node.getPortsAttr();
  walkPorts<PortKey>(
      node.getKinds(), [&](unsigned edge) { return portKey(node, edge); },
      [&](unsigned edge, uint32_t byDefault) -> uint32_t {
        uint32_t port =
            written && written[edge] >= 0 ? written[edge] : byDefault;
        see(byDefault, port);
        return port;
      });
}

SmallVector<uint32_t> sluice::rdir::edgePorts(NodeOpInterface node) {
  SmallVector<uint32_t> ports;
  walkNodePorts(node, [&](uint32_t, uint32_t port) { ports.push_back(port); });
  return ports;
}

SmallVector<uint32_t> sluice::rdir::defaultPorts(NodeOpInterface node) {
  SmallVector<uint32_t> defaults;
  walkNodePorts(node, [&](uint32_t byDefault, uint32_t) {
    defaults.push_back(byDefault);
  });
  return defaults;
}
