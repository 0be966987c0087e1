//===- CodeGen.h - From dfg and leaf code to machine code -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns the graphs of a program into plans (sluice-c/Plan.h) and kernels in
// the module of its leaf and host code, and that module into an object file.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_CODEGEN_CODEGEN_H
#define SLUICE_CODEGEN_CODEGEN_H

#include "sluice/CodeGen/Debugging.h"
#include "sluice/CodeGen/InlineMath.h"
#include "sluice/CodeGen/KernelPipeline.h"
#include "sluice/CodeGen/PlanModel.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/Support/Error.h"
#include "llvm/Target/TargetMachine.h"

namespace sluice::codegen {

struct DeviceProgram;

struct CodeGenOptions {
  /// CPU name as clang's -march takes it; "native" is this machine.
  std::string cpu = "native";
  /// 0 to 3.
  unsigned optimizationLevel = 3;
  Vectorization vectorization;
  /// Host code and kernels alike; variants have no profile.
  Profiling profiling;
  /// Plain loops, one instance after another; for comparing results.
  bool isReference = false;
  /// Leaves report every access to memory (SLUICE_CHECK=1); plain loops, too.
  bool isChecked = false;
  Debugging debugging = Debugging::Lines;
  /// Path of the program that compiles variants; empty: no variants.
  std::string helper;
  /// Changes whenever that program does: variants of an older one are not
  /// taken from the cache.
  std::string helperStamp;
  MathOptions math;
  /// What many rows of instances read in their loops is copied first.
  bool makesPanels = true;
  /// Several processes that MPI starts may run the program together.
  bool isForRanks = false;
  /// Bits of the widest vector registers of the CPU (see vectorBitsOf).
  unsigned vectorBits = 128;
};

/// Attribute of leaves whose memory others touch while they run: the runtime
/// fills what a task uses when its leaf has begun.
inline constexpr llvm::StringLiteral sharesMemoryAttribute =
    "sluice-shares-memory";

/// Where the fields of an argument structure lie, in bytes (SluiceLayout).
struct HostLayout {
  uint64_t size = 0;
  std::vector<uint64_t> argumentOffsets, resultOffsets;
};

/// A target machine for this host's triple and `cpu`, position independent.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
createTargetMachine(llvm::StringRef cpu, unsigned optimizationLevel);

/// Bits of the widest vector registers of the machine.
unsigned vectorBitsOf(const llvm::TargetMachine &machine);

/// Whether the host's code computes `a * b + c` with one rounding where the
/// language allows it (llvm.fmuladd).
bool fusesMultiplyAdd(const llvm::TargetMachine &machine);

/// Emits plan and kernels of each model into `module`, which holds their leaf
/// code, and a constructor that registers the plans. Returns the plan of each
/// root, in order. `code` is the serialised program for the helper that
/// compiles variants (see compileVariant). `devices` are the models' device
/// kernels, null if there are none.
llvm::Expected<std::vector<llvm::GlobalVariable *>>
emitPlans(llvm::Module &module, llvm::ArrayRef<PlanModel> models,
          llvm::StringRef code, const CodeGenOptions &options,
          const DeviceProgram *devices = nullptr);

/// Notes the layout of the argument structure of a launch or push as metadata
/// of the call, so that it survives serialisation. Calls without it are packed.
void setHostLayout(llvm::CallBase &call, const HostLayout &layout);

/// Has `main` begin with serving rank 0, in processes that are another rank. A
/// program that calls MPI itself is left as it is: all of its processes run
/// `main`.
void serveRanks(llvm::Module &module);

/// Replaces the host intrinsics `llvm.hpvm.*` by calls of the runtime. `plans`
/// maps root functions to their plans.
llvm::Error lowerHostCalls(
    llvm::Module &module,
    const llvm::DenseMap<llvm::Function *, llvm::GlobalVariable *> &plans);

/// Removes the bodies of node functions, which have become kernels and plans;
/// their addresses stay.
void dropNodeFunctions(llvm::Module &module,
                       llvm::ArrayRef<llvm::Function *> functions);

/// Makes every mutable global that a leaf uses visible outside of the program,
/// static ones under a name that is unique in the process, so that variants
/// compiled later share it. Returns the names the linker has to export.
std::vector<std::string>
exportMutableGlobals(llvm::Module &module,
                     llvm::ArrayRef<llvm::Function *> leaves);

/// Optimises `module`, which has no HPVM calls any more, for one CPU.
void optimizeProgram(llvm::Module &module, llvm::TargetMachine &machine,
                     const CodeGenOptions &options);

/// Removes what nothing refers to.
void removeUnused(llvm::Module &module);

/// Gives functions that end before they do anything, as such whose end is
/// unreachable from the start, an instruction that stops the program. Without
/// any code they would hide the function behind them from the unwinder.
void fillEmptyFunctions(llvm::Module &module);

/// Optimises `module` and writes an object file.
llvm::Error emitObject(llvm::Module &module, llvm::TargetMachine &machine,
                       const CodeGenOptions &options,
                       llvm::SmallVectorImpl<char> &object);

/// Extents and shape values for one variant of a node; of shape values, only
/// those that are to be constants.
struct VariantRequest {
  std::string node;
  std::vector<int64_t> extents;
  std::vector<std::optional<uint64_t>> shape;
};

/// Emits only the kernel of one node for known values, under the name
/// `sluice_variant`.
llvm::Error emitVariant(llvm::Module &module, const PlanModel &model,
                        const VariantRequest &request,
                        const CodeGenOptions &options);

} // namespace sluice::codegen

#endif // SLUICE_CODEGEN_CODEGEN_H
