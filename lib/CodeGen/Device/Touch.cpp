//===- Touch.cpp - What shares of a node's instances touch ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every address in a kernel is a start plus an expression of ids, extents and
// values that the host knows (LLVM's scalar evolution). The function that is
// emitted computes an interval for each expression from the intervals of what
// it consists of, and a union per parameter. Conditions are left out, so the
// intervals may be too large, never too small. Where a sum leaves its type's
// range, or an index comes from memory, the range is everything.
//
// All bytes of a range are written if a store that every instance executes
// writes one element after the other: each stride is as large as what the
// dimensions inside of it span. Elsewhere the bytes in between keep their
// content, so the range counts as read: of memory that a node only writes, a
// device must have what the node leaves alone.
//
//===----------------------------------------------------------------------===//

#include "Touch.h"
#include "Conditions.h"
#include "Intervals.h"
#include "NeutralForm.h"
#include "Refusal.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/InstructionSimplify.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::codegen;

namespace {
/// One access to memory behind a pointer.
struct Access {
  const Instruction *instruction;
  const Value *pointer;
  /// Bytes; null: `constantSize`.
  const Value *size;
  uint64_t constantSize;
  bool reads, writes;
};

/// A copy of a kernel in which the global number of an item is one opaque
/// value, as the host sees it, and what LLVM knows of it.
class AnalysedKernel {
public:
  AnalysedKernel(Function &kernel, const DeviceNode &device)
      : function(CloneFunction(&kernel, map)), library(Triple()),
        libraryInfo(library, function) {
    joinGlobalIds();
    assumeInside(device);
    dominators.recalculate(*function);
    postDominators.recalculate(*function);
    loops.analyze(dominators);
    cache.emplace(*function);
    evolution.emplace(*function, libraryInfo, *cache, dominators, loops);
    for (Instruction &inst : instructions(*function))
      if (builtinDimension(&inst, Builtin::Global))
        globalIds.push_back(&inst);
  }
  ~AnalysedKernel() {
    evolution.reset();
    cache.reset();
    function->eraseFromParent();
  }

private:
  ValueToValueMapTy map;

public:
  Function *function;

private:
  TargetLibraryInfoImpl library;
  TargetLibraryInfo libraryInfo;
  DominatorTree dominators;
  PostDominatorTree postDominators;
  LoopInfo loops;
  std::optional<AssumptionCache> cache;

public:
  std::optional<ScalarEvolution> evolution;
  /// Calls of Builtin::Global.
  SmallVector<Instruction *> globalIds;

  void forEachCondition(const Instruction &inst, ConditionVisitor visit) const {
    codegen::forEachCondition(dominators, inst, visit);
  }
  /// Every item that runs executes the instruction, once.
  bool isAlwaysExecuted(const Instruction &inst) const {
    const BasicBlock *block = inst.getParent();
    return !loops.getLoopFor(block) &&
           postDominators.dominates(block, &function->getEntryBlock());
  }
  const SCEV *atNext(const SCEV *expression, unsigned dimension);

private:
  void joinGlobalIds();
  void assumeInside(const DeviceNode &device);
};
} // namespace

/// group(d) * items(d) + item(d) becomes sluice.device.global(d).
void AnalysedKernel::joinGlobalIds() {
  using namespace PatternMatch;
  for (Instruction &inst : make_early_inc_range(instructions(*function))) {
    Value *group, *items, *item;
    if (!match(&inst,
               m_c_Add(m_c_Mul(m_Value(group), m_Value(items)), m_Value(item))))
      continue;
    std::optional<unsigned> d = builtinDimension(group, Builtin::Group);
    if (!d)
      std::swap(group, items);
    d = builtinDimension(group, Builtin::Group);
    if (!d || builtinDimension(items, Builtin::Items) != d ||
        builtinDimension(item, Builtin::Item) != d)
      continue;
    IRBuilder<> b(&inst);
    inst.replaceAllUsesWith(emitBuiltin(b, Builtin::Global, *d));
  }
}

/// The dimension if `id` is the number of an item in the grid, and `end` the
/// number of items in it, or of this share of them.
static std::optional<unsigned> limitedDimension(Value *id, Value *end,
                                                const DeviceNode &device) {
  using namespace PatternMatch;
  auto parameterOf = [&](Value *value) -> const DeviceParameter * {
    auto *argument = dyn_cast<Argument>(value);
    unsigned number = 0;
    for (const DeviceParameter &parameter : device.parameters) {
      if (argument && argument->getArgNo() == number)
        return &parameter;
      number += parameter.kind == SLUICE_DEVICE_POINTER ||
                        parameter.kind == SLUICE_DEVICE_ARRAY
                    ? 2
                    : 1;
    }
    return nullptr;
  };
  const DeviceParameter *limit = parameterOf(end);
  if (!limit || device.isGrouped)
    return std::nullopt;
  Value *global = id, *first;
  if (limit->kind == SLUICE_DEVICE_END) {
    if (!match(id, m_c_Add(m_Value(global), m_Value(first))))
      return std::nullopt;
    if (!builtinDimension(global, Builtin::Global))
      std::swap(global, first);
    const DeviceParameter *start = parameterOf(first);
    if (!start || start->kind != SLUICE_DEVICE_FIRST)
      return std::nullopt;
  }
  std::optional<unsigned> d = builtinDimension(global, Builtin::Global);
  bool isLimit = d && (limit->kind == SLUICE_DEVICE_END
                           ? *d + 1 == device.numGridDims
                           : limit->kind == SLUICE_DEVICE_EXTENT &&
                                 *d + 1 != device.numGridDims &&
                                 limit->index == 3 * device.gridLevel + *d);
  return isLimit ? d : std::nullopt;
}

/// Items beyond the grid do nothing, so what is asked of them is dropped.
void AnalysedKernel::assumeInside(const DeviceNode &device) {
  for (Instruction &inst : make_early_inc_range(instructions(*function))) {
    auto *compare = dyn_cast<ICmpInst>(&inst);
    if (!compare)
      continue;
    Value *id = compare->getOperand(0), *end = compare->getOperand(1);
    CmpInst::Predicate predicate = compare->getPredicate();
    if (isa<Argument>(id)) {
      std::swap(id, end);
      predicate = CmpInst::getSwappedPredicate(predicate);
    }
    if (!limitedDimension(id, end, device))
      continue;
    switch (predicate) {
    case CmpInst::ICMP_SLT:
    case CmpInst::ICMP_ULT:
    case CmpInst::ICMP_SLE:
    case CmpInst::ICMP_ULE:
    case CmpInst::ICMP_NE:
      compare->replaceAllUsesWith(ConstantInt::getTrue(compare->getType()));
      break;
    case CmpInst::ICMP_SGE:
    case CmpInst::ICMP_UGE:
    case CmpInst::ICMP_SGT:
    case CmpInst::ICMP_UGT:
    case CmpInst::ICMP_EQ:
      compare->replaceAllUsesWith(ConstantInt::getFalse(compare->getType()));
      break;
    default:
      break;
    }
  }
  const SimplifyQuery query(function->getDataLayout());
  for (Instruction &inst : instructions(*function))
    if (Value *simple = simplifyInstruction(&inst, query))
      inst.replaceAllUsesWith(simple);
  for (BasicBlock &block : *function)
    ConstantFoldTerminator(&block);
  removeUnreachableBlocks(*function);
}

/// The expression in the item whose id in a dimension is one more.
const SCEV *AnalysedKernel::atNext(const SCEV *expression, unsigned dimension) {
  ValueToSCEVMapTy next;
  for (Instruction &inst : instructions(*function))
    if (builtinDimension(&inst, Builtin::Global) == dimension)
      next[&inst] = evolution->getAddExpr(evolution->getUnknown(&inst),
                                          evolution->getOne(inst.getType()));
  return SCEVParameterRewriter::rewrite(expression, *evolution, next);
}

static std::optional<Access> accessOf(const Instruction &inst) {
  const DataLayout &layout = inst.getDataLayout();
  auto sizeOf = [&](Type *type) {
    return layout.getTypeStoreSize(type).getFixedValue();
  };
  if (auto *load = dyn_cast<LoadInst>(&inst))
    return Access{&inst,   load->getPointerOperand(),
                  nullptr, sizeOf(load->getType()),
                  true,    false};
  if (auto *store = dyn_cast<StoreInst>(&inst))
    return Access{&inst,   store->getPointerOperand(),
                  nullptr, sizeOf(store->getValueOperand()->getType()),
                  false,   true};
  if (auto *atomic = dyn_cast<AtomicRMWInst>(&inst))
    return Access{&inst,   atomic->getPointerOperand(),
                  nullptr, sizeOf(atomic->getType()),
                  true,    true};
  if (auto *exchange = dyn_cast<AtomicCmpXchgInst>(&inst))
    return Access{&inst,   exchange->getPointerOperand(),
                  nullptr, sizeOf(exchange->getNewValOperand()->getType()),
                  true,    true};
  if (auto *set = dyn_cast<MemSetInst>(&inst))
    return Access{&inst, set->getDest(), set->getLength(), 0, false, true};
  return std::nullopt;
}

/// All accesses; nothing if there is one of an unknown kind.
static std::optional<SmallVector<Access>> accessesOf(const Function &kernel) {
  SmallVector<Access> accesses;
  for (const Instruction &inst : instructions(kernel)) {
    if (auto *transfer = dyn_cast<MemTransferInst>(&inst)) {
      accesses.push_back(
          {&inst, transfer->getDest(), transfer->getLength(), 0, false, true});
      accesses.push_back({&inst, transfer->getSource(), transfer->getLength(),
                          0, true, false});
      continue;
    }
    if (std::optional<Access> access = accessOf(inst))
      accesses.push_back(*access);
    else if (auto *call = dyn_cast<CallBase>(&inst);
             call &&
             any_of(call->args(),
                    [](const Use &argument) {
                      return argument->getType()->isPointerTy();
                    }) &&
             !call->isLifetimeStartOrEnd())
      return std::nullopt;
    else if (!call && inst.mayReadOrWriteMemory() && !isa<FenceInst>(inst))
      return std::nullopt;
  }
  return accesses;
}

namespace {
/// Emits one function.
class TouchEmitter {
public:
  TouchEmitter(Module &module, AnalysedKernel &kernel, const DeviceNode &device,
               Function *function, SharedTouch *shared)
      : kernel(kernel), device(device), function(function), shared(shared),
        b(BasicBlock::Create(module.getContext(), "entry", function)),
        intervals(b, *kernel.evolution, knownValues(module, device)) {
    unsigned argument = 0;
    for (const SluiceDeviceParameter &parameter : device.parameters) {
      bool isPair = parameter.kind == SLUICE_DEVICE_POINTER ||
                    parameter.kind == SLUICE_DEVICE_ARRAY;
      if (parameter.kind == SLUICE_DEVICE_POINTER)
        pointers.push_back(kernel.function->getArg(argument));
      argument += isPair ? 2 : 1;
    }
  }
  bool emit();

private:
  /// What conditions leave of the items, and whether they leave any.
  struct Guarded {
    IntervalEmitter intervals;
    Value *isPossible;
  };
  /// First byte and the one after the last, and whether that is known.
  struct Hull {
    Value *first, *end, *isKnown;
  };

  AnalysedKernel &kernel;
  const DeviceNode &device;
  Function *function;
  /// See emitTouch.
  SharedTouch *const shared;
  IRBuilder<> b;
  IntervalEmitter intervals;
  /// By block.
  DenseMap<const BasicBlock *, std::unique_ptr<Guarded>> guarded;
  /// Conditions of all blocks for which there is code.
  unsigned numConditions = 0;
  static constexpr unsigned maxConditions = 256;
  /// The starts of POINTER parameters.
  SmallVector<Argument *> pointers;

  KernelIntervals knownValues(Module &module, const DeviceNode &device);
  Hull nothing() {
    return {b.getInt64(INT64_MAX), b.getInt64(INT64_MIN), b.getTrue()};
  }
  bool add(Hull &hull, Argument *start, const Access &access);
  Guarded &guardedAt(const Instruction &inst);
  Value *narrow(const ICmpInst &comparison, bool isTrue,
                std::array<std::optional<Interval>, 3> &global);
  Value *isAllWritten(const Hull &hull, Argument *start,
                      ArrayRef<Access> accesses);
  Value *covers(const Access &store, const Hull &hull);
  void addUnless(Value *condition, const Hull &other, Hull &hull);
  void store(const Hull &hull, unsigned index, unsigned field);
  bool isOnlyWritten(const Argument *start) const;
  bool emitRange(unsigned index, Argument *start, ArrayRef<Access> accesses);
};
} // namespace

/// The intervals of a kernel's integer arguments and of its place in the grid.
KernelIntervals TouchEmitter::knownValues(Module &module,
                                          const DeviceNode &device) {
  KernelIntervals known;
  Value *frame = function->getArg(0), *extents = function->getArg(1);
  auto extentAt = [&](unsigned index) {
    return b.CreateLoad(b.getInt64Ty(), b.CreateConstInBoundsGEP1_64(
                                            b.getInt64Ty(), extents, index));
  };
  unsigned number = 0;
  for (const SluiceDeviceParameter &parameter : device.parameters) {
    Argument *argument = kernel.function->getArg(number++);
    switch (parameter.kind) {
    case SLUICE_DEVICE_POINTER:
    case SLUICE_DEVICE_ARRAY:
      // Ranges are relative to the address.
      known.arguments[kernel.function->getArg(number++)] =
          Interval::of(b.getInt64(0));
      break;
    case SLUICE_DEVICE_VALUE:
      if (auto *type = dyn_cast<IntegerType>(argument->getType());
          type && type->getBitWidth() <= 64)
        known.arguments[argument] = Interval::of(
            b.CreateSExt(b.CreateAlignedLoad(
                             type,
                             b.CreateConstInBoundsGEP1_64(
                                 b.getInt8Ty(), frame, parameter.frameOffset),
                             Align(1)),
                         b.getInt64Ty()));
      break;
    case SLUICE_DEVICE_EXTENT:
      known.arguments[argument] = Interval::of(extentAt(parameter.index));
      break;
    case SLUICE_DEVICE_LAUNCH: {
      Value *count = b.getInt64(1);
      for (unsigned i = 0; i != 3 * device.numLaunchLevels; ++i)
        count = b.CreateMul(count, extentAt(i));
      known.arguments[argument] = Interval::below(b, b.getInt64(0), count);
      break;
    }
    case SLUICE_DEVICE_FIRST:
      // Ids of the slowest dimension are counted from the first slab.
      known.arguments[argument] = Interval::of(b.getInt64(0));
      break;
    case SLUICE_DEVICE_END:
      known.arguments[argument] = Interval::of(function->getArg(3));
      break;
    default:
      break;
    }
  }
  Interval zero = Interval::of(b.getInt64(0));
  std::array<std::optional<Interval>, 3> grid = {zero, zero, zero};
  if (device.gridLevel != SLUICE_NO_INDEX)
    for (unsigned d = 0; d != 3; ++d)
      grid[d] =
          d + 1 == device.numGridDims
              ? Interval::below(b, function->getArg(2), function->getArg(3))
              : Interval::below(b, b.getInt64(0),
                                extentAt(3 * device.gridLevel + d));
  (device.isGrouped ? known.group : known.global) = grid;
  if (!device.group)
    return known;
  Value *items = b.CreateAlloca(b.getInt64Ty(), b.getInt32(3));
  Value *locals = b.CreateAlloca(b.getInt64Ty(),
                                 b.getInt32(std::max(1u, device.numLocals)));
  b.CreateCall(device.group, {frame, extents, items, locals});
  for (unsigned d = 0; d != 3; ++d) {
    Value *count = b.CreateLoad(
        b.getInt64Ty(), b.CreateConstInBoundsGEP1_64(b.getInt64Ty(), items, d));
    known.items[d] = Interval::of(count);
    known.item[d] = Interval::below(b, b.getInt64(0), count);
  }
  return known;
}

/// Narrows the intervals of ids to those for which the comparison is so.
/// Returns whether there may be any.
Value *TouchEmitter::narrow(const ICmpInst &comparison, bool isTrue,
                            std::array<std::optional<Interval>, 3> &global) {
  ScalarEvolution &evolution = *kernel.evolution;
  Value *isPossible = b.getTrue();
  auto *type = dyn_cast<IntegerType>(comparison.getOperand(0)->getType());
  if (!type || type->getBitWidth() < 32 || type->getBitWidth() > 64)
    return isPossible;
  CmpInst::Predicate predicate =
      isTrue ? comparison.getPredicate() : comparison.getInversePredicate();
  for (bool isSwapped : {false, true}) {
    const SCEV *x = evolution.getSCEV(comparison.getOperand(isSwapped));
    const SCEV *y = evolution.getSCEV(comparison.getOperand(!isSwapped));
    if (isSwapped)
      predicate = CmpInst::getSwappedPredicate(predicate);
    for (Instruction *inst : kernel.globalIds) {
      std::optional<unsigned> d = builtinDimension(inst, Builtin::Global);
      if (!global[*d])
        continue;
      const SCEV *id =
          evolution.getTruncateOrNoop(evolution.getSCEV(inst), type);
      const SCEV *rest = evolution.getMinusSCEV(x, id);
      if (SCEVExprContains(rest, [&](const SCEV *part) {
            auto *unknown = dyn_cast<SCEVUnknown>(part);
            return unknown &&
                   builtinDimension(unknown->getValue(), Builtin::Global) == d;
          }))
        continue;
      const std::optional<Interval> ofX = intervals.of(x),
                                    ofY = intervals.of(y),
                                    ofRest = intervals.of(rest);
      if (!ofX || !ofY || !ofRest)
        continue;
      isPossible =
          b.CreateAnd(isPossible, narrowId(b, *ofX, *ofY, predicate, *ofRest,
                                           type->getBitWidth(), *global[*d]));
    }
  }
  return isPossible;
}

TouchEmitter::Guarded &TouchEmitter::guardedAt(const Instruction &inst) {
  std::unique_ptr<Guarded> &result = guarded[inst.getParent()];
  if (result)
    return *result;
  std::array<std::optional<Interval>, 3> global = intervals.items();
  Value *isPossible = b.getTrue();
  kernel.forEachCondition(inst, [&](const ICmpInst &comparison, bool isTrue) {
    if (numConditions == maxConditions)
      return;
    ++numConditions;
    isPossible = b.CreateAnd(isPossible, narrow(comparison, isTrue, global));
  });
  result.reset(new Guarded{intervals.withItems(global), isPossible});
  return *result;
}

/// False if the access may be to the memory of `start` at an unknown place.
bool TouchEmitter::add(Hull &hull, Argument *start, const Access &access) {
  SmallVector<const Value *> objects;
  getUnderlyingObjects(access.pointer, objects, nullptr, /*MaxLookup=*/0);
  if (!is_contained(objects, start))
    return all_of(objects, [&](const Value *object) {
      return isa<Argument, AllocaInst, GlobalVariable>(object);
    });
  ScalarEvolution &evolution = *kernel.evolution;
  const SCEV *address = evolution.getSCEV(const_cast<Value *>(access.pointer));
  auto *base = dyn_cast<SCEVUnknown>(evolution.getPointerBase(address));
  if (!base || base->getValue() != start)
    return false;
  auto &[own, isPossible] = guardedAt(*access.instruction);
  std::optional<Interval> offset = own.of(evolution.removePointerBase(address));
  std::optional<Interval> size =
      access.size ? own.of(evolution.getSCEV(const_cast<Value *>(access.size)))
                  : Interval::of(b.getInt64(access.constantSize));
  if (!offset || !size)
    return false;
  const Interval end = own.sum(*offset, *size, 64);
  addUnless(b.CreateNot(isPossible), {offset->low, end.high, end.isKnown},
            hull);
  return true;
}

/// Whether the store, which all items execute, writes all bytes of the hull;
/// null: that is not known. The first dimension is to be the innermost one.
Value *TouchEmitter::covers(const Access &store, const Hull &hull) {
  ScalarEvolution &evolution = *kernel.evolution;
  const SCEV *offset = evolution.removePointerBase(
      evolution.getSCEV(const_cast<Value *>(store.pointer)));
  std::optional<Interval> range = intervals.of(offset);
  if (!range)
    return nullptr;
  Value *span = b.getInt64(store.constantSize), *covers = range->isKnown;
  for (unsigned d = 0; d != device.numGridDims; ++d) {
    const SCEV *step = evolution.getMinusSCEV(kernel.atNext(offset, d), offset);
    std::optional<Interval> stride = intervals.of(step);
    if (!stride)
      return nullptr;
    Value *count = d + 1 == device.numGridDims
                       ? b.CreateSub(function->getArg(3), function->getArg(2))
                       : b.CreateLoad(b.getInt64Ty(),
                                      b.CreateConstInBoundsGEP1_64(
                                          b.getInt64Ty(), function->getArg(1),
                                          3 * device.gridLevel + d));
    Value *isNext = b.CreateAnd(b.CreateICmpEQ(stride->low, span),
                                b.CreateICmpEQ(stride->high, span));
    isNext = b.CreateAnd(isNext, stride->isKnown);
    covers = b.CreateAnd(
        covers, b.CreateOr(isNext, b.CreateICmpEQ(count, b.getInt64(1))));
    span = b.CreateMul(span, count);
  }
  covers = b.CreateAnd(covers, b.CreateICmpEQ(hull.first, range->low));
  return b.CreateAnd(covers,
                     b.CreateICmpEQ(hull.end, b.CreateAdd(range->low, span)));
}

/// Whether all bytes that may be written are.
Value *TouchEmitter::isAllWritten(const Hull &hull, Argument *start,
                                  ArrayRef<Access> accesses) {
  Value *result = b.getFalse();
  // Items of a group share instances among themselves.
  if (device.isGrouped)
    return result;
  for (const Access &access : accesses) {
    auto *store = dyn_cast<StoreInst>(access.instruction);
    if (!store || !kernel.isAlwaysExecuted(*store))
      continue;
    SmallVector<const Value *> objects;
    getUnderlyingObjects(access.pointer, objects, nullptr, /*MaxLookup=*/0);
    if (objects.size() != 1 || objects.front() != start)
      continue;
    if (Value *isWhole = covers(access, hull))
      result = b.CreateOr(result, isWhole);
  }
  return result;
}

/// Whether the node may not read what the parameter points to.
bool TouchEmitter::isOnlyWritten(const Argument *start) const {
  unsigned number = 0;
  for (const DeviceParameter &parameter : device.parameters) {
    if (parameter.kind != SLUICE_DEVICE_POINTER)
      continue;
    if (pointers[number++] == start)
      return parameter.access == SLUICE_ACCESS_OUT;
  }
  return false;
}

/// Makes `hull` contain `other` unless the condition holds.
void TouchEmitter::addUnless(Value *condition, const Hull &other, Hull &hull) {
  hull.first = b.CreateSelect(
      condition, hull.first,
      b.CreateBinaryIntrinsic(Intrinsic::smin, hull.first, other.first));
  hull.end = b.CreateSelect(
      condition, hull.end,
      b.CreateBinaryIntrinsic(Intrinsic::smax, hull.end, other.end));
  hull.isKnown =
      b.CreateAnd(hull.isKnown, b.CreateOr(condition, other.isKnown));
}

void TouchEmitter::store(const Hull &hull, unsigned rangeIndex,
                         unsigned field) {
  // No access: INT64_MAX .. INT64_MIN; empty.
  Value *isEmpty = b.CreateICmpSGE(hull.first, hull.end);
  Value *first = b.CreateSelect(isEmpty, b.getInt64(0), hull.first);
  Value *end = b.CreateSelect(isEmpty, b.getInt64(0), hull.end);
  first = b.CreateSelect(hull.isKnown, first, b.getInt64(INT64_MIN));
  end = b.CreateSelect(hull.isKnown, end, b.getInt64(INT64_MAX));
  static_assert(sizeof(SluiceDeviceRange) == 4 * sizeof(int64_t) &&
                offsetof(SluiceDeviceRange, readEnd) == 1 * sizeof(int64_t) &&
                offsetof(SluiceDeviceRange, writtenFirst) ==
                    2 * sizeof(int64_t));
  auto place = [&](unsigned index) {
    return b.CreateConstInBoundsGEP1_64(b.getInt64Ty(), function->getArg(4),
                                        4 * rangeIndex + index);
  };
  b.CreateStore(first, place(field));
  b.CreateStore(end, place(field + 1));
}

/// Stores the hulls of some accesses as range `index`. False if nothing is
/// known of them.
bool TouchEmitter::emitRange(unsigned index, Argument *start,
                             ArrayRef<Access> accesses) {
  Hull read = nothing(), written = nothing();
  bool knowsRead = true, knowsWritten = true;
  for (const Access &access : accesses) {
    if (access.reads)
      knowsRead = knowsRead && add(read, start, access);
    if (access.writes)
      knowsWritten = knowsWritten && add(written, start, access);
  }
  if (!knowsRead)
    read.isKnown = b.getFalse();
  if (!knowsWritten)
    written.isKnown = b.getFalse();
  if (shared || isOnlyWritten(start))
    addUnless(
        b.CreateAnd(written.isKnown, isAllWritten(written, start, accesses)),
        written, read);
  store(read, index, 0);
  store(written, index, 2);
  return knowsRead || knowsWritten;
}

/// Whether the access may be to the memory of `start`.
static bool mayConcern(const Access &access, const Argument *start) {
  SmallVector<const Value *> objects;
  getUnderlyingObjects(access.pointer, objects, nullptr, /*MaxLookup=*/0);
  return any_of(objects, [&](const Value *object) {
    return object == start ||
           !isa<Argument, AllocaInst, GlobalVariable>(object);
  });
}

/// The operation of SLUICE_ACCUMULATE that an atomic one is, if any.
static std::optional<uint32_t> accumulationOf(AtomicRMWInst::BinOp operation) {
  switch (operation) {
  case AtomicRMWInst::Add:
  case AtomicRMWInst::Sub:
    return SLUICE_ACCUMULATE_ADD;
  case AtomicRMWInst::And:
    return SLUICE_ACCUMULATE_AND;
  case AtomicRMWInst::Or:
    return SLUICE_ACCUMULATE_OR;
  case AtomicRMWInst::Xor:
    return SLUICE_ACCUMULATE_XOR;
  case AtomicRMWInst::Min:
    return SLUICE_ACCUMULATE_MIN;
  case AtomicRMWInst::Max:
    return SLUICE_ACCUMULATE_MAX;
  case AtomicRMWInst::UMin:
    return SLUICE_ACCUMULATE_UMIN;
  case AtomicRMWInst::UMax:
    return SLUICE_ACCUMULATE_UMAX;
  default:
    return std::nullopt;
  }
}

/// How the memory of `start`, which has these accesses, is accumulated, if it
/// is.
static std::optional<SluiceAccumulated>
accumulation(unsigned number, const Argument *start,
             ArrayRef<Access> accesses) {
  std::optional<SluiceAccumulated> result;
  for (const Access &access : accesses) {
    auto *atomic = dyn_cast<AtomicRMWInst>(access.instruction);
    if (!atomic || !atomic->use_empty() || !atomic->getType()->isIntegerTy())
      return std::nullopt;
    SmallVector<const Value *> objects;
    getUnderlyingObjects(access.pointer, objects, nullptr, /*MaxLookup=*/0);
    const unsigned bits = atomic->getType()->getIntegerBitWidth();
    std::optional<uint32_t> operation = accumulationOf(atomic->getOperation());
    if (objects.size() != 1 || objects.front() != start || !operation ||
        bits < 8 || bits > 64 || !isPowerOf2_32(bits))
      return std::nullopt;
    const SluiceAccumulated next = {number, *operation, bits / 8, 0};
    if (result && (result->operation != next.operation ||
                   result->elementBytes != next.elementBytes))
      return std::nullopt;
    result = next;
  }
  return result;
}

/// Whether instances may learn by it what others do at the same time.
static bool isAtomicOrVolatile(const Access &access) {
  return access.instruction->isAtomic() || access.instruction->isVolatile();
}

/// "file.c:12:3", in the leaf; "" where that is not known.
static std::string placeOf(const Instruction &inst) {
  const DILocation *place = inst.getDebugLoc();
  while (place && place->getInlinedAt())
    place = place->getInlinedAt();
  return place && place->getLine() ? spellPlace(*place) : "";
}

/// False if nothing is known of any parameter.
bool TouchEmitter::emit() {
  std::optional<SmallVector<Access>> accesses = accessesOf(*kernel.function);
  // What is reduced is no parameter.
  bool knowsAny = !device.reduced.empty();
  if (!accesses || (pointers.empty() && !knowsAny))
    return false;
  unsigned numRanges = 0;
  for (unsigned i = 0; i != pointers.size(); ++i) {
    SmallVector<Access> own;
    for (const Access &access : *accesses)
      if (mayConcern(access, pointers[i]))
        own.push_back(access);
    if (shared)
      if (std::optional<SluiceAccumulated> accumulated =
              accumulation(i, pointers[i], own)) {
        shared->accumulated.push_back(*accumulated);
        knowsAny = true;
        continue;
      }
    if (shared && any_of(own, isAtomicOrVolatile))
      shared->canCompare = false;
    // Planes of one array are apart, so each access has a range of its own.
    constexpr unsigned maxParts = 32;
    if (!shared || own.size() > maxParts) {
      if (shared)
        shared->parts.push_back({i, ""});
      knowsAny |= emitRange(numRanges++, pointers[i], own);
      continue;
    }
    for (const Access &access : own) {
      shared->parts.push_back({i, placeOf(*access.instruction)});
      knowsAny |= emitRange(numRanges++, pointers[i], access);
    }
  }
  b.CreateRetVoid();
  return knowsAny;
}

Function *codegen::emitTouch(Module &module, Function &kernel,
                             const DeviceNode &device, StringRef name,
                             SharedTouch *shared) {
  LLVMContext &context = module.getContext();
  Type *ptr = PointerType::getUnqual(context), *i64 = Type::getInt64Ty(context);
  Function *function =
      Function::Create(FunctionType::get(Type::getVoidTy(context),
                                         {ptr, ptr, i64, i64, ptr}, false),
                       GlobalValue::InternalLinkage, name, module);
  AnalysedKernel analysed(kernel, device);
  if (TouchEmitter(module, analysed, device, function, shared).emit())
    return function;
  function->eraseFromParent();
  return nullptr;
}
