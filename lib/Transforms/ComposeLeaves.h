//===- ComposeLeaves.h - New leaves made of leaves --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes the code of a node that does the work of several nodes, or that has
// fewer ports than the node it comes from. The leaves it is made of stay as
// they are, since other nodes may use them.
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
  /// The earlier part with the output; negative: a parameter of the new leaf,
  /// or no value at all (`index` is `noIndex`), for a parameter without uses.
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

/// True if `leaf` can be a part: its code is there, and may stand in the
/// middle of a function.
bool canCompose(llvm::Function &leaf);

/// True if both may be parts of one leaf: they are compiled for the same
/// target and handle exceptions alike.
bool canCompose(llvm::Function &first, llvm::Function &second);

/// True for leaves that `composeLeaves` made: nobody else refers to them.
bool isComposed(const llvm::Function &leaf);

/// Creates a leaf called `name`, a free name, that runs `parts` one
/// after another and returns `outputs`.
llvm::Function *composeLeaves(llvm::ArrayRef<LeafPart> parts,
                              llvm::ArrayRef<LeafOutput> outputs,
                              llvm::StringRef name);

} // namespace sluice::transforms

#endif // SLUICE_LIB_TRANSFORMS_COMPOSELEAVES_H
