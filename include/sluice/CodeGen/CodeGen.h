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
  /// CPU name as for clang's -march; "native" is this machine.
  std::string cpu = "native";
  /// 0 to 3.
  unsigned optimizationLevel = 3;
  Vectorization vectorization;
  /// For host code and kernels; variants have no profile.
  Profiling profiling;
  /// Plain loops, one instance after another; used to compare results.
  bool isReference = false;
  /// Leaves report every memory access (SLUICE_CHECK=1); implies plain loops.
  bool isChecked = false;
  Debugging debugging = Debugging::Lines;
  /// Path of the program that compiles variants; empty: no variants.
  std::string helper;
  /// Changes with every change of that program, so that variants of an older
  /// one are not taken from the cache.
  std::string helperStamp;
  MathOptions math;
  /// Copy data first that many rows of instances read in their loops.
  bool makesPanels = true;
  /// Several processes that MPI starts may run the program together.
  bool isForRanks = false;
  /// Bits of the widest vector registers of the CPU (see vectorBitsOf).
  unsigned vectorBits = 128;
};

/// Attribute of leaves that share memory with others while they run: the
/// runtime provides the memory of a task after its leaf has begun.
inline constexpr llvm::StringLiteral sharesMemoryAttribute =
    "sluice-shares-memory";

/// Byte offsets of the fields of an argument structure (SluiceLayout).
struct HostLayout {
  uint64_t size = 0;
  std::vector<uint64_t> argumentOffsets, resultOffsets;
};

/// A target machine for this host's triple and `cpu`, position independent.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
createTargetMachine(llvm::StringRef cpu, unsigned optimizationLevel);

/// Bits of the widest vector registers of the machine.
unsigned vectorBitsOf(const llvm::TargetMachine &machine);

/// Whether host code computes `a * b + c` with one rounding where the language
/// allows it (llvm.fmuladd).
bool fusesMultiplyAdd(const llvm::TargetMachine &machine);

/// Emits plan and kernels of each model into `module`, which contains their
/// leaf code, and a constructor that registers the plans. Returns the plan of
/// each root, in order. `code` is the serialised program for the helper that
/// compiles variants (see compileVariant). `devices` are the models' device
/// kernels, or null if there are none.
llvm::Expected<std::vector<llvm::GlobalVariable *>>
emitPlans(llvm::Module &module, llvm::ArrayRef<PlanModel> models,
          llvm::StringRef code, const CodeGenOptions &options,
          const DeviceProgram *devices = nullptr);

/// Records the layout of the argument structure of a launch or push as metadata
/// of the call, so that it survives serialisation. Calls without metadata are
/// packed.
void setHostLayout(llvm::CallBase &call, const HostLayout &layout);

/// Makes `main` begin by serving rank 0 in the processes of other ranks. A
/// program that calls MPI itself is left unchanged: all of its processes run
/// `main`.
void serveRanks(llvm::Module &module);

/// Replaces the host intrinsics `llvm.hpvm.*` with calls of the runtime.
/// `plans` maps root functions to their plans.
llvm::Error lowerHostCalls(
    llvm::Module &module,
    const llvm::DenseMap<llvm::Function *, llvm::GlobalVariable *> &plans);

/// Removes the bodies of node functions, which have become kernels and plans;
/// keeps their addresses.
void dropNodeFunctions(llvm::Module &module,
                       llvm::ArrayRef<llvm::Function *> functions);

/// Gives every mutable global that a leaf uses external visibility, and static
/// ones a name that is unique in the process, so that variants compiled later
/// share it. Returns the names that the linker must export.
std::vector<std::string>
exportMutableGlobals(llvm::Module &module,
                     llvm::ArrayRef<llvm::Function *> leaves);

/// Optimises `module`, which has no HPVM calls any more, for one CPU.
void optimizeProgram(llvm::Module &module, llvm::TargetMachine &machine,
                     const CodeGenOptions &options);

/// Removes unused symbols.
void removeUnused(llvm::Module &module);

/// Adds an instruction that stops the program to functions without any code,
/// such as functions that start with unreachable code. Without it they would
/// have the address of the next function and hide that function from the
/// unwinder.
void fillEmptyFunctions(llvm::Module &module);

/// Optimises `module` and writes an object file.
llvm::Error emitObject(llvm::Module &module, llvm::TargetMachine &machine,
                       const CodeGenOptions &options,
                       llvm::SmallVectorImpl<char> &object);

/// Extents and shape values for one variant of a node. Includes only the shape
/// values that should become constants.
struct VariantValues {
  std::string node;
  std::vector<int64_t> extents;
  std::vector<std::optional<uint64_t>> shape;
};

/// Emits only the kernel of one node for known values, with the name
/// `sluice_variant`, and as `sluice_variant_units` the number of units that it
/// runs at once (SluicePlanNode::unitsAtOnce), if there is one.
llvm::Error emitVariant(llvm::Module &module, const PlanModel &model,
                        const VariantValues &request,
                        const CodeGenOptions &options);

} // namespace sluice::codegen

#endif // SLUICE_CODEGEN_CODEGEN_H
