//===- KernelBuilder.h - The device kernel of one node ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits the neutral kernel of one node. A kernel runs one instance of the
// levels outside of its group, which are *placed*: their ids follow from the
// numbers of the launch and of the group. Inside, each leaf runs its instances
// on the items of the group:
//
//   - the children of a compound node one after another, with barriers between
//     those that touch memory;
//   - a leaf without barriers in loops with a stride of the group's size, so
//     that any number of instances fits any group;
//   - a leaf with barriers on exactly as many items as it has instances.
//
// Values between children stay in registers if all items have them; otherwise
// they are kept in local memory.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_DEVICE_KERNELBUILDER_H
#define SLUICE_LIB_CODEGEN_DEVICE_KERNELBUILDER_H

#include "Grid.h"
#include "KernelParameters.h"
#include "Leaf/LeafFunction.h"
#include "mlir/Target/LLVMIR/TypeToLLVM.h"
#include "sluice/CodeGen/DeviceKernels.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace sluice::codegen {

/// A piece of local memory, in the order of LOCAL parameters.
struct LocalMemory {
  enum class Kind {
    Allocation, ///< number `index` of the allocations in the leaf of `child`
    Array,      ///< `size` bytes for each instance of `child`
    Values      ///< `size` bytes
  };
  Kind kind = Kind::Values;
  dfg::NodeOp child;
  unsigned index = 0;
  uint64_t size = 0;
};

/// The data that a kernel's builder provides for the function that computes
/// groups.
struct GroupShape {
  /// The child whose instances are the items, one each. If null, see maxItems.
  dfg::NodeOp exactChild;
  std::vector<LocalMemory> locals;
};

/// Adds the code of all leaves at or below `callee`.
void addLeaves(mlir::Operation *callee, const llvm::Module &module,
               llvm::SetVector<llvm::Function *> &leaves);

/// Whether the host's frame contains the value before the kernel is enqueued.
bool isOnHost(const PlanModel &model, llvm::ArrayRef<DeviceNode> known,
              const Source &source);

class KernelBuilder {
public:
  /// `known`: the device nodes of the plan before this one.
  KernelBuilder(llvm::Module &neutral, llvm::Module &host,
                const PlanModel &model, const FlatNode &node,
                llvm::ArrayRef<DeviceNode> known,
                const DeviceCodeOptions &options);

  /// Builds the kernel, optimised and checked.
  llvm::Expected<llvm::Function *> build(llvm::StringRef entry,
                                         DeviceNode &device);
  const GroupShape &shape() const { return groupShape; }
  const Grid &grid() const { return nodeGrid; }
  /// True if items wait for each other, so that all instances of a group must
  /// run at once.
  bool waitsInside() const { return hasBarrier; }
  /// True if a group runs a chunk of a node that reduces or scans.
  bool runsChunks() const;

private:
  /// A value between children.
  struct Flow {
    llvm::Type *type = nullptr;
    /// The same in all items.
    llvm::Value *value = nullptr;
    /// In local memory: the value of the last instance, or zero if `count` is
    /// 0.
    llvm::Value *slot = nullptr;
    llvm::Value *count = nullptr;
    /// In local memory: one for each instance.
    llvm::Value *array = nullptr;
    /// The source of the value for all instances, if it is an input.
    std::optional<Source> origin;
  };
  using Flows = llvm::DenseMap<mlir::Value, Flow>;
  using Places = llvm::SmallVector<PlacedLevel>;

  // KernelBuilder.cpp: the node
  llvm::Error emitBody();
  llvm::Expected<llvm::Function *> createOwnLeaf(llvm::Function &leaf);
  llvm::Error runLeaf(llvm::Function &leaf, llvm::Function &instance,
                      llvm::ArrayRef<PlacedLevel> levels,
                      llvm::ArrayRef<llvm::Value *> known = {});
  llvm::Error emitOwnLeaf();
  ValueTriple extentsOf(unsigned level);
  void placeLevels();
  llvm::Value *gridNumber(unsigned dimension);
  llvm::Value *isInside();
  PlacedLevel decompose(unsigned level, llvm::Value *&rest);
  llvm::Value *linearIndex(llvm::ArrayRef<PlacedLevel> levels);
  llvm::Value *isLast(llvm::ArrayRef<PlacedLevel> levels);
  llvm::Error inlineLeaves(llvm::Function &kernel);
  void placeLocalMemory(llvm::Function &kernel);
  llvm::Error refuseNode(dfg::NodeOp node, const llvm::Twine &message);
  llvm::Function &neutralLeaf(dfg::KernelOp kernel);

  // FoldKernel.cpp: leaves that reduce and scan
  class Folds;
  llvm::Error emitFolds();
  Places placeInstance(llvm::Value *number);
  llvm::SmallVector<llvm::Value *> replaceReduced(const llvm::Function &leaf);
  llvm::Error touchScanned(const llvm::Function &leaf,
                           llvm::ArrayRef<PlacedLevel> levels);

  // NodeValues.cpp: its operands and outputs
  llvm::Expected<llvm::Value *> inputValue(unsigned index, llvm::Type *type,
                                           llvm::ArrayRef<PlacedLevel> levels);
  llvm::Expected<llvm::Value *> pointerValue(unsigned index);
  DeviceParameter describePointer(unsigned index);
  DeviceParameter describeDataset(dfg::DatasetOp dataset);
  void describeSize(unsigned index, DeviceParameter &pointer);
  uint32_t accessOf(unsigned index);
  void findNoAlias();
  llvm::Error storeOutput(unsigned index, llvm::Value *value,
                          const std::optional<Source> &origin,
                          llvm::ArrayRef<PlacedLevel> levels);
  void storeIf(llvm::Value *condition, llvm::function_ref<void()> store);
  bool forward(unsigned index, const Source &origin);

  // GroupItems.cpp: a leaf on the items of a group
  void chooseOpenItems(unsigned numDims, const ValueTriple &extents);
  llvm::Error
  runOnItems(unsigned numDims, const ValueTriple &extents, bool isExact,
             llvm::function_ref<llvm::Error(const PlacedLevel &)> run);
  llvm::Value *isFirstItem();
  PlacedLevel singleInstance();
  void wait();

  // Children.cpp: compound nodes
  llvm::Error emitCompound();
  llvm::Error emitGraph(dfg::GraphOp graph, Flows &flows, Places &levels);
  llvm::Error emitChild(dfg::NodeOp child, Flows &flows, Places &levels);
  llvm::Error emitLeafChild(dfg::NodeOp child, dfg::KernelOp kernel,
                            Flows &flows, Places &levels,
                            const ValueTriple &extents);
  llvm::Error emitGraphChild(dfg::NodeOp child, dfg::GraphOp graph,
                             Flows &flows, Places &levels,
                             const ValueTriple &extents);
  llvm::Error emitRepeatedGraph(dfg::NodeOp child, dfg::GraphOp graph,
                                Flows &flows, Places &levels,
                                const ValueTriple &extents);
  Flows enterGraph(dfg::NodeOp child, dfg::GraphOp graph, Flows &flows,
                   const PlacedLevel &own);
  void addDataset(dfg::UseDatasetOp use, Flows &flows);
  llvm::Error chooseGroup(dfg::GraphOp graph);
  ValueTriple childExtents(dfg::NodeOp child, Flows &flows);

  // Flows.cpp: local memory, and values between children
  llvm::Value *addLocal(LocalMemory local);
  llvm::Value *addValueSlot(llvm::Type *type);
  llvm::Error placeAllocations(dfg::NodeOp child, llvm::Function &function);
  llvm::Error makeOutputs(dfg::NodeOp child, llvm::Function &function,
                          Flows &flows, const ValueTriple &extents);
  Flow forwardedFlow(const Flow &input, llvm::Value *count);
  void storeResults(dfg::NodeOp child, llvm::CallInst *call, Flows &flows,
                    const PlacedLevel &own);
  llvm::Value *load(const Flow &flow);
  llvm::Value *elementAddress(const Flow &flow, const PlacedLevel &own);
  llvm::Value *countOf(const ValueTriple &extents);
  llvm::Type *typeOfValue(mlir::Value value);

  llvm::Module &neutral, &host;
  const PlanModel &model;
  const FlatNode &node;
  mlir::LLVM::TypeToLLVMIRTranslator types;
  llvm::ArrayRef<DeviceNode> known;
  const DeviceCodeOptions &options;
  Grid nodeGrid;
  GroupShape groupShape;
  llvm::Function *body;
  llvm::IRBuilder<> entry, b;
  KernelParameters parameters;
  llvm::BasicBlock *start;
  std::vector<PlacedLevel> placed;
  std::vector<SluiceDeviceForward> forwards;
  /// See DeviceNode.
  std::vector<uint32_t> reduced;
  /// The local memory of all single values between children.
  llvm::Value *valueMemory = nullptr;
  unsigned valueIndex = 0;
  /// Inputs whose memory overlaps no other input's memory.
  llvm::SmallDenseSet<unsigned> noAliasInputs;
  bool needsBarrier = false;
  bool hasBarrier = false;
  unsigned numPhases = 0;
  /// Items per group in each dimension, if constant.
  std::array<std::optional<int64_t>, 3> knownItems;
  /// Leaf functions, to delete.
  std::vector<llvm::Function *> leafFunctions;
  const llvm::Function *firstLeaf = nullptr;
};

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_DEVICE_KERNELBUILDER_H
