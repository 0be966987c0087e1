//===- ImportProgram.h - An HPVM program as its calls state it ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The model between the calls in LLVM IR and the dfg dialect. It can hold
// wrong programs too (cycles, two feeders of one input), so that the rules of
// docs/hpvm-rules.md are checked on it and all problems are reported at once.
//
// The importer's phases, in order:
//   1. ImportPrepare.cpp   promote allocas, fold internal nodes
//   2. ImportDiscover.cpp  calls -> Program
//   3. Rules*.cpp          check every rule
//   4. ImportBuild.cpp     Program -> dfg
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_FRONTEND_HPVM_IMPORT_IMPORTPROGRAM_H
#define SLUICE_LIB_FRONTEND_HPVM_IMPORT_IMPORTPROGRAM_H

#include "ImportIntrinsics.h"
#include "sluice/DFG/DFG.h"
#include "sluice/Frontend/HPVM/ImportHPVM.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstrTypes.h"

#include <memory>
#include <set>

namespace sluice::hpvm {

struct NodeFunction;

/// A call of createNode in an internal node.
struct ChildNode {
  llvm::CallBase *call = nullptr;
  NodeFunction *callee = nullptr;
  llvm::SmallVector<llvm::Value *, 3> extents;
  /// A call of ordered, and the bit of each dimension that it names.
  llvm::CallBase *order = nullptr;
  unsigned orderedDims = 0;
  /// For messages: the function, and the handle's variable where two children
  /// run the same function.
  std::string name;
};

/// A call of createEdge; nodes are indices into NodeFunction::children.
struct EdgeCall {
  llvm::CallBase *call = nullptr;
  unsigned source = 0, sink = 0;
  unsigned output = 0, input = 0;
  bool isOneToOne = false, isStream = false;
};

/// A call of bind.input: `outer` of the parent feeds `inner` of the child.
struct InputBind {
  llvm::CallBase *call = nullptr;
  unsigned child = 0;
  unsigned outer = 0, inner = 0;
  bool isStream = false;
};

/// A call of bind.output: `inner` of the child becomes `outer` of the parent.
struct OutputBind {
  llvm::CallBase *call = nullptr;
  unsigned child = 0;
  unsigned inner = 0, outer = 0;
  bool isStream = false;
};

/// A place where a node function is used.
struct NodeUse {
  NodeFunction *parent = nullptr;
  unsigned child = 0;

  const ChildNode &node() const;
};

/// A function that runs as a node.
struct NodeFunction {
  llvm::Function *function = nullptr;
  /// Has calls that describe a graph, or is launched.
  bool isInternal = false;
  bool isLaunched = false;
  /// Creates nodes, but is not a node function, which is a separate mistake.
  bool isMisplaced = false;
  /// Has a problem that makes statements about its graph guesswork: rules
  /// about missing things stay silent.
  bool isIncomplete = false;
  dfg::Target target = dfg::Target::None;

  std::vector<ChildNode> children;
  std::vector<EdgeCall> edges;
  std::vector<InputBind> inputBinds;
  std::vector<OutputBind> outputBinds;
  /// Inputs that calls of temporary name.
  std::set<unsigned> temporaries;
  std::vector<NodeUse> uses;

  bool isRoot() const {
    return isInternal && !isMisplaced && (isLaunched || uses.empty());
  }
  unsigned numInputs() const { return function->arg_size(); }
  unsigned numOutputs() const;
  llvm::Type *inputType(unsigned index) const {
    return function->getArg(index)->getType();
  }
  llvm::Type *outputType(unsigned index) const;
  dfg::Access access(unsigned input) const;
  /// "blur", demangled.
  std::string name() const;
  /// "input 2 'bytes' of 'blur'".
  std::string describeInput(unsigned index) const;
  std::string describeOutput(unsigned index) const;
};

inline const ChildNode &NodeUse::node() const {
  return parent->children[child];
}

/// A call of launch.
struct LaunchCall {
  llvm::CallBase *call = nullptr;
  NodeFunction *root = nullptr;
  bool isStream = false;
};

/// A whole module.
struct CanonicalProgram {
  CanonicalProgram(llvm::Module &module, Diagnostics &diagnostics)
      : module(module), diagnostics(diagnostics) {}

  llvm::Module &module;
  Diagnostics &diagnostics;
  std::vector<std::unique_ptr<NodeFunction>> functions;
  llvm::DenseMap<const llvm::Function *, NodeFunction *> byFunction;
  std::vector<LaunchCall> launches;
  /// Functions with calls of intrinsics that are no node of any graph.
  std::vector<llvm::Function *> otherFunctions;
  std::vector<llvm::Function *> unusedNodeFunctions;

  NodeFunction *lookUp(const llvm::Function *function) const {
    return byFunction.lookup(function);
  }
};

//===----------------------------------------------------------------------===//
// Phases
//===----------------------------------------------------------------------===//

/// Checks how intrinsics are declared and used.
void checkIntrinsics(llvm::Module &module, Diagnostics &diagnostics);
/// Promotes allocas, and folds the functions that describe graphs.
void prepareModule(llvm::Module &module);
/// Reads the calls.
void discoverProgram(CanonicalProgram &program);

/// The rules, by the part of the program they look at.
void checkStructure(CanonicalProgram &program);
void checkFunctions(CanonicalProgram &program);
/// Checks the reductions that a leaf declares.
void checkReductions(const NodeFunction &node, Diagnostics &diagnostics);
void checkQueries(CanonicalProgram &program);
void checkBarriers(CanonicalProgram &program);
void checkPointers(CanonicalProgram &program);
void checkStreams(CanonicalProgram &program);
void checkTargets(CanonicalProgram &program);
void checkHost(CanonicalProgram &program, const ImportOptions &options);

/// Finds argument layouts of launches and pushes, in the order of the calls.
void checkLaunchArguments(CanonicalProgram &program, ImportedProgram &result);

/// Writes the program, which follows all rules, as dfg operations.
mlir::OwningOpRef<mlir::ModuleOp> buildModule(const CanonicalProgram &program,
                                              mlir::MLIRContext &context);

/// A bind of the root that streams, null if the graph does not stream.
llvm::CallBase *streamingBind(const NodeFunction &root);
/// The launches a handle may come from; empty where that is unknown.
llvm::SmallVector<llvm::CallBase *> launchesOf(llvm::Value *handle);

//===----------------------------------------------------------------------===//
// Helpers
//===----------------------------------------------------------------------===//

/// Marks a function whose pointers to memory of the host are not followed by
/// sizes.
inline constexpr llvm::StringLiteral unsizedAttribute = "hpvm.unsized";

/// The name a user gave the function: demangled where mangled.
std::string displayName(const llvm::Function &function);
/// "'" + name + "'".
std::string quoted(const llvm::Twine &name);
/// The type as LLVM IR spells it.
std::string spellType(const llvm::Type *type);
/// The name of the variable that holds `value`, from debug information or the
/// value itself; may be empty.
std::string variableName(const llvm::Value *value);
/// The condition a statement turns on, for messages: "'n'", "a loaded value".
std::string describeValue(const llvm::Value *value);
/// Looks through casts, freeze, and phis and selects that can be only one
/// value.
llvm::Value *lookThrough(llvm::Value *value);
/// All calls of intrinsics in `function`, in order.
llvm::SmallVector<llvm::CallBase *> intrinsicCalls(llvm::Function &function);
/// True if the type is a pointer or holds one.
bool holdsPointer(const llvm::Type *type);
/// The type with named structs replaced by literal ones.
llvm::Type *structuralType(llvm::Type *type);

} // namespace sluice::hpvm

#endif // SLUICE_LIB_FRONTEND_HPVM_IMPORT_IMPORTPROGRAM_H
