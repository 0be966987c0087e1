//===- ImportHPVM.h - Canonical HPVM IR to the dfg dialect ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The importer reads the calls of llvm.hpvm.* intrinsics in a module, checks
// every rule of docs/hpvm-rules.md, and represents the graphs as dfg
// operations. Leaf code stays in the module.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_FRONTEND_HPVM_IMPORTHPVM_H
#define SLUICE_FRONTEND_HPVM_IMPORTHPVM_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "sluice/Diagnostics/Diagnostics.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace llvm {
class CallBase;
class Function;
class Module;
} // namespace llvm

namespace sluice::hpvm {

/// Byte offsets of the fields of an argument structure.
struct ArgumentLayout {
  uint64_t size = 0;
  std::vector<uint64_t> argumentOffsets;
  /// Empty for streaming graphs, which have no result field.
  std::vector<uint64_t> resultOffsets;

  friend bool operator==(const ArgumentLayout &,
                         const ArgumentLayout &) = default;
};

/// A call of llvm.hpvm.launch.
struct LaunchSite {
  llvm::CallBase *call = nullptr;
  /// The root node function; `root` is its symbol and that of its dfg.graph.
  llvm::Function *rootFunction = nullptr;
  std::string root;
  bool isStream = false;
  /// Empty: packed.
  std::optional<ArgumentLayout> layout;
};

/// A call of llvm.hpvm.push.
struct PushSite {
  llvm::CallBase *call = nullptr;
  /// Empty: packed.
  std::optional<ArgumentLayout> layout;
};

struct ImportedProgram {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::vector<LaunchSite> launches;
  std::vector<PushSite> pushes;
  /// Node functions with HPVM calls that no graph uses; their code needs no
  /// lowering and may be dropped.
  std::vector<llvm::Function *> unusedNodeFunctions;
};

struct ImportOptions {
  /// Report a program that launches graphs without init or cleanup. Off for
  /// modules that are only part of a program.
  bool requireInit = true;
};

/// Imports all graphs that `module` launches, and graphs that it defines
/// without creating a node of them. Simplifies `module` in the process:
/// promotes allocas of functions with HPVM calls, and folds internal nodes to
/// straight-line code.
///
/// Adds all problems to `diagnostics`; fails if one is an error.
mlir::FailureOr<ImportedProgram>
importProgram(llvm::Module &module, mlir::MLIRContext &context,
              Diagnostics &diagnostics, const ImportOptions &options = {});

/// Draws the graphs of a module that importProgram has refused, in the language
/// of Graphviz, with `errors` in red at what they are about. Empty if there are
/// no graphs.
std::string drawRefused(llvm::Module &module, const Diagnostics &errors);

} // namespace sluice::hpvm

#endif // SLUICE_FRONTEND_HPVM_IMPORTHPVM_H
