//===- RDIRInterfaces.td - What all nodes have in common ---*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks and printing handle all nodes of a graph uniformly through the methods
// of this interface.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RDIR_INTERFACES_TD
#define SLUICE_RDIR_INTERFACES_TD

include "mlir/IR/Interfaces.td"

def RDIR_NodeInterface : OpInterface<"NodeOpInterface"> {
  let cppNamespace = "::sluice::rdir";
  let description = [{
    An operation that is a node of a graph. Operand *i* is the other end of the
    node's edge *i*; `kinds[i]` is what `EdgeCode` makes of the edge's kind and
    direction.
  }];
  let methods = [
    InterfaceMethod<"Label of the node.", "::sluice::rdir::NodeKind",
                    "getNodeKind">,
    InterfaceMethod<"The other ends of the node's edges.",
                    "::mlir::OperandRange", "getNodes">,
    InterfaceMethod<"Kind and direction of each edge.",
                    "::llvm::ArrayRef<int8_t>", "getKinds">,
    InterfaceMethod<[{Operators of the Reduce edges, in their order: a string or
                      the symbol of a `rdir.reduction`; null if there is no
                      such edge.}], "::mlir::ArrayAttr", "getReductionsAttr">,
    InterfaceMethod<[{Projection of each edge: an affine map, the symbol of a
                      function, the string "whole", or unit for the identity;
                      null if all are unit.}],
                    "::mlir::ArrayAttr", "getProjectionsAttr">,
    InterfaceMethod<[{Port of each edge, -1 where it is the default; null if all
                      are.}], "::mlir::DenseI32ArrayAttr", "getPortsAttr">,
    InterfaceMethod<[{Extents of a launch: integers and symbols of parameters;
                      null for single nodes.}],
                    "::mlir::ArrayAttr", "getOverAttr">,
    InterfaceMethod<"Body of a loop or a must-epoch; null for others.",
                    "::mlir::Block *", "getNestedBody">
  ];
}

#endif // SLUICE_RDIR_INTERFACES_TD
