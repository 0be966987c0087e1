//===- RDIRDialect.td - The rdir dialect -------------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The dialect's name, its description in the reference, the type of nodes, and
// the enums of partitions and coherence.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RDIR_DIALECT_TD
#define SLUICE_RDIR_DIALECT_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def RDIR_Dialect : Dialect {
  let name = "rdir";
  let cppNamespace = "::sluice::rdir";
  let summary = "tasks over regions, and the versions of the regions";
  let description = [{
    A module declares roots (arrays of elements with fields), partitions of
    them, variables, parameters and reductions. Its graphs consist of nodes:
    data nodes are versions of regions, compute nodes make new versions of old
    ones. There is one operation per node; its edges are operands in clauses
    that say of which kind they are.

    Any labelled graph can be written, also one that breaks the rules: cycles,
    edges in the wrong direction or between nodes of the wrong kind. The rules
    are checked by passes and by `sluice check`, never by the verifier.

    ```mlir
    rdir.root @grid [1024, 1024] {value : f64}

    rdir.graph @main {
      %before = rdir.region @grid initial
      rdir.task @relax reads(%before) writes(%after)
      %after = rdir.region @grid
    }
    ```
  }];
  let useDefaultTypePrinterParser = 1;
}

def RDIR_NodeType : TypeDef<RDIR_Dialect, "Node"> {
  let mnemonic = "node";
  let summary = "a node of a graph: data or computation";
}

def RDIR_PartitionKind : I32EnumAttr<"PartitionKind",
    "how the elements of a partition's colors are found", [
    I32EnumAttrCase<"Abstract", 0, "abstract">,
    I32EnumAttrCase<"Blocks", 1, "blocks">,
    I32EnumAttrCase<"Halo", 2, "halo">,
    I32EnumAttrCase<"Coloring", 3, "coloring">,
    I32EnumAttrCase<"Field", 4, "field">,
    I32EnumAttrCase<"Image", 5, "image">,
    I32EnumAttrCase<"Preimage", 6, "preimage">,
    I32EnumAttrCase<"Union", 7, "union">,
    I32EnumAttrCase<"Intersection", 8, "intersection">,
    I32EnumAttrCase<"Difference", 9, "difference">,
    I32EnumAttrCase<"Cross", 10, "cross">,
    I32EnumAttrCase<"Each", 11, "each">,
    I32EnumAttrCase<"Color", 12, "color">]> {
  let cppNamespace = "::sluice::rdir";
}

def RDIR_Coherence : I32EnumAttr<"Coherence",
    "what other tasks may do to an argument meanwhile", [
    I32EnumAttrCase<"Exclusive", 0, "exclusive">,
    I32EnumAttrCase<"Atomic", 1, "atomic">,
    I32EnumAttrCase<"Simultaneous", 2, "simultaneous">,
    I32EnumAttrCase<"Relaxed", 3, "relaxed">]> {
  let cppNamespace = "::sluice::rdir";
}

#endif // SLUICE_RDIR_DIALECT_TD
