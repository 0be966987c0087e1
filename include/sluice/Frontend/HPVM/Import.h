//===- Import.h - Canonical HPVM IR to the dfg dialect --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The importer reads the calls of llvm.hpvm.* intrinsics of a module, checks
// every rule of docs/hpvm-rules.md, and writes the graphs down as dfg
// operations. Leaf code stays in the module.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_FRONTEND_HPVM_IMPORT_H
#define SLUICE_FRONTEND_HPVM_IMPORT_H

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

/// Where the fields of an argument structure lie, in bytes.
struct Layout {
  uint64_t size = 0;
  std::vector<uint64_t> argumentOffsets;
  /// Empty for streaming graphs, which have no result field.
  std::vector<uint64_t> resultOffsets;

  friend bool operator==(const Layout &, const Layout &) = default;
};

/// A call of llvm.hpvm.launch.
struct LaunchSite {
  llvm::CallBase *call = nullptr;
  /// The root node function; `root` is its symbol and that of its dfg.graph.
  llvm::Function *rootFunction = nullptr;
  std::string root;
  bool isStream = false;
  /// Empty: packed.
  std::optional<Layout> layout;
};

/// A call of llvm.hpvm.push.
struct PushSite {
  llvm::CallBase *call = nullptr;
  /// Empty: packed.
  std::optional<Layout> layout;
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
  /// Report a program that launches graphs without init or cleanup. Off for a
  /// module that is only a part of a program.
  bool requireInit = true;
};

/// Imports all graphs that `module` launches, and those that it defines and
/// nobody creates a node of. `module` is brought into simpler form meanwhile:
/// allocas of functions with HPVM calls are promoted, and internal nodes are
/// folded to straight-line code.
///
/// Adds every problem found to `diagnostics`; fails if one is an error.
mlir::FailureOr<ImportedProgram>
importProgram(llvm::Module &module, mlir::MLIRContext &context,
              Diagnostics &diagnostics, const ImportOptions &options = {});

} // namespace sluice::hpvm

#endif // SLUICE_FRONTEND_HPVM_IMPORT_H
