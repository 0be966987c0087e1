//===- PlainForm.h - Choosing between two forms of a kernel -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// If it is not certain that instances run faster in step, the kernel times some
// calls in either form, in step or one after another, and then uses the faster
// form (sluice-c/FormTrial.h). One choice holds for all loops of a call.
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
