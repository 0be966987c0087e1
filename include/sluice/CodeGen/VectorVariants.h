//===- VectorVariants.h - Functions that only vectorisers use -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Math functions of leaves have slow paths, which vector code checks for once
// (see InlineMath.h). The functions that vector code calls instead are in the
// module from the start.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_CODEGEN_VECTORVARIANTS_H
#define SLUICE_CODEGEN_VECTORVARIANTS_H

namespace llvm {
class Constant;
}

namespace sluice::codegen {

/// Whether `inlineMath` has added this function for vectorisers. Nothing calls
/// it before they run, so passes that drop unused code must keep it.
bool isVectorVariant(const llvm::Constant &function);

} // namespace sluice::codegen

#endif // SLUICE_CODEGEN_VECTORVARIANTS_H
