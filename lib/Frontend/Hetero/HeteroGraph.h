//===- HeteroGraph.h - The graph a Hetero-C++ function describes ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Private to the front end. Hetero-C++ marks parts of ordinary code as nodes.
// The phases, for every function that is launched:
//   1. HeteroRegions.cpp  bring calls into a form where every region starts
//                         and ends with a block
//   2. HeteroWalk.cpp     follow the code between the nodes, with variables as
//                         expressions of the graph's inputs
//   3. HeteroUses.cpp     find what a leaf's code uses
//      HeteroLeaves.cpp   copy it to a function
//   4. HeteroEmit.cpp     infer edges; write the graph as HPVM intrinsics
//   5. LowerHetero.cpp    launches; the rest becomes ordinary code
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_FRONTEND_HETERO_HETEROGRAPH_H
#define SLUICE_LIB_FRONTEND_HETERO_HETEROGRAPH_H

#include "../HPVM/Lower/LowerCallsPhases.h"
#include "HeteroFunctions.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/BasicBlock.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"

#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace sluice::hetero {

//===----------------------------------------------------------------------===//
// Values between nodes
//===----------------------------------------------------------------------===//

/// The value of a variable at a point between nodes.
struct Expr {
  enum class Kind {
    /// Input `index` of the graph.
    Input,
    /// The value that node `index` stores in `variable`.
    Output,
    Constant,
    /// `operands[0]` as another integer type.
    Cast,
    /// `operation` of the operands.
    Operation,
    /// The member at `path` of the structure or array `operands[0]`.
    Member,
    /// The structure or array `operands[0]` with `operands[1]` at `path`.
    Insert,
    /// `operands[1]` where `operands[0]` is true, else `operands[2]`.
    Select,
    /// Nothing that can be said; `reason` ends "..., because it".
    Unknown,
    /// The address of byte `offset` of `variable`; no value for a node.
    Address,
  };
  Kind kind = Kind::Unknown;
  llvm::Type *type = nullptr;
  unsigned index = 0;
  llvm::Value *variable = nullptr;
  llvm::Constant *constant = nullptr;
  bool isSigned = false;
  llvm::Instruction *operation = nullptr;
  llvm::SmallVector<const Expr *, 2> operands = {};
  llvm::SmallVector<unsigned, 2> path = {};
  int64_t offset = 0;
  std::string reason = {};
  /// A division that the program may not execute: it must do no harm.
  bool isConditional = false;
  /// The results of findUnknown and findOutput.
  const Expr *firstUnknown = nullptr, *firstOutput = nullptr;
};

/// Variables (their allocas) and their values.
using Environment = llvm::MapVector<llvm::Value *, const Expr *>;

/// Makes expressions and keeps them.
class Expressions {
public:
  const Expr *input(unsigned index, llvm::Type *type) {
    return add({.kind = Expr::Kind::Input, .type = type, .index = index});
  }
  const Expr *output(unsigned node, llvm::Value *variable, llvm::Type *type) {
    return add({.kind = Expr::Kind::Output,
                .type = type,
                .index = node,
                .variable = variable});
  }
  const Expr *constant(llvm::Constant *value) {
    return add({.kind = Expr::Kind::Constant,
                .type = value->getType(),
                .constant = value});
  }
  const Expr *cast(const Expr *value, llvm::Type *type, bool isSigned) {
    if (value->type == type)
      return value;
    return add({.kind = Expr::Kind::Cast,
                .type = type,
                .isSigned = isSigned,
                .operands = {value}});
  }
  const Expr *operation(llvm::Instruction &instruction,
                        llvm::ArrayRef<const Expr *> operands,
                        bool isConditional) {
    Expr expr{.kind = Expr::Kind::Operation,
              .type = instruction.getType(),
              .operation = &instruction};
    expr.operands.assign(operands.begin(), operands.end());
    expr.isConditional = isConditional;
    return add(std::move(expr));
  }
  /// A member, found in what was inserted where that is known.
  const Expr *member(const Expr *whole, llvm::ArrayRef<unsigned> path);
  const Expr *insert(const Expr *whole, const Expr *value,
                     llvm::ArrayRef<unsigned> path);
  const Expr *select(const Expr *condition, const Expr *one,
                     const Expr *other) {
    if (one == other)
      return one;
    return add({.kind = Expr::Kind::Select,
                .type = one->type,
                .operands = {condition, one, other}});
  }
  const Expr *address(llvm::Type *type, llvm::Value *variable, int64_t offset) {
    return add({.kind = Expr::Kind::Address,
                .type = type,
                .variable = variable,
                .offset = offset,
                .reason = "is the address of a variable"});
  }
  const Expr *unknown(llvm::Type *type, std::string reason) {
    return add({.type = type, .reason = std::move(reason)});
  }
  const Expr *add(Expr expr);

private:
  const Expr *findMember(const Expr *whole, llvm::ArrayRef<unsigned> path);

  std::deque<Expr> storage;
  /// Members that were asked for: expressions share parts, so each is made
  /// once.
  std::map<std::pair<const Expr *, std::vector<unsigned>>, const Expr *>
      members;
};

/// The part of `expr` that is not known, or an address; null if a node can be
/// told the value.
const Expr *findUnknown(const Expr *expr);
/// The input that a pointer expression points into; null if unknown.
const Expr *baseOf(const Expr *pointer);
/// Writes `expr` at the builder's place; `inputs` are the inputs.
llvm::Value *emit(const Expr *expr, llvm::IRBuilder<> &builder,
                  llvm::ArrayRef<llvm::Value *> inputs);

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

/// Code between two places, each of which starts a block.
struct CodeRegion {
  /// The call that marks it; null: a whole function.
  llvm::CallInst *begin = nullptr;
  llvm::BasicBlock *entry = nullptr;
  /// The block after the region; not a part of it. Null if the function
  /// returns.
  llvm::BasicBlock *exit = nullptr;
  llvm::SetVector<llvm::BasicBlock *> blocks = {};
};

struct PortAccess {
  bool reads = false, writes = false;
};

/// An input of a graph or node.
struct Port {
  llvm::Type *type = nullptr;
  std::string name = {};
  PortAccess access = {};
  bool isRestrict = false;
  /// The value of a node's input in terms of its graph: an input or an output.
  const Expr *source = nullptr;
};

/// An output of a node: the value that it stores in a variable or, for null,
/// the fact that it has ended.
struct VariableOutput {
  llvm::Value *variable = nullptr;
};

/// An edge to an input of a node; without `port`, an order.
struct InEdge {
  unsigned source = 0, output = 0;
  std::optional<unsigned> port;
};

struct HeteroGraph;

/// The turns of a loop, as the graph sees them; all are i64.
struct LoopExtent {
  const Expr *start = nullptr, *bound = nullptr, *step = nullptr;
  bool isDown = false, isInclusive = false, isUnsigned = false;
};

/// A loop that became a dimension of a node, as the node sees it.
struct LoopDimension {
  llvm::Value *variable = nullptr;
  llvm::Type *type = nullptr;
  const Expr *start = nullptr, *step = nullptr;
  bool isDown = false;
  /// Of the variable's type.
  bool hasSign = false;
};

/// A task or a parallel loop.
struct HeteroNode {
  CodeRegion region = {};
  std::string name = {};
  SourcePlace place = {};
  std::string hint = {};
  std::vector<Port> ports = {};
  /// The initial values of variables, in terms of the ports.
  Environment variables = {};
  /// Variables that are memory of a port.
  Environment memory = {};
  /// Variables whose values leave the node, and their types.
  llvm::MapVector<llvm::Value *, llvm::Type *> results = {};
  /// Buffers by the input of the graph that they are.
  llvm::MapVector<unsigned, PortAccess> buffers = {};
  /// x first, which is the innermost loop.
  llvm::SmallVector<LoopExtent, 3> extents = {};
  llvm::SmallVector<LoopDimension, 3> dimensions = {};
  /// Loops whose turns run in order, as SLUICE_X and so on name them.
  unsigned orderedDims = 0;
  /// Null: a leaf.
  std::unique_ptr<HeteroGraph> graph = {};

  std::vector<VariableOutput> outputs = {};
  std::vector<InEdge> edges = {};
  /// A leaf that has one needs no region.
  llvm::Function *function = nullptr;

  unsigned addOutput(llvm::Value *variable) {
    outputs.push_back({variable});
    return outputs.size() - 1;
  }
};

struct HeteroGraph {
  std::string name = {}, symbol = {};
  SourcePlace place = {};
  llvm::DISubprogram *subprogram = nullptr;
  llvm::GlobalValue::LinkageTypes linkage = llvm::GlobalValue::InternalLinkage;
  std::string hint = {};
  std::vector<Port> ports = {};
  std::deque<HeteroNode> nodes = {};
  Environment variables = {}, memory = {};
  /// Ports that calls of sluice_temporary name.
  std::set<unsigned> temporaries = {};
};

/// The data that all phases share.
struct HeteroContext {
  CompiledUnit &unit;
  Diagnostics &diagnostics;
  Expressions expressions = {};

  Diagnostic &error(const llvm::Instruction &at, std::string message,
                    llvm::StringRef rule) {
    return diagnostics.error(placeOf(at), std::move(message), rule.str());
  }
};

//===----------------------------------------------------------------------===//
// Phases
//===----------------------------------------------------------------------===//

/// The function of Hetero-C++ that is called.
HeteroFunction calledHetero(const llvm::Instruction &instruction);
/// The record of a call; null if it has none.
const HeteroCall *heteroRecordOf(const llvm::CallBase &call,
                                 const CompiledUnit &unit);
/// True if a node or a nested graph begins here.
bool isNodeMarker(const llvm::Instruction &instruction);
/// True if code of a region stands in the function.
bool hasRegions(const llvm::Function &function);

/// Gives begins and ends blocks of their own. `isRoot`: the function is
/// launched.
void prepareRegions(llvm::Function &function, bool isRoot);
/// The region a call begins; none, with a message, if its end is missing.
std::optional<CodeRegion> findRegion(llvm::CallInst &begin,
                                     HeteroContext &context);
/// The variable's name in the source; empty for one of the compiler's.
std::string nameOfVariable(const llvm::Value &variable);
/// True if the variable is declared inside.
bool isDeclaredIn(const llvm::Value &variable, const CodeRegion &region);

/// Adds the nodes of a region to a graph with ports and variables; false if
/// there was an error.
bool walkGraph(HeteroGraph &graph, const CodeRegion &region,
               HeteroContext &context);

/// How code uses a variable.
struct VariableUse {
  bool reads = false, writes = false, escapes = false;
  llvm::Instruction *first = nullptr;
};
/// The variables of the function around it that a region uses, and problems
/// with its control flow.
bool findUses(const CodeRegion &region, llvm::StringRef what,
              HeteroContext &context,
              llvm::MapVector<llvm::Value *, VariableUse> &uses);
/// The first instruction that writes through a pointer, or leads to one in
/// functions whose code is here; null if none is found.
const llvm::Instruction *findWrite(const llvm::Value &buffer);
/// True if code beyond the region and its lists uses the variable.
bool isUsedBeyond(const llvm::Value &variable, const CodeRegion &region);

/// Computes indices of arrays in 64 bits if sums of `number` and other terms do
/// not wrap around. `number` was truncated from 64 bits without loss.
void widenPlaces(llvm::Function &iteration, llvm::Value &number);

/// Writes a node's code as a function.
llvm::Function *extractLeaf(HeteroNode &node, const HeteroGraph &graph,
                            HeteroContext &context);
/// Infers edges and writes a graph and all below it as functions.
llvm::Function *emitGraph(HeteroGraph &graph,
                          llvm::ArrayRef<VariableOutput> outputs,
                          unsigned numTokens, HeteroContext &context);
/// Launches a graph with the arguments in a structure in the host's frame.
llvm::CallInst *emitLaunch(llvm::IRBuilder<> &builder, llvm::Function &root,
                           llvm::ArrayRef<llvm::Value *> arguments);
void emitWait(llvm::IRBuilder<> &builder, llvm::Value *handle);
/// The functions of a graph's nodes and itself have these names for people.
void describeFunction(llvm::Function &function, llvm::StringRef name,
                      const SourcePlace &place, llvm::DISubprogram *model);
void addHint(llvm::Function &function, llvm::StringRef hint);
/// The named metadata of a target by HPVM 2.0's numbers, which has room for
/// those hpvm.h adds; empty: none.
llvm::StringRef hintOfHetero(int64_t target);

} // namespace sluice::hetero

#endif // SLUICE_LIB_FRONTEND_HETERO_HETEROGRAPH_H
