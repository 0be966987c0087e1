//===- DFGTypes.td - Types and enums of the dfg dialect ----*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The token type, and the enum of targets.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_DFG_TYPES_TD
#define SLUICE_DFG_TYPES_TD

include "mlir/IR/AttrTypeBase.td"
include "sluice/DFG/DFGDialect.td"

def DFG_TokenType : TypeDef<DFG_Dialect, "Token"> {
  let mnemonic = "token";
  let summary = "an order between two nodes that carries no value";
  let description = [{
    A node may have a token as its last result; a node that lists the token in
    `after(...)` starts when all instances of the first one ended.
  }];
}

def DFG_Target : I32EnumAttr<"Target", "where a node should run", [
    I32EnumAttrCase<"None", 0, "none">,
    I32EnumAttrCase<"Cpu", 1, "cpu">,
    I32EnumAttrCase<"Gpu", 2, "gpu">,
    I32EnumAttrCase<"CpuOrGpu", 3, "cpu_or_gpu">]> {
  let cppNamespace = "::sluice::dfg";
}

#endif // SLUICE_DFG_TYPES_TD
