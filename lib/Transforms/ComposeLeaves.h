//===- ComposeLeaves.h - New leaves made of leaves --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes a new leaf that runs several leaves one after another (for fused
// nodes), or that has fewer ports than its original. The original leaves do not
// change, since other nodes may use them.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_TRANSFORMS_COMPOSELEAVES_H
#define SLUICE_LIB_TRANSFORMS_COMPOSELEAVES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Function.h"

namespace sluice::transforms {

/// Where a parameter of a part comes from.
struct LeafInput {
  /// The earlier part whose output it is. Negative: a parameter of the new leaf
  /// or, if `index` is `noIndex`, no value, for a parameter that is not used.
  int part = -1;
  unsigned index = 0;
  static constexpr unsigned noIndex = ~0u;
};

/// A leaf that the new one runs.
struct LeafPart {
  llvm::Function *leaf = nullptr;
  /// One per parameter.
  llvm::SmallVector<LeafInput> inputs;
};

/// An output of a part.
struct LeafOutput {
  unsigned part = 0;
  unsigned index = 0;
};

/// True if `leaf` can be a part: its code is known and can be inlined into
/// another function.
bool canCompose(llvm::Function &leaf);

/// True unless both handle exceptions, in different ways.
bool handleExceptionsAlike(const llvm::Function &first,
                           const llvm::Function &second);

/// True if both may be parts of one leaf: they are compiled for the same
/// target and handle exceptions alike.
bool canCompose(llvm::Function &first, llvm::Function &second);

/// True for leaves that `composeLeaves` made; only the graph refers to them.
bool isComposed(const llvm::Function &leaf);

/// Creates a leaf called `name`, a free name, that runs `parts` one
/// after another and returns `outputs`.
llvm::Function *composeLeaves(llvm::ArrayRef<LeafPart> parts,
                              llvm::ArrayRef<LeafOutput> outputs,
                              llvm::StringRef name);

} // namespace sluice::transforms

#endif // SLUICE_LIB_TRANSFORMS_COMPOSELEAVES_H
