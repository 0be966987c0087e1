//===- VectorVariants.h - What only vectorisers see -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Math functions of leaves have slow paths that vectors look for once, see
// InlineMath.h. What vectors call instead is in the module from the start.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_CODEGEN_VECTORVARIANTS_H
#define SLUICE_CODEGEN_VECTORVARIANTS_H

namespace llvm {
class Constant;
}

namespace sluice::codegen {

/// Whether `inlineMath` has added this function for vectorisers. Nothing calls
/// it before they run, so what drops unused code has to keep it.
bool isVectorVariant(const llvm::Constant &function);

} // namespace sluice::codegen

#endif // SLUICE_CODEGEN_VECTORVARIANTS_H
