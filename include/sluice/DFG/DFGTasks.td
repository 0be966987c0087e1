//===- DFGTasks.td - Task graphs in the dfg dialect --------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A task graph is one level above a dfg.graph: tasks over named datasets, in
// creation order. Their arguments determine which tasks wait for which; these
// dependences become explicit when the tasks become nodes.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_DFG_TASKS_TD
#define SLUICE_DFG_TASKS_TD

include "mlir/IR/BuiltinAttributes.td"
include "sluice/DFG/DFGDialect.td"

def DFG_TaskKind : I32EnumAttr<"TaskKind", "what runs a task", [
    I32EnumAttrCase<"C", 0, "c">,
    I32EnumAttrCase<"Halide", 1, "halide">,
    I32EnumAttrCase<"Python", 2, "python">,
    I32EnumAttrCase<"Fem", 3, "fem">,
    I32EnumAttrCase<"HPVM", 4, "hpvm">]> {
  let cppNamespace = "::sluice::dfg";
}

def DFG_PassBy : I32EnumAttr<"PassBy", "how a scalar reaches a task", [
    I32EnumAttrCase<"Reference", 0, "reference">,
    I32EnumAttrCase<"Value", 1, "value">]> {
  let cppNamespace = "::sluice::dfg";
}

/// Arrays and dictionaries are passed by reference, scalars by value or by
/// reference. A part has one offset, size and step per dimension of its
/// dataset, in elements; without them it is the whole.
def DFG_TaskArgAttr : AttrDef<DFG_Dialect, "TaskArg"> {
  let mnemonic = "arg";
  let parameters = (ins "::mlir::FlatSymbolRefAttr":$data,
    "::sluice::dfg::Access":$access, "::sluice::dfg::PassBy":$passBy,
    OptionalArrayRefParameter<"int64_t">:$offsets,
    OptionalArrayRefParameter<"int64_t">:$sizes,
    OptionalArrayRefParameter<"int64_t">:$steps);
  let extraClassDeclaration = [{
    bool isPart() const { return !getSizes().empty(); }
  }];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

#endif // SLUICE_DFG_TASKS_TD
