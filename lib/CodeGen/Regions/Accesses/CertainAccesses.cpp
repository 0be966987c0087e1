//===- CertainAccesses.cpp - What tasks certainly access ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A copy of the code is simplified until ScalarEvolution shows addresses as
// sums of a parameter, the bounds and strides of a domain and numbers. For an
// access in loops, these are the addresses in the first and in the last
// iteration of each. If one of them is before the first element of the box
// around the part, or behind its last one, in the order of the root, the access
// is wrong wherever the domain has elements. A halo reaches no further than its
// width beyond the same color of the partition that it extends. For blocks and
// halos, the addresses are also computed for each point, with the defaults of
// the program's parameters.
//
// Only accesses that every such call makes count: nothing but loops around them
// and tests whether the domain has elements may decide about them.
//
//===----------------------------------------------------------------------===//

#include "sluice/CodeGen/CertainAccesses.h"
#include "../Source.h"
#include "../StatedBoxes.h"
#include "AddressSum.h"
#include "TaskCode.h"
#include "sluice-c/Tasks.h"
#include "sluice/Base/Text.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::codegen;

namespace {
/// What a function may find out about a domain.
struct DomainBounds {
  /// By dimension; null if the function does not read them.
  std::array<LoadInst *, SLUICE_MAX_RANK> lower{}, upper{};
};

/// A point of the launch.
struct AtPoint {
  BoxCoordinates point;
  DenseMap<const Argument *, StatedBox> boxes;
  /// Of the bounds and of parameters.
  DenseMap<const SCEV *, int64_t> values;
};

/// The accesses of one function, as one statement calls it.
class KernelChecker {
public:
  KernelChecker(const RegionModel &program, const RegionModel &withDefaults,
                const RegionStatement &statement, Function &function,
                const GivenFields &fields, FunctionAnalysisManager &analyses,
                std::vector<CertainFault> &wrong)
      : program(program), withDefaults(withDefaults), statement(statement),
        function(function), loops(analyses.getResult<LoopAnalysis>(function)),
        dominators(analyses.getResult<DominatorTreeAnalysis>(function)),
        after(analyses.getResult<PostDominatorTreeAnalysis>(function)),
        evolution(analyses.getResult<ScalarEvolutionAnalysis>(function)),
        wrong(wrong), fields(fields) {}

  void run();

private:
  void findBounds();
  /// The value of a comparison, where it is known.
  using Decision = function_ref<std::optional<bool>(const ICmpInst &)>;
  std::optional<bool> ifNotEmpty(const ICmpInst &compare,
                                 const Argument *domain) const;
  std::optional<bool> ifAtPoint(const ICmpInst &compare,
                                const AtPoint &point) const;
  bool isCertain(const Instruction &access, Decision decide) const;
  bool isCertain(const Instruction &access, const Argument *domain) const {
    return isCertain(access, [&](const ICmpInst &compare) {
      return ifNotEmpty(compare, domain);
    });
  }
  void addEnds(const SCEV *offset, std::vector<const SCEV *> &ends);
  bool isGivenTwice(const GivenField &given) const;
  ArrayRef<int64_t> reachBeyond(const RegionArgument &halo,
                                const RegionArgument &of) const;
  void check(Instruction &access);
  bool reportEnds(Instruction &access, const GivenField &given,
                  ArrayRef<const SCEV *> ends);
  void reportOutside(Instruction &access, const GivenField &given,
                     const std::string &where, const std::string &end);
  void findBoxes();
  void reportAtPoints(Instruction &access, const GivenField &given,
                      ArrayRef<const SCEV *> ends);
  std::string distanceFrom(const AddressSum &offset, const DomainBounds &domain,
                           const RegionRoot &root, int64_t size, bool isFirst,
                           ArrayRef<int64_t> width);
  void report(Instruction &access, const GivenField &given,
              const std::string &what);

  const RegionModel &program, &withDefaults;
  const RegionStatement &statement;
  Function &function;
  LoopInfo &loops;
  DominatorTree &dominators;
  PostDominatorTree &after;
  ScalarEvolution &evolution;
  std::vector<CertainFault> &wrong;
  const GivenFields &fields;
  /// By domain.
  DenseMap<const Argument *, DomainBounds> bounds;
  /// By parameter of the program.
  DenseMap<unsigned, const SCEV *> parameters;
  std::vector<AtPoint> points;
};
} // namespace

/// simplifyTask has left one load of each.
void KernelChecker::findBounds() {
  for (Instruction &instruction : instructions(function)) {
    auto *load = dyn_cast<LoadInst>(&instruction);
    auto place = load ? placeOfMember(*load) : std::nullopt;
    if (!place || fields.contains(place->first))
      continue;
    DomainBounds &known = bounds[place->first];
    for (auto [begin, loads] :
         {std::pair(offsetof(SluiceDomain, lower), &known.lower),
          std::pair(offsetof(SluiceDomain, upper), &known.upper)})
      if (std::optional<unsigned> d = dimensionAt(place->second, begin))
        (*loads)[*d] = load;
    auto d = dimensionAt(place->second, offsetof(SluiceDomain, extent));
    for (const GivenField &given : make_second_range(fields)) {
      const RegionRoot &root = program.roots[given.argument->root];
      if (d && given.domain == place->first && *d < root.extents.size())
        parameters[root.extents[*d].parameter] = evolution.getSCEV(load);
    }
  }
  for (auto [parameter, argument] : givenParameters(statement, function))
    parameters[parameter] = evolution.getSCEV(argument);
}

/// The value of a condition, where that of its comparisons is known.
static std::optional<bool>
valueOf(const Value *condition,
        function_ref<std::optional<bool>(const ICmpInst &)> decide) {
  using namespace PatternMatch;
  const Value *first, *second;
  if (auto *compare = dyn_cast<ICmpInst>(condition))
    return decide(*compare);
  const bool isAnd =
      match(condition, m_LogicalAnd(m_Value(first), m_Value(second)));
  if (!isAnd && !match(condition, m_LogicalOr(m_Value(first), m_Value(second))))
    return std::nullopt;
  const std::optional<bool> a = valueOf(first, decide),
                            b = valueOf(second, decide);
  if (a == b)
    return a;
  // False decides about an and, true about an or.
  return a == !isAnd || b == !isAnd ? std::optional(!isAnd) : std::nullopt;
}

/// The value that a comparison has if the domain has elements.
std::optional<bool> KernelChecker::ifNotEmpty(const ICmpInst &compare,
                                              const Argument *domain) const {
  auto known = bounds.find(domain);
  if (known == bounds.end())
    return std::nullopt;
  auto beyond = [&](const Value *value, LoadInst *bound) {
    const SCEV *distance =
        evolution.getMinusSCEV(evolution.getSCEV(const_cast<Value *>(value)),
                               evolution.getSCEV(bound));
    auto *number = dyn_cast<SCEVConstant>(distance);
    return number ? std::optional(number->getAPInt().getSExtValue())
                  : std::nullopt;
  };
  for (auto [lower, upper] : zip(known->second.lower, known->second.upper)) {
    if (!lower || !upper ||
        compare.getOperand(0)->getType() != lower->getType())
      continue;
    CmpInst::Predicate predicate = compare.getPredicate();
    const Value *left = compare.getOperand(0), *right = compare.getOperand(1);
    auto first = beyond(left, lower), last = beyond(right, upper);
    if (!first || !last) {
      predicate = CmpInst::getSwappedPredicate(predicate);
      first = beyond(right, lower);
      last = beyond(left, upper);
    }
    // Then first of 'lower + first' and 'upper + last' is the less one.
    if (first && last && *first <= *last &&
        (*first >= 0 || !compare.isUnsigned()))
      return ICmpInst::isLE(predicate) || ICmpInst::isLT(predicate) ||
             predicate == CmpInst::ICMP_NE;
  }
  return std::nullopt;
}

/// The value that a comparison of bounds has at a point.
std::optional<bool> KernelChecker::ifAtPoint(const ICmpInst &compare,
                                             const AtPoint &point) const {
  if (!compare.getOperand(0)->getType()->isIntegerTy(64))
    return std::nullopt;
  auto valueOfOperand = [&](unsigned i) {
    return AddressSum(evolution.getSCEV(compare.getOperand(i)))
        .valueWith(point.values);
  };
  const auto left = valueOfOperand(0), right = valueOfOperand(1);
  if (!left || !right)
    return std::nullopt;
  return ICmpInst::compare(APInt(64, *left, true), APInt(64, *right, true),
                           compare.getPredicate());
}

/// Whether each call with elements, and each iteration, makes the access. Loops
/// end only at their latches, so what is on all ways to the end of the function
/// is on all ways through the iteration.
bool KernelChecker::isCertain(const Instruction &access,
                              Decision decide) const {
  const BasicBlock *at = access.getParent();
  for (Loop *loop = loops.getLoopFor(at); loop; loop = loop->getParentLoop()) {
    const BasicBlock *latch = loop->getLoopLatch();
    if (!latch || loop->getExitingBlock() != latch)
      return false;
  }
  for (const BasicBlock *entry = &function.getEntryBlock();
       !after.dominates(at, entry);) {
    const BasicBlock *before = dominators.getNode(at)->getIDom()->getBlock();
    if (!after.dominates(at, before)) {
      auto *branch = dyn_cast<BranchInst>(before->getTerminator());
      if (!branch || branch->isUnconditional())
        return false;
      const std::optional<bool> value = valueOf(branch->getCondition(), decide);
      if (!value || !after.dominates(at, branch->getSuccessor(*value ? 0 : 1)))
        return false;
    }
    at = before;
  }
  return true;
}

/// The offsets in the first and last iteration of each loop.
void KernelChecker::addEnds(const SCEV *offset,
                            std::vector<const SCEV *> &ends) {
  auto *recurrence = dyn_cast<SCEVAddRecExpr>(offset);
  if (!recurrence)
    return ends.push_back(offset);
  addEnds(recurrence->getStart(), ends);
  const SCEV *count = evolution.getBackedgeTakenCount(recurrence->getLoop());
  if (!isa<SCEVCouldNotCompute>(count) &&
      evolution.getTypeSizeInBits(count->getType()) == 64)
    addEnds(recurrence->evaluateAtIteration(count, evolution), ends);
}

//===----------------------------------------------------------------------===//
// Distances
//===----------------------------------------------------------------------===//

/// "(1, 2)"
static std::string textOfTuple(ArrayRef<int64_t> numbers) {
  std::string text;
  for (int64_t number : numbers)
    text += concat(text.empty() ? "(" : ", ", number);
  return text + ")";
}

/// How often a row of this length is in a distance; rounded, so that what is
/// little before a row counts as before it.
static int64_t nearest(int64_t distance, int64_t length) {
  return divideFloorSigned(distance + length / 2, length);
}

/// Where the access is, if that is certainly before the first element, or
/// behind the last one; else empty.
std::string KernelChecker::distanceFrom(const AddressSum &offset,
                                        const DomainBounds &domain,
                                        const RegionRoot &root, int64_t size,
                                        bool isFirst, ArrayRef<int64_t> width) {
  const size_t rank = root.extents.size();
  AddressSum rest = offset;
  // Strides are numbers times products of the extents that parameters give.
  SmallVector<std::pair<AddressSum::Product, int64_t>, SLUICE_MAX_RANK> strides(
      rank);
  AddressSum::Product product;
  int64_t length = 1;
  for (size_t d = rank; d-- != 0;) {
    strides[d] = {product, length};
    if (int64_t bytes; MulOverflow(length, size, bytes))
      return {};
    AddressSum stride;
    stride.add(product, length);
    LoadInst *bound = isFirst ? domain.lower[d] : domain.upper[d];
    if (!bound)
      return {};
    AddressSum at(evolution.getSCEV(bound));
    const int64_t reach = width.empty() ? 0 : width[d];
    at.add({}, isFirst ? -reach : reach - 1);
    rest.addTimes(-size, at * stride);
    if (std::optional<int64_t> known = knownExtent(root, d)) {
      if (*known <= 0 || MulOverflow(length, *known, length))
        return {};
    } else if (const SCEV *extent =
                   parameters.lookup(root.extents[d].parameter)) {
      product.push_back(extent);
      sort(product);
    } else if (d != 0) {
      return {};
    }
  }
  // What remains must be a number of bytes, and products that are all positive
  // with factors of one sign.
  int64_t least = 0;
  for (const auto &[product, factor] : rest.factors) {
    const auto bytes = static_cast<int64_t>(factor);
    if (!product.empty() &&
        (none_of(strides, [&](auto &s) { return s.first == product; }) ||
         (isFirst ? bytes > 0 : bytes < 0)))
      return {};
    least += bytes;
  }
  if (isFirst ? least >= 0 : least < size)
    return {};
  SmallVector<int64_t, SLUICE_MAX_RANK> steps;
  for (size_t d = 0; d != rank; ++d) {
    const auto &[product, length] = strides[d];
    const auto left = static_cast<int64_t>(rest.factors[product]);
    const bool isLast = d + 1 == rank || strides[d + 1].first != product;
    steps.push_back(isLast ? divideFloorSigned(left, length * size)
                           : nearest(left, length * size));
    rest.factors[product] -= steps.back() * length * size;
  }
  for (auto [step, reach] : zip(steps, width))
    step += isFirst ? -reach : reach;
  if (rank == 1)
    return concat(countOf(std::abs(steps[0]), "element", "elements"),
                  isFirst ? " before the first" : " behind the last",
                  " element");
  return concat("at ", textOfTuple(steps), " from the ",
                isFirst ? "first" : "last", " element");
}

void KernelChecker::report(Instruction &access, const GivenField &given,
                           const std::string &what) {
  const RegionRoot &root = program.roots[given.argument->root];
  CertainFault fault = {&statement, access.getDebugLoc(),
                        concat(quoted(statement.function), " ",
                               isa<StoreInst>(access) ? "writes" : "reads",
                               " field ", quoted(root.fields[given.field].name),
                               " of root ", quoted(root.name), what)};
  // Several statements may call the function.
  if (none_of(wrong, [&](const CertainFault &known) {
        return known.place.getLine() == fault.place.getLine() &&
               known.place.getCol() == fault.place.getCol() &&
               known.message == fault.message;
      }))
    wrong.push_back(std::move(fault));
}

/// `where` is followed by the name of the argument's partition.
void KernelChecker::reportOutside(Instruction &access, const GivenField &given,
                                  const std::string &where,
                                  const std::string &end) {
  const unsigned index = given.argument->partition;
  std::string text = concat(" ", where);
  bool isHalo = false;
  if (index != noIndex) {
    const RegionPartition &partition = program.partitions[index];
    text += concat(" of ", quoted(partition.name));
    isHalo = partition.kind == PartitionKind::Halo;
  }
  report(access, given,
         concat(text, end,
                !isa<StoreInst>(access)
                    ? concat("; let it name a region that has this element, "
                             "such as a ",
                             isHalo ? "wider halo" : "halo")
                    : "; let it change only its own elements"));
}

/// Reports an access that is before or behind the part, at whatever point.
bool KernelChecker::reportEnds(Instruction &access, const GivenField &given,
                               ArrayRef<const SCEV *> ends) {
  const RegionRoot &root = program.roots[given.argument->root];
  const RegionField &field = root.fields[given.field];
  for (const GivenField &other : make_second_range(fields)) {
    const bool isOwn = other.domain == given.domain;
    ArrayRef<int64_t> width;
    if (!isOwn)
      width = reachBeyond(*given.argument, *other.argument);
    auto known = bounds.find(other.domain);
    if ((!isOwn && width.empty()) || known == bounds.end() ||
        !isCertain(access, other.domain))
      continue;
    for (const SCEV *offset : ends)
      for (bool isFirst : {true, false}) {
        std::string distance =
            distanceFrom(AddressSum(offset), known->second, root,
                         sizeOf(field.type) * field.count, isFirst, width);
        if (distance.empty())
          continue;
        if (isOwn)
          reportOutside(access, given, distance + " of its part", "");
        else
          reportOutside(
              access, given,
              concat(distance, " of its part of ",
                     quoted(program.partitions[other.argument->partition].name),
                     ", which is outside of that"),
              "");
        return true;
      }
  }
  return false;
}

static std::vector<Extent> extentsWithDefaults(const RegionModel &program,
                                               std::vector<Extent> extents) {
  for (Extent &extent : extents)
    if (extent.parameter != noIndex)
      extent = {defaultOf(program.parameters[extent.parameter]), noIndex, {}};
  return extents;
}

/// The declarations with the defaults of all parameters.
static RegionModel modelWithDefaults(const RegionModel &program) {
  RegionModel result;
  result.roots = program.roots;
  result.partitions = program.partitions;
  for (RegionRoot &root : result.roots)
    root.extents = extentsWithDefaults(program, root.extents);
  for (RegionPartition &partition : result.partitions)
    partition.colors = extentsWithDefaults(program, partition.colors);
  return result;
}

/// The boxes of all points, where the program states them.
void KernelChecker::findBoxes() {
  constexpr unsigned maxPoints = 4096;
  const std::vector<Extent> domain =
      extentsWithDefaults(program, statement.domain);
  if (!isConstant(domain) ||
      any_of(domain, [](auto &each) { return each.constant <= 0; }))
    return;
  BoxCoordinates point(domain.size());
  do {
    AtPoint at;
    at.point = point;
    for (const GivenField &given : make_second_range(fields)) {
      auto box = boxAround(withDefaults, *given.argument, point);
      auto known = bounds.find(given.domain);
      if (!box)
        continue;
      // What bounds an empty part has is up to the runtime.
      if (box->isEmpty())
        known = bounds.end();
      for (size_t d = 0; known != bounds.end() && d != box->lower.size(); ++d)
        for (auto [load, value] :
             {std::pair(known->second.lower[d], box->lower[d]),
              std::pair(known->second.upper[d], box->upper[d])})
          if (load)
            at.values[evolution.getSCEV(load)] = value;
      at.boxes[given.domain] = std::move(*box);
    }
    for (auto [parameter, value] : parameters)
      if (parameter != noIndex)
        at.values[value] = defaultOf(program.parameters[parameter]);
    points.push_back(std::move(at));
  } while (points.size() != maxPoints && stepPoint(domain, point));
}

/// Reports an access that is outside of the part at a point.
void KernelChecker::reportAtPoints(Instruction &access, const GivenField &given,
                                   ArrayRef<const SCEV *> ends) {
  const RegionRoot &root = withDefaults.roots[given.argument->root];
  const RegionField &field = root.fields[given.field];
  const int64_t size = sizeOf(field.type) * field.count;
  // Without elements, there are no coordinates.
  int64_t numBytes = size;
  for (const Extent &extent : root.extents)
    if (extent.constant <= 0 ||
        MulOverflow(numBytes, extent.constant, numBytes))
      return;
  std::vector<AddressSum> offsets(ends.begin(), ends.end());
  for (const AtPoint &at : points) {
    auto box = at.boxes.find(given.domain);
    if (box == at.boxes.end() ||
        all_of(at.boxes, [](auto &each) { return each.second.isEmpty(); }))
      continue;
    for (const AddressSum &offset : offsets) {
      std::optional<int64_t> bytes = offset.valueWith(at.values);
      if (!bytes)
        continue;
      const int64_t position = divideFloorSigned(*bytes, size);
      const BoxCoordinates element = coordinatesAt(position, root.extents);
      const bool isInRoot = position >= 0 && position < numBytes / size;
      if (isInRoot && box->second.contains(element))
        continue;
      if (!isCertain(access, [&](const ICmpInst &compare) {
            return ifAtPoint(compare, at);
          }))
        break;
      reportOutside(access, given,
                    isInRoot ? concat("at ", textOfTuple(element),
                                      ", which is outside of its part")
                             : "outside of the root, and so of its part",
                    concat(at.point.empty()
                               ? ""
                               : concat(" at point ", textOfTuple(at.point)),
                           boxAround(program, *given.argument, at.point)
                               ? ""
                               : " with the defaults of parameters"));
      return;
    }
  }
}

/// Whether another argument gives elements of the same field. Then the task may
/// reach them through either pointer.
bool KernelChecker::isGivenTwice(const GivenField &given) const {
  return any_of(statement.arguments, [&](const RegionArgument &argument) {
    return argument.kind == RegionArgument::Region &&
           &argument != given.argument &&
           argument.root == given.argument->root &&
           is_contained(argument.fields, given.field);
  });
}

/// How far a halo is larger than the part of another argument that it extends;
/// empty if it does not extend that.
ArrayRef<int64_t> KernelChecker::reachBeyond(const RegionArgument &halo,
                                             const RegionArgument &of) const {
  if (halo.partition == noIndex || of.partition == noIndex)
    return {};
  const RegionPartition &partition = program.partitions[halo.partition];
  const RegionProjection &a = halo.projection, &b = of.projection;
  if (partition.kind != PartitionKind::Halo || partition.periodic != 0 ||
      partition.left != of.partition || halo.color != of.color ||
      a.kind != b.kind || a.kind == RegionProjection::Function ||
      a.matrix != b.matrix || a.offset != b.offset || !a.shifts.empty() ||
      !b.shifts.empty())
    return {};
  return partition.width;
}

void KernelChecker::check(Instruction &access) {
  const Value *pointer = getLoadStorePointerOperand(&access);
  const SCEV *address = evolution.getSCEV(const_cast<Value *>(pointer));
  auto *base = dyn_cast<SCEVUnknown>(evolution.getPointerBase(address));
  auto found = base ? fields.find(base->getValue()) : fields.end();
  if (found == fields.end())
    return;
  const GivenField &given = found->second;
  if (isGivenTwice(given))
    return;
  if (isa<StoreInst>(access) &&
      given.argument->privilege == RegionPrivilege::Read) {
    auto isMade = [&](const GivenField &each) {
      return isCertain(access, each.domain);
    };
    if (any_of(make_second_range(fields), isMade))
      report(access, given,
             ", which it only reads; let the task name it in 'writes(...)'");
    return;
  }
  std::vector<const SCEV *> ends;
  addEnds(evolution.getMinusSCEV(address, base), ends);
  if (!reportEnds(access, given, ends))
    reportAtPoints(access, given, ends);
}

void KernelChecker::run() {
  findBounds();
  findBoxes();
  // Where the function may end early, nothing behind that is certain.
  for (const Instruction &instruction : instructions(function))
    if (!isa<ReturnInst>(instruction) &&
        !isGuaranteedToTransferExecutionToSuccessor(&instruction))
      return;
  for (BasicBlock &block : function)
    if (dominators.isReachableFromEntry(&block))
      for (Instruction &instruction : block)
        if (isa<LoadInst, StoreInst>(instruction))
          check(instruction);
}

std::vector<CertainFault> codegen::findCertainFaults(const RegionModel &program,
                                                     const Module &code) {
  std::unique_ptr<Module> copy = CloneModule(code);
  std::vector<std::pair<const RegionStatement *, Function *>> calls;
  SmallPtrSet<Function *, 16> tasks;
  forEachStatement(program, [&](const RegionStatement &statement) {
    if (statement.kind != RegionStatement::Task)
      return;
    Function *function = copy->getFunction(statement.function);
    if (!function || function->isDeclaration())
      return;
    tasks.insert(function);
    calls.push_back({&statement, function});
  });
  LoopAnalysisManager ofLoops;
  FunctionAnalysisManager ofFunctions;
  CGSCCAnalysisManager ofCalls;
  ModuleAnalysisManager ofModules;
  PassBuilder builder;
  builder.registerModuleAnalyses(ofModules);
  builder.registerCGSCCAnalyses(ofCalls);
  builder.registerFunctionAnalyses(ofFunctions);
  builder.registerLoopAnalyses(ofLoops);
  builder.crossRegisterProxies(ofLoops, ofFunctions, ofCalls, ofModules);
  inlineTasks(*copy, tasks, ofModules);
  const RegionModel withDefaults = modelWithDefaults(program);
  std::vector<CertainFault> wrong;
  for (auto [statement, task] : calls) {
    ValueToValueMapTy values;
    Function &own = *CloneFunction(task, values);
    const GivenFields fields = givenFields(*statement, own);
    simplifyTask(program, *statement, fields, own, ofFunctions);
    KernelChecker(program, withDefaults, *statement, own, fields, ofFunctions,
                  wrong)
        .run();
  }
  return wrong;
}
