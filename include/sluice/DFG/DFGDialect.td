//===- DFGDialect.td - The dfg dialect ---------------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The dialect's name, its description in the reference, and the parts that MLIR
// generates for it.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_DFG_DIALECT_TD
#define SLUICE_DFG_DIALECT_TD

include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def DFG_Dialect : Dialect {
  let name = "dfg";
  let cppNamespace = "::sluice::dfg";
  let summary = "hierarchical dataflow graphs";
  let description = [{
    The dialect holds the structure of a program: graphs, nodes, edges, binds
    and leaf kernels. What a leaf computes stays in LLVM IR.

    Edges are SSA values. In the region of a graph
    - a block argument is an input of the graph, and using it as an operand of
      a node is an *input bind*;
    - a result of a node is an output of that node, and using it as an operand
      of another node is an *edge*;
    - an operand of the terminator `dfg.output` is an *output bind*.

    So a graph is acyclic, every input has exactly one feeder, and edges join
    siblings only, by construction. Graph regions are isolated from above.

    An edge is all-to-all unless its operand says `one_to_one`; an operand
    marked `stream` carries one value per item of a stream.

    ```mlir
    dfg.kernel @scale(%x: !llvm.ptr inout, %bytes: i64) -> (done: i64) target(cpu)

    dfg.graph @root(%x: !llvm.ptr inout, %bytes: i64) -> (done: i64) {
      %n = arith.constant 1024 : i64
      %first = dfg.node @scale[%n](%x, %bytes) : (!llvm.ptr, i64) -> i64
      %second = dfg.node @scale[%n](%x, one_to_one %first)
        : (!llvm.ptr, i64) -> i64
      dfg.output %second : i64
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::LLVM::LLVMDialect"];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
}

#endif // SLUICE_DFG_DIALECT_TD
