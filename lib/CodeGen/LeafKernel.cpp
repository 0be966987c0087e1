//===- LeafKernel.cpp - LLVM functions of scheduled nodes -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernel of a node that is one leaf, and how values of the frame reach
// leaves; nodes with children of their own are CompoundKernel.cpp.
//
//===----------------------------------------------------------------------===//

#include "ExtentEmitter.h"
#include "KernelBody.h"
#include "ReductionNodes.h"
#include "SharedKernels.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "sluice/Analysis/BarrierCheck.h"
#include "sluice/Analysis/LargeValues.h"
#include "sluice/Analysis/LeafLength.h"
#include "sluice/Analysis/LeafReductions.h"
#include "sluice/Analysis/TargetAttributes.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::codegen;
using sluice::dfg::GraphOp;
using sluice::dfg::KernelOp;
using sluice::dfg::NodeOp;

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

uint64_t codegen::frameOffsetOf(const PlanModel &model, const Source &source) {
  if (source.kind == Source::Kind::Argument)
    return model.arguments[source.index].frameOffset;
  const FlatOutput &output = model.nodes[source.node].outputs[source.index];
  return source.instanceLevel < 0 ? output.frameOffset : output.arrayOffset;
}

Type *codegen::typeOf(const PlanModel &model, const Source &source) {
  if (source.kind == Source::Kind::Argument)
    return model.arguments[source.index].type;
  return model.nodes[source.node].outputs[source.index].type;
}

Source codegen::sourceOfInput(const FlatNode &node, unsigned index) {
  NodeOp op = node.body;
  return op == node.op ? node.operands[index].source
                       : node.bodyScope->values.lookup(op.getInputs()[index]);
}

Value *codegen::loadInput(Module &module, const PlanModel &model,
                          const FlatNode &node, unsigned index, Value *frame,
                          IRBuilderBase &b) {
  Source source = sourceOfInput(node, index);
  if (source.kind == Source::Kind::DatasetAddress)
    return datasetGlobal(module, source.dataset);
  if (source.kind == Source::Kind::DatasetSize)
    return b.getInt64(module.getDataLayout().getTypeAllocSize(
        datasetGlobal(module, source.dataset)->getValueType()));
  return b.CreateLoad(typeOf(model, source),
                      b.CreateConstInBoundsGEP1_64(
                          b.getInt8Ty(), frame, frameOffsetOf(model, source)));
}

KernelEmitter::KernelEmitter(Module &module, const PlanModel &model,
                             const CodeGenOptions &options)
    : module(module), model(model), types(module.getContext()) {
  bool isPlain = options.debugging == Debugging::Memory;
  rangeOptions.reference = options.isReference || options.isChecked || isPlain;
  rangeOptions.splitGuards = !isPlain;
  rangeOptions.debugging = options.debugging;
  rangeOptions.check = options.isChecked;
  rangeOptions.vectorBits = options.vectorBits;
  rangeOptions.math = options.math;
  rangeOptions.panels = options.makesPanels && options.optimizationLevel >= 2;
  rangeOptions.leavesToLanes =
      options.vectorization.makesLanes() && options.optimizationLevel >= 2;
}

GlobalVariable *codegen::datasetGlobal(Module &module, dfg::DatasetOp dataset) {
  std::string name = ("sluice.dataset." + dataset.getSymName()).str();
  if (GlobalVariable *known = module.getNamedGlobal(name))
    return known;
  mlir::LLVM::TypeToLLVMIRTranslator types(module.getContext());
  Type *type = types.translateType(dataset.getElementType());
  for (int64_t extent : llvm::reverse(dataset.getShape()))
    type = ArrayType::get(type, extent);
  auto *global = new GlobalVariable(module, type, /*isConstant=*/false,
                                    GlobalValue::ExternalLinkage,
                                    ConstantAggregateZero::get(type), name);
  global->setAlignment(Align(64));
  return global;
}

/// The value as it stands in the frame. Loads are placed in the entry block,
/// once per source.
KernelEmitter::Flow KernelEmitter::flowOf(const Source &source, Body &body) {
  Flow flow;
  IRBuilder<> &builder = body.entry;
  Type *i64 = builder.getInt64Ty();
  if (source.kind == Source::Kind::DatasetAddress) {
    flow.value = datasetGlobal(module, source.dataset);
    flow.type = builder.getPtrTy();
    return flow;
  }
  if (source.kind == Source::Kind::DatasetSize) {
    Type *type = datasetGlobal(module, source.dataset)->getValueType();
    uint64_t size = module.getDataLayout().getTypeAllocSize(type);
    flow.value = ConstantInt::get(i64, size);
    flow.type = i64;
    return flow;
  }
  flow.type = typeOf(model, source);
  if (source.kind == Source::Kind::Argument)
    flow.origin.argument = source.index;
  uint64_t offset = frameOffsetOf(model, source);
  if (auto known = body.knownValues.find(offset);
      known != body.knownValues.end() && source.instanceLevel < 0) {
    flow.value = ConstantInt::get(flow.type, known->second);
    return flow;
  }
  Value *address = builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(),
                                                      body.frame, offset);
  if (source.instanceLevel < 0) {
    LoadInst *value = builder.CreateLoad(flow.type, address);
    if (isLargeValue(flow.type)) // No copy is needed.
      value->setMetadata(LLVMContext::MD_invariant_load,
                         MDNode::get(value->getContext(), {}));
    flow.value = value;
    return flow;
  }
  flow.array = builder.CreateLoad(builder.getPtrTy(), address);
  flow.level = source.instanceLevel;
  return flow;
}

Value *KernelEmitter::linearIndex(const FixedLevel &level, Body &body) {
  IRBuilder<> &b = body.builder;
  Value *row =
      b.CreateAdd(level.ids[1], b.CreateMul(level.extents[1], level.ids[2]));
  return b.CreateAdd(level.ids[0], b.CreateMul(level.extents[0], row));
}

Value *KernelEmitter::countOf(const Triple &extents, Body &body) {
  IRBuilder<> &b = body.builder;
  return b.CreateMul(extents[0], b.CreateMul(extents[1], extents[2]));
}

/// The value for the current instances of the fixed levels.
Value *KernelEmitter::loadFlow(const Flow &flow, Body &body,
                               ArrayRef<FixedLevel> fixed) {
  if (flow.value)
    return flow.value;
  IRBuilder<> &b = body.builder;
  if (flow.slot)
    return b.CreateLoad(flow.type, flow.slot);
  Value *index = linearIndex(fixed[flow.level], body);
  return b.CreateLoad(flow.type,
                      b.CreateInBoundsGEP(flow.type, flow.array, index));
}

/// The value as a leaf's parameter wants it: graphs do not keep the names of
/// struct types, so a type may differ from the leaf's, with the same layout.
Value *KernelEmitter::convert(Value *value, Type *type, Body &body) {
  if (value->getType() == type)
    return value;
  if (auto *load = dyn_cast<LoadInst>(value);
      load && load->hasMetadata(LLVMContext::MD_invariant_load)) {
    LoadInst *other = body.builder.CreateAlignedLoad(
        type, load->getPointerOperand(), load->getAlign());
    other->copyMetadata(*load);
    return other;
  }
  AllocaInst *slot = makeSlot(value->getType(), body);
  body.builder.CreateStore(value, slot);
  return body.builder.CreateLoad(type, slot);
}

AllocaInst *KernelEmitter::makeSlot(Type *type, Body &body) {
  return body.entry.CreateAlloca(type);
}

//===----------------------------------------------------------------------===//
// Extents
//===----------------------------------------------------------------------===//

std::optional<std::vector<int64_t>>
KernelEmitter::constantExtents(const FlatNode &node) {
  if (isReduction(node)) // Sizes are known at launch.
    return std::nullopt;
  std::vector<int64_t> result;
  for (const Level &level : node.levels) {
    NodeOp op = level.node;
    for (unsigned d = 0; d != 3; ++d) {
      if (d >= op.getExtents().size()) {
        result.push_back(1);
        continue;
      }
      std::optional<int64_t> known = dfg::constantExtent(op.getExtents()[d]);
      if (!known)
        return std::nullopt;
      result.push_back(*known);
    }
  }
  return result;
}

Function *KernelEmitter::emitExtents(const FlatNode &node, StringRef name) {
  if (constantExtents(node))
    return nullptr;
  LLVMContext &context = module.getContext();
  Type *ptr = PointerType::get(context, 0);
  auto *type = FunctionType::get(Type::getVoidTy(context), {ptr, ptr}, false);
  Function *function =
      Function::Create(type, GlobalValue::InternalLinkage, name, module);
  IRBuilder<> b(BasicBlock::Create(context, "entry", function));
  Value *frame = function->getArg(0), *result = function->getArg(1);
  unsigned position = 3 * firstLevel(node);
  for (const Level &level : node.levels) {
    auto loadArgument = [&](mlir::Value value) -> Value * {
      Source source = level.scope->values.lookup(value);
      if (source.kind == Source::Kind::DatasetSize)
        return ConstantInt::get(
            b.getInt64Ty(),
            module.getDataLayout().getTypeAllocSize(
                datasetGlobal(module, source.dataset)->getValueType()));
      uint64_t offset = frameOffsetOf(model, source);
      Value *address =
          b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), frame, offset);
      return b.CreateLoad(typeOf(model, source), address);
    };
    NodeOp op = level.node;
    for (unsigned d = 0; d != 3; ++d) {
      Value *extent = d < op.getExtents().size()
                          ? emitExtent(op.getExtents()[d], b, loadArgument)
                          : b.getInt64(1);
      b.CreateStore(extent, b.CreateConstInBoundsGEP1_64(b.getInt64Ty(), result,
                                                         position++));
    }
  }
  if (isReduction(node))
    emitCopyExtents(node, frame, result, b);
  b.CreateRetVoid();
  return function;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// True if the node has no loops: one instance of a leaf without any.
static bool isStraightLine(const FlatNode &node, const Module &leaves) {
  KernelOp kernel = node.getKernel();
  const Function *leaf =
      kernel ? leaves.getFunction(kernel.getCodeName()) : nullptr;
  return leaf && straightLineLength(*leaf) &&
         llvm::all_of(node.levels, [](const Level &level) {
           return NodeOp(level.node).getExtents().empty();
         });
}

std::vector<Source> codegen::shapeOf(const PlanModel &model,
                                     const FlatNode &node,
                                     const Module &leaves) {
  std::vector<Source> shape;
  if (isStraightLine(node, leaves))
    return shape;
  DenseSet<uint64_t> seen;
  auto add = [&](const Source &source) {
    bool isValue = source.kind == Source::Kind::Argument ||
                   source.kind == Source::Kind::Output;
    if (!isValue || source.instanceLevel >= 0)
      return;
    Type *type = typeOf(model, source);
    bool fits = type->isIntegerTy(32) || type->isIntegerTy(64);
    if (fits && seen.insert(frameOffsetOf(model, source)).second)
      shape.push_back(source);
  };
  NodeOp body = node.body;
  mlir::Operation *callee = body.resolveCallee();
  for (auto [index, value] : llvm::enumerate(body.getInputs())) {
    if (!usesInput(callee, index, leaves))
      continue;
    if (body == node.op)
      add(node.operands[index].source);
    else
      add(node.bodyScope->values.lookup(value));
  }
  return shape;
}

Expected<Function *> KernelEmitter::emitKernel(const FlatNode &node,
                                               StringRef name,
                                               const KnownValues *known) {
  LLVMContext &context = module.getContext();
  Type *ptr = PointerType::get(context, 0), *i64 = Type::getInt64Ty(context);
  auto *type =
      FunctionType::get(Type::getVoidTy(context), {ptr, i64, i64}, false);
  Function *function =
      Function::Create(type, GlobalValue::InternalLinkage, name, module);
  function->addFnAttr(
      Attribute::getWithUWTableKind(context, UWTableKind::Async));
  rangeOptions.collectUpdates = !rangeOptions.reference && mayCollect(node);
  if (rangeOptions.collectUpdates)
    function->addFnAttr(collectsUpdatesAttribute);
  if (!rangeOptions.reference && !rangeOptions.check)
    function->addParamAttr(0, Attribute::get(context, invocationAttribute));
  for (unsigned bound : {1, 2})
    function->addParamAttr(bound, Attribute::get(context, unitsAttribute));

  // Loads from the frame stand in the entry block, the rest follows it.
  Body body(function);
  body.name = name.str();
  body.node = &node;
  Value *extents =
      body.entry.CreateLoad(ptr, body.entry.CreateConstInBoundsGEP1_64(
                                     body.entry.getInt8Ty(), body.invocation,
                                     offsetof(SluiceInvocation, extents)));
  body.constantExtents = constantExtents(node);
  if (known) {
    std::vector<Source> shape = shapeOf(model, node, module);
    unsigned numExtents = 3 * (firstLevel(node) + node.levels.size());
    if (known->extents.size() != numExtents ||
        known->shape.size() != shape.size())
      return createStringError("node '" + node.name + "' has " +
                               Twine(numExtents) + " extents and " +
                               Twine(shape.size()) + " shape values, but " +
                               Twine(known->extents.size()) + " and " +
                               Twine(known->shape.size()) + " were given");
    body.constantExtents.emplace(known->extents.begin() +
                                     (numExtents - 3 * node.levels.size()),
                                 known->extents.end());
    for (auto [source, value] : llvm::zip(shape, known->shape))
      if (value)
        body.knownValues[frameOffsetOf(model, source)] = *value;
  }
  for (unsigned level = 0; level != node.levels.size(); ++level) {
    Triple triple;
    for (unsigned d = 0; d != 3; ++d) {
      unsigned position = 3 * level + d;
      NodeOp op = node.levels[level].node;
      if (d >= op.getExtents().size())
        triple[d] = body.entry.getInt64(1);
      else if (body.constantExtents)
        triple[d] = body.entry.getInt64((*body.constantExtents)[position]);
      else
        triple[d] = body.entry.CreateLoad(
            i64, body.entry.CreateConstInBoundsGEP1_64(
                     i64, extents, 3 * firstLevel(node) + position));
    }
    body.extents.push_back(triple);
  }

  Error error = node.getKernel() ? emitLeafKernel(node, body)
                                 : emitCompoundKernel(node, body);
  if (error)
    return std::move(error);
  body.entry.CreateBr(body.start);
  body.builder.CreateRetVoid();
  if (rangeOptions.debugging != Debugging::Lines)
    describeCaller(*function);
  return function;
}

/// The level as the range function wants it.
static InstanceLevel describe(NodeOp op, ArrayRef<int64_t> known) {
  InstanceLevel level;
  level.dims = op.getExtents().size();
  for (unsigned d = 0; d != 3; ++d) {
    if (d >= level.dims)
      level.extents[d] = 1;
    else if (!known.empty())
      level.extents[d] = known[d];
    else if (std::optional<int64_t> value =
                 dfg::constantExtent(op.getExtents()[d]))
      level.extents[d] = *value;
  }
  return level;
}

unsigned codegen::leafOutput(const FlatNode &node, unsigned index) {
  NodeOp op = node.op;
  while (op != node.body) {
    auto graph = cast<GraphOp>(op.resolveCallee());
    auto result = cast<mlir::OpResult>(graph.getOutputOp().getValues()[index]);
    op = cast<NodeOp>(result.getOwner());
    index = result.getResultNumber();
  }
  return index;
}

/// A kernel may hold the atomics of all ranges that it calls.
void codegen::keepAloneFor(const Function &range, Function &kernel) {
  if (!range.getAttributes().hasParamAttr(0, invocationAttribute))
    kernel.removeParamAttr(0, invocationAttribute);
}

/// Calls the range function of `spec`. Where the pairs of `unknown` overlap,
/// one that takes nothing as disjoint.
Error KernelEmitter::callRange(const RangeSpec &spec,
                               const ArgumentPairs &unknown,
                               ArrayRef<Value *> arguments, Body &body) {
  Expected<Function *> range = createRangeFunction(spec);
  if (!range)
    return range.takeError();
  if ((*range)->hasFnAttribute(copiesSharedAttribute))
    body.function->addFnAttr(copiesSharedAttribute);
  keepAloneFor(**range, *body.function);
  copyTargetAttributes(**range, *body.function);
  IRBuilder<> &b = body.builder;
  if (unknown.empty()) {
    b.CreateCall(*range, arguments);
    return Error::success();
  }
  RangeSpec careful = spec;
  careful.name += ".overlap";
  for (InputPort &input : careful.inputs) {
    input.noAlias = false;
    input.bytesPort.reset();
  }
  Expected<Function *> other = createRangeFunction(careful);
  if (!other)
    return other.takeError();
  keepAloneFor(**other, *body.function);
  LLVMContext &context = b.getContext();
  auto *overlap = BasicBlock::Create(context, "overlap", body.function);
  auto *apart = BasicBlock::Create(context, "apart", body.function);
  auto *after = BasicBlock::Create(context, "after", body.function);
  b.CreateCondBr(emitOverlap(unknown, body), overlap, apart);
  b.SetInsertPoint(overlap);
  b.CreateCall(*other, arguments)->setIsNoInline();
  b.CreateBr(after);
  b.SetInsertPoint(apart);
  b.CreateCall(*range, arguments);
  b.CreateBr(after);
  b.SetInsertPoint(after);
  return Error::success();
}

Error KernelEmitter::emitLeafKernel(const FlatNode &node, Body &body) {
  KernelOp kernel = node.getKernel();
  RangeSpec spec;
  spec.leaf = module.getFunction(kernel.getCodeName());
  spec.numFixedLevels = 0;
  spec.numUnitLevels = node.numUnitLevels;
  spec.name = body.name + ".range";
  spec.options = rangeOptions;
  for (unsigned i = 0; i != node.levels.size(); ++i) {
    ArrayRef<int64_t> known;
    if (body.constantExtents)
      known = ArrayRef(*body.constantExtents).slice(3 * i, 3);
    spec.levels.push_back(describe(node.levels[i].node, known));
  }

  SmallVector<Value *> arguments{body.invocation};
  SmallVector<Origin> origins;
  NodeOp op = node.body;
  for (unsigned index = 0; index != op.getInputs().size(); ++index) {
    Flow flow = flowOf(sourceOfInput(node, index), body);
    origins.push_back(flow.origin);
    InputPort port;
    port.mode = flow.array ? PortMode::PerInstance : PortMode::Value;
    port.level = flow.level;
    if (auto *constant = dyn_cast_or_null<ConstantInt>(flow.value))
      port.constant = constant;
    spec.inputs.push_back(port);
    Type *wanted = spec.leaf->getArg(index)->getType();
    arguments.push_back(flow.array ? flow.array
                                   : convert(flow.value, wanted, body));
  }
  // The code of a chunk accesses only the chunk's own copy.
  SmallVector<unsigned> reduced;
  if (isReduction(node))
    for (const LeafReduction &reduction : reductionsOf(*spec.leaf))
      if (!isScan(reduction)) {
        reduced.push_back(reduction.memory->getArgNo());
        spec.inputs[reduced.back()].foldedBytes = reduction.elementBytes;
      }
  for (unsigned index : reduced) {
    origins[index].argument.reset();
    origins[index].isAllocated = true;
  }
  ArgumentPairs unknown = addNoAlias(origins, spec);
  if (!rangeOptions.check)
    for (unsigned index : reduced)
      spec.inputs[index].noAlias = true;
  // Instances of a chunk use one copy, so they run in order.
  spec.options.reference |= !reduced.empty();
  // The race check assumes that memory in which different instances could meet
  // is disjoint, so other overlaps only matter within one instance.
  if (!usesAtomics(*spec.leaf) && storesLast(*spec.leaf))
    unknown.clear();
  if (rangeOptions.check)
    checkLeaf(kernel, {bodyName(node), op.getLoc(), {}, {}, body.extents}, spec,
              body);
  for (const Triple &triple : body.extents)
    arguments.append(triple.begin(), triple.end());
  arguments.push_back(body.begin);
  arguments.push_back(body.end);

  // The chain's graphs pass the leaf's outputs on, possibly reordered.
  IRBuilder<> &b = body.builder;
  spec.outputs.resize(op.getNumPorts());
  SmallVector<Value *> last(spec.outputs.size()), array(spec.outputs.size());
  for (auto [index, output] : llvm::enumerate(node.outputs)) {
    if (output.arrayLevels == copiesMark)
      continue;
    bool isArray = output.arrayOffset != SLUICE_NO_OFFSET;
    // A debugger reads what no leaf does.
    if (!isArray && !rangeOptions.check &&
        rangeOptions.debugging == Debugging::Lines &&
        !isOutputRead(model, node, index, module))
      continue;
    unsigned port = leafOutput(node, index);
    spec.outputs[port].last = true;
    last[port] = b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), body.frame,
                                              output.frameOffset);
    if (!isArray)
      continue;
    spec.outputs[port].perInstance = true;
    spec.outputs[port].level = output.arrayLevels - 1;
    array[port] = b.CreateLoad(
        b.getPtrTy(), b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), body.frame,
                                                   output.arrayOffset));
  }
  Value *none = ConstantPointerNull::get(b.getPtrTy());
  for (auto [lastSlot, arraySlot] : llvm::zip(last, array)) {
    arguments.push_back(lastSlot ? lastSlot : none);
    arguments.push_back(arraySlot ? arraySlot : none);
  }
  return isReduction(node) ? callChunks(node, spec, unknown, arguments, body)
                           : callRange(spec, unknown, arguments, body);
}
