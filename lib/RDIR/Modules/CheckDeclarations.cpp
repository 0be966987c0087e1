//===- CheckDeclarations.cpp - Rule P1, and assumptions -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Proofs rest on the declarations of partitions and constraints. This check
// proves the declarations that it can prove, and reports an error for those
// that are wrong. The rest are assumptions, which are reported and which
// programs check at run time.
//
//===----------------------------------------------------------------------===//

#include "KnownElements.h"
#include "sluice/RDIR/CheckModule.h"
#include "sluice/RDIR/Sums.h"
#include "llvm/Support/SaveAndRestore.h"

#include <algorithm>

using namespace mlir;
using namespace sluice::rdir;

namespace {
enum class Holds : uint8_t { Yes, No, Unknown };

class DeclarationCheck {
public:
  DeclarationCheck(const ImportedModule &module, std::vector<Finding> &findings,
                   std::vector<Assumption> &assumptions)
      : module(module), findings(findings), assumptions(assumptions),
        elements(tables) {}
  void run();

private:
  void use(RegionIndex region);
  void findUsed(const ImportedGraph &graph);
  void useConstrained();
  void checkPartition(PartitionOp partition);
  void checkConstraint(ConstraintOp constraint);
  Holds isDisjoint(PartitionOp partition, std::string &why);
  Holds isComplete(PartitionOp partition, std::string &why);
  bool isWithin(PartitionOp partition, Operation *parent,
                DenseI64ArrayAttr color);
  bool isVector(Operation *declaration, std::optional<StringRef> field);
  Operation *operand(PartitionOp partition, FlatSymbolRefAttr name) {
    return lookupDeclaration(partition, name, tables);
  }
  bool mayVisitAll(const std::vector<Elements> &colors);
  void tell(Operation *op, Holds holds, const std::string &declared,
            const std::string &why, const std::string &assumed);

  const ImportedModule &module;
  std::vector<Finding> &findings;
  std::vector<Assumption> &assumptions;
  SymbolTableCollection tables;
  KnownElements elements;
  /// Regions that graphs name, regions that constraints tie to them, and their
  /// ancestors.
  std::vector<bool> isUsed;
  /// The number of partitions through which a query was passed on. It is
  /// limited, since each partition may pass the query on to two others.
  unsigned depth = 0;
  static constexpr unsigned maxDepth = 10;
};
} // namespace

void DeclarationCheck::use(RegionIndex region) {
  for (; region != noRegion && !isUsed[region];
       region = module.forest.parent(region))
    isUsed[region] = true;
}

void DeclarationCheck::findUsed(const ImportedGraph &graph) {
  for (const Node &node : graph.graph.allNodes())
    if (!isCompute(node.kind))
      use(node.region);
  for (const auto &nested : graph.nested)
    findUsed(*nested);
}

/// Marks regions that constraints and rules tie to used ones: proofs depend on
/// them.
void DeclarationCheck::useConstrained() {
  std::vector<std::pair<RegionIndex, RegionIndex>> pairs;
  auto regionOf = [&](ConstraintOp op, FlatSymbolRefAttr name) {
    return module.regions.lookup(lookupDeclaration(op, name, tables));
  };
  for (auto op : mlir::ModuleOp(module.source).getOps<ConstraintOp>())
    pairs.push_back(
        {regionOf(op, op.getFirstAttr()), regionOf(op, op.getSecondAttr())});
  for (bool hasChanged = true; hasChanged;) {
    hasChanged = false;
    for (auto [first, second] : pairs) {
      if (isUsed[first] == isUsed[second])
        continue;
      use(isUsed[first] ? second : first);
      hasChanged = true;
    }
    for (auto [made, from] : module.ruleRelations)
      if (isUsed[made] && !isUsed[from]) {
        use(from);
        hasChanged = true;
      }
  }
}

void DeclarationCheck::tell(Operation *op, Holds holds,
                            const std::string &declared, const std::string &why,
                            const std::string &assumed) {
  if (holds == Holds::Unknown)
    assumptions.push_back({op, assumed});
  if (holds != Holds::No)
    return;
  Finding &finding = findings.emplace_back();
  finding.rule = Rule::P1;
  finding.op = op;
  finding.message = declared + ", but " + why;
}

//===----------------------------------------------------------------------===//
// Partitions
//===----------------------------------------------------------------------===//

bool DeclarationCheck::isVector(Operation *declaration,
                                std::optional<StringRef> field) {
  auto root = dyn_cast_or_null<RootOp>(rootOf(declaration, tables));
  int index = root && field ? root.getFieldIndex(*field) : -1;
  return index < 0 ||
         isa<VectorType>(
             cast<TypeAttr>(root.getFieldTypes()[index]).getValue());
}

bool DeclarationCheck::mayVisitAll(const std::vector<Elements> &colors) {
  uint64_t total = 0;
  for (const Elements &color : colors)
    total += color.size();
  return elements.mayVisit(total);
}

/// The first element of a set that is (or is not) also in another set; null if
/// there is none.
static const int64_t *findDifferent(const Elements &set, const Elements &other,
                                    bool isCommon) {
  auto next = other.begin();
  for (const int64_t &element : set) {
    next = std::find_if(next, other.end(),
                        [&](int64_t known) { return known >= element; });
    if ((next != other.end() && *next == element) == isCommon)
      return &element;
  }
  return nullptr;
}

/// Different elements never have equal computed coordinates: each of their
/// own coordinates alone decides one of these.
static bool isInjective(ArrayAttr map, size_t rank) {
  SmallVector<bool, 3> isKept(rank, false);
  const SmallVector<ElementSum, 3> sums = *readElementSums(map);
  for (const ElementSum &entry : sums) {
    const Attribute *only = nullptr;
    unsigned count = 0;
    for (const Sum::Term &term : entry.sum.terms)
      if (isa<IntegerAttr>(term.name)) {
        only = &term.name;
        ++count;
      }
    if (count == 1 && !entry.divisor && !entry.modulus)
      isKept[cast<IntegerAttr>(*only).getInt()] = true;
  }
  return rank != 0 && llvm::all_of(isKept, [](bool kept) { return kept; });
}

/// Whatever the coordinates, the computed color exists.
static bool hasColorForAll(PartitionOp partition) {
  SmallVector<ElementSum, 3> map = *readElementSums(partition.getMapAttr());
  return llvm::all_of(llvm::zip(map, partition.getColors()), [](auto pair) {
    auto &[entry, extent] = pair;
    return entry.modulus && entry.modulus == extent;
  });
}

Holds DeclarationCheck::isDisjoint(PartitionOp partition, std::string &why) {
  using Kind = PartitionKind;
  auto of = [&](FlatSymbolRefAttr name) {
    auto other = dyn_cast_or_null<PartitionOp>(operand(partition, name));
    std::string unused;
    llvm::SaveAndRestore deeper(depth, depth + 1);
    return other && depth < maxDepth ? isDisjoint(other, unused)
                                     : Holds::Unknown;
  };
  // Of one right side for all colors, each color may have the same elements.
  const bool isByColor =
      !partition.getRightColorAttr() && !partition.getRightWhole();
  switch (partition.getKind()) {
  case Kind::Blocks:
  case Kind::Color:
    return Holds::Yes;
  case Kind::Each:
    if (of(partition.getLeftAttr()) == Holds::Yes)
      return Holds::Yes;
    break;
  case Kind::Cross:
    if (of(partition.getLeftAttr()) == Holds::Yes &&
        of(partition.getRightAttr()) == Holds::Yes)
      return Holds::Yes;
    break;
  case Kind::Image: {
    auto source = dyn_cast_or_null<RootOp>(
        rootOf(operand(partition, partition.getLeftAttr()), tables));
    if (partition.getMapAttr() && source &&
        isInjective(partition.getMapAttr(), source.getExtents().size()) &&
        of(partition.getLeftAttr()) == Holds::Yes)
      return Holds::Yes;
    break;
  }
  case Kind::Field:
    // An element has one value, and therefore one color.
    if (!isVector(partition, partition.getField()))
      return Holds::Yes;
    break;
  case Kind::Preimage:
    // An element may name a range, with elements of several colors.
    if ((partition.getMapAttr() ||
         (!isVector(partition, partition.getField()) &&
          !partition.getLastAttr() && !partition.getToNext())) &&
        of(partition.getLeftAttr()) == Holds::Yes)
      return Holds::Yes;
    break;
  case Kind::Intersection:
    if (isByColor && of(partition.getRightAttr()) == Holds::Yes)
      return Holds::Yes;
    [[fallthrough]];
  case Kind::Difference:
    if (of(partition.getLeftAttr()) == Holds::Yes)
      return Holds::Yes;
    break;
  default:
    break;
  }
  const std::vector<Elements> *colors = elements.colorsOf(partition);
  if (!colors || !mayVisitAll(*colors))
    return Holds::Unknown;
  llvm::DenseMap<int64_t, size_t> owner;
  for (auto [color, set] : llvm::enumerate(*colors))
    for (int64_t element : set) {
      auto [it, isNew] = owner.try_emplace(element, color);
      if (isNew)
        continue;
      why = "its colors " + elements.colorText(partition, it->second) +
            " and " + elements.colorText(partition, color) +
            " both have element " + elements.elementText(partition, element);
      return Holds::No;
    }
  return Holds::Yes;
}

Holds DeclarationCheck::isComplete(PartitionOp partition, std::string &why) {
  using Kind = PartitionKind;
  // The two partitions must divide the same parent.
  auto of = [&](FlatSymbolRefAttr name) {
    auto other = dyn_cast_or_null<PartitionOp>(operand(partition, name));
    std::string unused;
    llvm::SaveAndRestore deeper(depth, depth + 1);
    return other && depth < maxDepth &&
                   other.getParentAttr() == partition.getParentAttr() &&
                   other.getParentColorAttr() == partition.getParentColorAttr()
               ? isComplete(other, unused)
               : Holds::Unknown;
  };
  switch (partition.getKind()) {
  case Kind::Blocks:
    return Holds::Yes;
  case Kind::Color:
    if (!partition.getParentColorAttr() && hasColorForAll(partition))
      return Holds::Yes;
    break;
  case Kind::Cross:
    if (of(partition.getLeftAttr()) == Holds::Yes &&
        of(partition.getRightAttr()) == Holds::Yes)
      return Holds::Yes;
    break;
  case Kind::Union:
    if (!partition.getRightColorAttr() &&
        of(partition.getRightAttr()) == Holds::Yes)
      return Holds::Yes;
    [[fallthrough]];
  case Kind::Each:
  case Kind::Halo:
    if (of(partition.getLeftAttr()) == Holds::Yes)
      return Holds::Yes;
    break;
  default:
    break;
  }
  const Elements *all = elements.elementsOf(partition, {});
  const Elements *parent =
      elements.elementsOf(operand(partition, partition.getParentAttr()),
                          partition.getParentColorAttr());
  if (!all || !parent || !elements.mayVisit(all->size() + parent->size()))
    return Holds::Unknown;
  const int64_t *missing = findDifferent(*parent, *all, /*isCommon=*/false);
  if (!missing)
    return Holds::Yes;
  why = "no color has element " + elements.elementText(partition, *missing);
  return Holds::No;
}

/// True if a partition lies below a region and its elements certainly lie in
/// it.
bool DeclarationCheck::isWithin(PartitionOp partition, Operation *parent,
                                DenseI64ArrayAttr color) {
  using Kind = PartitionKind;
  if (!partition)
    return false;
  bool isBelow = operand(partition, partition.getParentAttr()) == parent &&
                 partition.getParentColorAttr() == color;
  auto of = [&](FlatSymbolRefAttr name) {
    llvm::SaveAndRestore deeper(depth, depth + 1);
    return depth < maxDepth &&
           isWithin(dyn_cast_or_null<PartitionOp>(operand(partition, name)),
                    parent, color);
  };
  switch (partition.getKind()) {
  case Kind::Abstract:
  case Kind::Blocks:
  case Kind::Coloring:
    // Whoever makes these elements keeps them within the region.
    return isBelow;
  case Kind::Union:
    return of(partition.getLeftAttr()) && of(partition.getRightAttr());
  case Kind::Cross:
  case Kind::Intersection:
    return of(partition.getLeftAttr()) || of(partition.getRightAttr());
  case Kind::Each:
  case Kind::Difference:
    return of(partition.getLeftAttr());
  default:
    return false;
  }
}

void DeclarationCheck::checkPartition(PartitionOp partition) {
  if (!isUsed[module.regions.lookup(partition)])
    return;
  std::string name = "'" + partition.getSymName().str() + "'", why;
  if (partition.getIsDisjoint()) {
    Holds holds = isDisjoint(partition, why);
    tell(partition, holds, name + " is declared disjoint", why,
         name + " is disjoint");
  }
  if (partition.getIsComplete()) {
    Holds holds = isComplete(partition, why);
    tell(partition, holds, name + " is declared complete", why,
         name + " is complete");
  }
  DenseI64ArrayAttr color = partition.getParentColorAttr();
  Operation *parent = operand(partition, partition.getParentAttr());
  if (!color || isWithin(partition, parent, color))
    return;
  std::string above = "'" +
                      module.forest.name(module.forest.parent(
                          module.regions.lookup(partition))) +
                      "'";
  const Elements *all = elements.elementsOf(partition, {});
  const Elements *outer = elements.elementsOf(parent, color);
  Holds holds = Holds::Unknown;
  if (all && outer && elements.mayVisit(all->size() + outer->size())) {
    const int64_t *outside = findDifferent(*all, *outer, /*isCommon=*/false);
    holds = outside ? Holds::No : Holds::Yes;
    if (outside)
      why = "it has element " + elements.elementText(partition, *outside) +
            ", which " + above + " does not have";
  }
  tell(partition, holds, name + " is declared as a part of " + above, why,
       name + " is a part of " + above);
}

//===----------------------------------------------------------------------===//
// Constraints
//===----------------------------------------------------------------------===//

static std::string regionText(StringRef name, DenseI64ArrayAttr color) {
  std::string text;
  if (color)
    for (int64_t number : color.asArrayRef())
      text += (text.empty() ? "[" : ", ") + std::to_string(number);
  return "'" + name.str() + text + (text.empty() ? "'" : "]'");
}

void DeclarationCheck::checkConstraint(ConstraintOp op) {
  Operation *first = lookupDeclaration(op, op.getFirstAttr(), tables);
  Operation *second = lookupDeclaration(op, op.getSecondAttr(), tables);
  std::string a = regionText(op.getFirst(), op.getFirstColorAttr());
  std::string b = regionText(op.getSecond(), op.getSecondColorAttr());
  std::string declared = op.getIsDisjoint()
                             ? a + " and " + b + " are declared disjoint"
                             : a + " is declared a part of " + b;
  std::string assumed = op.getIsDisjoint() ? a + " and " + b + " are disjoint"
                                           : a + " is a part of " + b;
  Operation *roots[] = {rootOf(first, tables), rootOf(second, tables)};
  if (roots[0] != roots[1]) {
    if (op.getIsDisjoint())
      return;
    // Roots without fields have no memory, so they may stand for any data.
    auto hasMemory = [](Operation *root) {
      auto array = dyn_cast_or_null<RootOp>(root);
      return array && !array.getFieldNames().empty();
    };
    bool isWrong = hasMemory(roots[0]) && hasMemory(roots[1]);
    return tell(op, isWrong ? Holds::No : Holds::Unknown, declared,
                "they are of different roots, which share no element", assumed);
  }
  const Elements *inner = elements.elementsOf(first, op.getFirstColorAttr());
  const Elements *outer = elements.elementsOf(second, op.getSecondColorAttr());
  if (!inner || !outer || !elements.mayVisit(inner->size() + outer->size()))
    return tell(op, Holds::Unknown, declared, "", assumed);
  if (const int64_t *wrong = findDifferent(*inner, *outer, op.getIsDisjoint()))
    tell(op, Holds::No, declared,
         "element " + elements.elementText(first, *wrong) +
             (op.getIsDisjoint() ? " is in both" : " is only in the first"),
         assumed);
}

void DeclarationCheck::run() {
  isUsed.resize(module.forest.size());
  for (const auto &graph : module.graphs)
    findUsed(*graph);
  useConstrained();
  for (auto partition : mlir::ModuleOp(module.source).getOps<PartitionOp>())
    checkPartition(partition);
  for (auto constraint : mlir::ModuleOp(module.source).getOps<ConstraintOp>())
    checkConstraint(constraint);
}

void sluice::rdir::checkDeclarations(const ImportedModule &module,
                                     std::vector<Finding> &findings,
                                     std::vector<Assumption> &assumptions) {
  DeclarationCheck(module, findings, assumptions).run();
}
