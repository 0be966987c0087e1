//===- PlainForm.h - Choosing between two forms of a kernel -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where it is not certain that instances in step are faster, a kernel also runs
// them one after another, in some calls that are timed, and then in the way
// that was faster (sluice-c/FormTrial.h). One choice is made for all loops of a
// call.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_FORMS_PLAINFORM_H
#define SLUICE_LIB_CODEGEN_LEAF_FORMS_PLAINFORM_H

namespace llvm {
class Function;
class FreezeInst;
class Value;
} // namespace llvm

namespace sluice::codegen {

class PlainForm {
public:
  explicit PlainForm(llvm::Function &function) : function(function) {}

  /// Whether loops are to run one instance after another in this call: a value
  /// that can be used everywhere until `emit` replaces it. Null: the function
  /// is no kernel.
  llvm::Value *isPlain();
  /// Emits the choice at the function's entry, and what notes times at its
  /// ends, if anybody has asked.
  void emit();

private:
  llvm::Function &function;
  llvm::FreezeInst *asked = nullptr;
};

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_FORMS_PLAINFORM_H
