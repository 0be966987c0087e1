//===- KernelEmitter.h - LLVM functions of scheduled nodes ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits, for one node of a plan, the function that runs a range of its units
// (SluiceKernel) and the one that computes its extents (SluiceExtents). What
// happens inside a leaf is the work of createRangeFunction; here the values
// are brought from the frame to the leaves and back, and the children of
// replicated internal nodes are put one after another.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_KERNELEMITTER_H
#define SLUICE_LIB_CODEGEN_KERNELEMITTER_H

#include "mlir/Target/LLVMIR/TypeToLLVM.h"
#include "sluice/CodeGen/CodeGen.h"
#include "sluice/CodeGen/PlanModel.h"
#include "sluice/CodeGen/RangeFunction.h"
#include "llvm/IR/IRBuilder.h"

namespace sluice {
struct LeafReduction;
}

namespace sluice::codegen {

struct CopyLayout;

/// Values known when a node is compiled again for one launch.
struct KnownValues {
  /// 3 per level, as SluiceInvocation::extents.
  std::vector<int64_t> extents;
  /// Values of the node's shape (see shapeOf), in order, as far as known.
  std::vector<std::optional<uint64_t>> shape;
};

/// The integer arguments and outputs that shape the loops of a node's leaf.
std::vector<Source> shapeOf(const PlanModel &model, const FlatNode &node,
                            const llvm::Module &leaves);

/// Frame offset of the value that all instances share.
uint64_t frameOffsetOf(const PlanModel &model, const Source &source);
/// Where input `index` of the node's body comes from.
Source sourceOfInput(const FlatNode &node, unsigned index);
/// Loads this input in a function of the host that has the node's frame. The
/// input must not be the array of a one-to-one edge.
llvm::Value *loadInput(llvm::Module &module, const PlanModel &model,
                       const FlatNode &node, unsigned index, llvm::Value *frame,
                       llvm::IRBuilderBase &b);
/// "file.c:12:3", or nothing.
std::string spellLocation(mlir::Location location);
/// The memory of a dataset, made where it is not there yet.
llvm::GlobalVariable *datasetGlobal(llvm::Module &module,
                                    dfg::DatasetOp dataset);
/// Called for each range function that `kernel` calls: it says which argument
/// is the invocation only if atomics of all of them are nobody else's.
void keepAloneFor(const llvm::Function &range, llvm::Function &kernel);
/// The leaf's output behind output `index` of a chain of internal nodes.
unsigned leafOutput(const FlatNode &node, unsigned index);
/// The output of the body's graph behind output `index`, likewise.
mlir::Value innermostOutput(const FlatNode &node, unsigned index);
/// Type of the value in the frame.
llvm::Type *typeOf(const PlanModel &model, const Source &source);

/// Whether `leaf`, or a function that it calls, has atomic operations.
bool usesAtomics(const llvm::Function &leaf);
/// Whether an instance stores once, after all that it loads. Then it does the
/// same if the memory that it loads from is what it stores to.
bool storesLast(const llvm::Function &leaf);

class KernelEmitter {
public:
  /// Emits into `module`, which holds the leaf code.
  KernelEmitter(llvm::Module &module, const PlanModel &model,
                const CodeGenOptions &options);

  /// The kernel of `node`; with `known` for those extents and shape values
  /// only.
  llvm::Expected<llvm::Function *> emitKernel(const FlatNode &node,
                                              llvm::StringRef name,
                                              const KnownValues *known);

  /// The function that computes the extents of `node`, or null where all are
  /// constant.
  llvm::Function *emitExtents(const FlatNode &node, llvm::StringRef name);

  /// The functions of SluicePlanFold: processes that share a node with
  /// reductions or scans call them to join its copies. Null where
  /// SluicePlanFold has null.
  struct Folds {
    llvm::Function *combine, *store, *join;
  };
  Folds emitFolds(const FlatNode &node, llvm::StringRef name);

  /// All extents of `node`, if they are constant.
  static std::optional<std::vector<int64_t>>
  constantExtents(const FlatNode &node);

private:
  using Triple = std::array<llvm::Value *, 3>;
  struct Flow;
  struct FixedLevel;
  struct Body;
  struct LeafPlace;
  struct Origin;
  struct Chunk;
  /// Numbers of the root's arguments.
  using ArgumentPairs = llvm::SmallVector<std::pair<unsigned, unsigned>, 4>;

  llvm::Error emitLeafKernel(const FlatNode &node, Body &body);
  static std::string bodyName(const FlatNode &node);
  void checkLeaf(dfg::KernelOp kernel, const LeafPlace &leaf, RangeSpec &spec,
                 Body &body);
  llvm::Error emitCompoundKernel(const FlatNode &node, Body &body);
  llvm::Error emitGraph(dfg::GraphOp graph, Body &body,
                        llvm::DenseMap<mlir::Value, Flow> &flows,
                        llvm::SmallVectorImpl<FixedLevel> &fixed);
  llvm::Error emitChild(dfg::NodeOp child, Body &body,
                        llvm::DenseMap<mlir::Value, Flow> &flows,
                        llvm::SmallVectorImpl<FixedLevel> &fixed);
  llvm::Error emitLeafChild(dfg::NodeOp child, dfg::KernelOp kernel, Body &body,
                            llvm::DenseMap<mlir::Value, Flow> &flows,
                            llvm::SmallVectorImpl<FixedLevel> &fixed,
                            const Triple &extents);
  llvm::Error emitGraphChild(dfg::NodeOp child, dfg::GraphOp graph, Body &body,
                             llvm::DenseMap<mlir::Value, Flow> &flows,
                             llvm::SmallVectorImpl<FixedLevel> &fixed,
                             const Triple &extents);
  void makeOutputs(dfg::NodeOp child, Body &body,
                   llvm::DenseMap<mlir::Value, Flow> &flows,
                   const Triple &extents, unsigned level);
  void storeOutputs(const FlatNode &node, dfg::GraphOp graph, Body &body,
                    llvm::DenseMap<mlir::Value, Flow> &flows,
                    llvm::ArrayRef<FixedLevel> fixed, llvm::Value *unit,
                    llvm::Value *numUnits);
  bool mayCollect(const FlatNode &node);
  ArgumentPairs addNoAlias(llvm::ArrayRef<Origin> origins, RangeSpec &spec);
  llvm::Value *emitOverlap(const ArgumentPairs &pairs, Body &body);
  CopyLayout layOutCopiesOf(const FlatNode &node, llvm::Value *frame,
                            llvm::IRBuilder<> &b);
  void emitCopyExtents(const FlatNode &node, llvm::Value *frame,
                       llvm::Value *result, llvm::IRBuilder<> &b);
  void checkSizes(llvm::ArrayRef<LeafReduction> reductions,
                  const CopyLayout &layout, llvm::Value *numUnits, Body &body);
  llvm::Function *emitCombine(const FlatNode &node, llvm::StringRef name);
  llvm::Function *emitStore(const FlatNode &node, llvm::StringRef name);
  llvm::Error scanChunk(const FlatNode &node, const RangeSpec &spec,
                        const ArgumentPairs &unknown,
                        llvm::SmallVectorImpl<llvm::Value *> &arguments,
                        const Chunk &chunk, Body &body);
  llvm::Function *emitJoin(const FlatNode &node, llvm::StringRef name);
  llvm::Error callChunks(const FlatNode &node, const RangeSpec &spec,
                         const ArgumentPairs &unknown,
                         llvm::SmallVectorImpl<llvm::Value *> &arguments,
                         Body &body);
  llvm::Error runChunk(const RangeSpec &spec, const ArgumentPairs &unknown,
                       llvm::ArrayRef<llvm::Value *> arguments,
                       llvm::ArrayRef<LeafReduction> reductions,
                       const CopyLayout &layout, Body &body);
  llvm::Error callInLanes(RangeSpec spec, const ArgumentPairs &unknown,
                          llvm::ArrayRef<llvm::Value *> arguments,
                          llvm::ArrayRef<LeafReduction> reductions, Body &body);
  llvm::Error callRange(const RangeSpec &spec, const ArgumentPairs &unknown,
                        llvm::ArrayRef<llvm::Value *> arguments, Body &body);
  Flow flowOf(const Source &source, Body &body);
  llvm::Value *loadFlow(const Flow &flow, Body &body,
                        llvm::ArrayRef<FixedLevel> fixed);
  Triple childExtents(dfg::NodeOp child, Body &body,
                      llvm::DenseMap<mlir::Value, Flow> &flows,
                      llvm::ArrayRef<FixedLevel> fixed);
  void failIf(llvm::Value *isWrong, dfg::NodeOp child, llvm::StringRef what,
              Body &body);
  void checkExtents(const Triple &extents, dfg::NodeOp child, Body &body);
  llvm::Value *linearIndex(const FixedLevel &level, Body &body);
  llvm::Value *countOf(const Triple &extents, Body &body);
  llvm::Value *convert(llvm::Value *value, llvm::Type *type, Body &body);
  llvm::AllocaInst *makeSlot(llvm::Type *type, Body &body);
  void freeScratch(Body &body, size_t kept);
  llvm::Type *translate(mlir::Type type) { return types.translateType(type); }

  llvm::Module &module;
  const PlanModel &model;
  RangeOptions rangeOptions;
  mlir::LLVM::TypeToLLVMIRTranslator types;
};

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_KERNELEMITTER_H
