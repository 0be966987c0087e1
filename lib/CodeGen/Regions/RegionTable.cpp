//===- RegionTable.cpp - An rdir program as the runtime's table -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One function per structure of sluice-c/RegionProgram.h.
//
//===----------------------------------------------------------------------===//

#include "sluice/CodeGen/RegionTable.h"
#include "Source.h"
#include "sluice/Base/TableHead.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/bit.h"

#include <limits>

using namespace llvm;
using namespace sluice;
using namespace sluice::codegen;

static_assert(unsigned(ElementType::I8) == SLUICE_I8 &&
              unsigned(ElementType::I64) == SLUICE_I64 &&
              unsigned(ElementType::F32) == SLUICE_F32 &&
              unsigned(ElementType::F64) == SLUICE_F64);
static_assert(noIndex == SLUICE_NO_PARTITION &&
              noIndex == SLUICE_NO_PARAMETER && noIndex == SLUICE_NEXT_ELEMENT);
static_assert(unsigned(RightSide::Whole) == SLUICE_RIGHT_WHOLE &&
              unsigned(RightSide::Color) == SLUICE_RIGHT_COLOR);

namespace sluice::codegen {
class RegionTableBuilder {
public:
  RegionTableBuilder(const RegionModel &program, RegionTable &table)
      : program(program), table(table) {}
  void run();

private:
  template <typename T> MutableArrayRef<T> array(size_t size) {
    auto *memory = table.memory.Allocate<T>(size);
    std::uninitialized_value_construct_n(memory, size);
    return {memory, size};
  }
  const char *text(StringRef text) {
    MutableArrayRef<char> copy = array<char>(text.size() + 1);
    llvm::copy(text, copy.begin());
    return copy.data();
  }
  const int64_t *numbers(ArrayRef<int64_t> values) {
    MutableArrayRef<int64_t> copy = array<int64_t>(values.size());
    llvm::copy(values, copy.begin());
    return copy.data();
  }
  SluiceExtent extentOf(const Extent &extent);
  const SluiceExtent *extents(ArrayRef<Extent> values);
  void setShifts(ArrayRef<const RegionArgument *> arguments,
                 SluiceRegionStatement &to);
  /// `count` values of a type, one after another.
  const void *values(ValueBits value, ElementType type, unsigned count = 1);
  /// An address that is specific to this symbol.
  template <typename Pointer> void refer(Pointer &place, StringRef symbol) {
    table.symbols[&place] = symbol.str();
    char *&address = addresses[symbol];
    if (!address)
      address = array<char>(1).data();
    place = reinterpret_cast<Pointer>(address);
  }

  void setParameters();
  void setRoots();
  void setPartitions();
  void setPartition(const RegionPartition &from, SluiceRegionPartition &to);
  const SluiceExtent *mapOf(ArrayRef<ElementCoordinate> map);
  void setConstraints();
  SluiceRegionPart partOf(const RegionPart &part) const;
  ArrayRef<SluiceRegionStatement>
  statementsOf(ArrayRef<RegionStatement> statements);
  void setStatement(const RegionStatement &from, SluiceRegionStatement &to);
  void setFill(const RegionStatement &from, unsigned field,
               SluiceRegionStatement &to);
  void setLaunch(const RegionStatement &from, SluiceRegionStatement &to);
  void setArguments(const RegionStatement &from,
                    ArrayRef<RegionArgument> arguments,
                    SluiceRegionStatement &to);
  void setArgument(const RegionStatement &statement, const RegionArgument &from,
                   SluiceArgument &to);
  void setProjection(const RegionStatement &statement,
                     const RegionArgument &from, SluiceArgument &to);
  void setReduction(const RegionReduction &from, SluiceReduction &to);

  const RegionModel &program;
  RegionTable &table;
  /// By index in the program: the runtime's number of a partition.
  std::vector<uint32_t> numberOf;
  StringMap<char *> addresses;
  std::vector<SluiceRegionStep> steps;
  std::vector<const RegionPartition *> made;
  std::vector<RegionConstraint> constraints;
};
} // namespace sluice::codegen

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

SluiceExtent RegionTableBuilder::extentOf(const Extent &extent) {
  std::vector<int64_t> terms;
  for (const ExtentTerm &term : extent.terms)
    for (int64_t number :
         {term.factor,
          term.parameter == noIndex ? int64_t(-1) : int64_t(term.parameter),
          term.iteration == noIndex ? int64_t(-1) : int64_t(term.iteration)})
      terms.push_back(number);
  return {extent.parameter == noIndex ? extent.constant : 0, extent.parameter,
          uint32_t(extent.terms.size()), numbers(terms)};
}

const SluiceExtent *RegionTableBuilder::extents(ArrayRef<Extent> values) {
  MutableArrayRef<SluiceExtent> result = array<SluiceExtent>(values.size());
  for (auto [to, from] : zip(result, values))
    to = extentOf(from);
  return result.data();
}

const void *RegionTableBuilder::values(ValueBits value, ElementType type,
                                       unsigned count) {
  const unsigned size = sizeOf(type);
  MutableArrayRef<char> bytes = array<char>(size * count);
  for (unsigned i = 0; i != bytes.size(); ++i)
    bytes[i] = char(value >> 8 * (i % size));
  return bytes.data();
}

static double realOf(ValueBits value, ElementType type) {
  return type == ElementType::F64 ? bit_cast<double>(value)
                                  : bit_cast<float>(uint32_t(value));
}

/// Converts a value to another type, as C does.
static ValueBits convert(ValueBits value, ElementType from, ElementType to) {
  const int64_t number =
      isInteger(from) ? SignExtend64(value, 8 * sizeOf(from)) : 0;
  if (!isInteger(to)) {
    double real = isInteger(from) ? double(number) : realOf(value, from);
    return to == ElementType::F64 ? bitsOf(real)
           : isInteger(from)      ? bitsOf(float(number))
                                  : bitsOf(float(real));
  }
  if (isInteger(from))
    return number;
  APSInt result(64, /*isUnsigned=*/false);
  bool isExact;
  APFloat(realOf(value, from))
      .convertToInteger(result, APFloat::rmTowardZero, &isExact);
  return result.getZExtValue();
}

//===----------------------------------------------------------------------===//
// Declarations
//===----------------------------------------------------------------------===//

void RegionTableBuilder::setParameters() {
  auto result = array<SluiceRegionParameter>(program.parameters.size());
  for (auto [to, from, least] :
       zip(result, program.parameters, minValues(program))) {
    to.name = text(from.name);
    to.defaultText = text(literalOf(from.value, from.type));
    to.min = least;
    to.type = uint32_t(from.type);
    refer(to.variable, parameterVariable(from));
  }
  table.program->parameters = result.data();
  table.program->numParameters = result.size();
}

void RegionTableBuilder::setRoots() {
  auto result = array<SluiceRegionRoot>(program.roots.size());
  for (auto [to, from] : zip(result, program.roots)) {
    auto fields = array<SluiceField>(from.fields.size());
    for (auto [field, given] : zip(fields, from.fields))
      field = {text(given.name), SluiceElementType(given.type), given.count};
    to.name = text(from.name);
    to.rank = from.isScalar ? 1 : from.extents.size();
    to.extents = extents(from.isScalar ? std::vector<Extent>{{1, noIndex}}
                                       : from.extents);
    to.fields = fields.data();
    to.numFields = fields.size();
    if (from.isScalar)
      to.initial = values(from.initial, from.fields[0].type);
  }
  table.program->roots = result.data();
  table.program->numRoots = result.size();
}

static SluicePartitionKind kindOf(PartitionKind kind) {
  switch (kind) {
  case PartitionKind::Blocks:
    return SLUICE_PARTITION_BLOCKS;
  case PartitionKind::Halo:
    return SLUICE_PARTITION_HALOS;
  case PartitionKind::Coloring:
    return SLUICE_PARTITION_COLORING;
  case PartitionKind::ByField:
    return SLUICE_PARTITION_BY_FIELD;
  case PartitionKind::Image:
    return SLUICE_PARTITION_IMAGE;
  case PartitionKind::Preimage:
    return SLUICE_PARTITION_PREIMAGE;
  case PartitionKind::Union:
    return SLUICE_PARTITION_UNION;
  case PartitionKind::Intersection:
    return SLUICE_PARTITION_INTERSECTION;
  case PartitionKind::Difference:
    return SLUICE_PARTITION_DIFFERENCE;
  case PartitionKind::BlocksOfEach:
    return SLUICE_PARTITION_BLOCKS_OF_EACH;
  case PartitionKind::Cross:
    return SLUICE_PARTITION_CROSS;
  case PartitionKind::ByMap:
    return SLUICE_PARTITION_BY_MAP;
  case PartitionKind::MappedImage:
    return SLUICE_PARTITION_MAPPED_IMAGE;
  case PartitionKind::MappedPreimage:
    return SLUICE_PARTITION_MAPPED_PREIMAGE;
  case PartitionKind::ImageOfRanges:
    return SLUICE_PARTITION_IMAGE_OF_RANGES;
  case PartitionKind::PreimageOfRanges:
    return SLUICE_PARTITION_PREIMAGE_OF_RANGES;
  case PartitionKind::Abstract:
    break;
  }
  llvm_unreachable("abstract partitions are refused");
}

const SluiceExtent *RegionTableBuilder::mapOf(ArrayRef<ElementCoordinate> map) {
  std::vector<Extent> numbers;
  for (const ElementCoordinate &coordinate : map) {
    for (int64_t factor : coordinate.factors)
      numbers.push_back({factor});
    append_range(numbers, std::initializer_list<Extent>{coordinate.offset,
                                                        coordinate.divisor,
                                                        coordinate.modulus});
  }
  return map.empty() ? nullptr : extents(numbers);
}

void RegionTableBuilder::setPartition(const RegionPartition &from,
                                      SluiceRegionPartition &to) {
  auto number = [&](unsigned index) {
    return index == noIndex ? SLUICE_NO_PARTITION : numberOf[index];
  };
  to.name = text(from.name);
  to.kind = kindOf(from.kind);
  to.root = from.root;
  to.parent = number(from.parent);
  to.parentColor = from.parentColor;
  to.first = number(from.left);
  to.second = number(from.right);
  to.field = from.field;
  to.hasCorners = from.hasCorners;
  to.periodic = from.periodic;
  to.last = from.last;
  to.rightSide = uint32_t(from.rightSide);
  to.secondColor = from.rightColor;
  to.map = mapOf(from.map);
  to.numMap = from.map.size();
  to.rank = from.colors.size();
  if (from.kind == PartitionKind::Halo) {
    to.rank = from.width.size();
    to.width = numbers(from.width);
  } else {
    to.colors = extents(from.colors);
  }
  if (from.kind == PartitionKind::Coloring)
    refer(to.coloring, from.function);
  if (isPromiseNeeded(from)) {
    to.checkApart = from.isDisjoint;
    to.checkCovers = from.isComplete && knowsParent(from);
  }
}

/// Partitions get their numbers in the order in which they are made.
void RegionTableBuilder::setPartitions() {
  numberOf.assign(program.partitions.size(), SLUICE_NO_PARTITION);
  auto checks = constraintsBeforeGraphs(program);
  auto addConstraint = [&](const RegionConstraint &constraint) {
    steps.push_back({SLUICE_STEP_CONSTRAINT, uint32_t(constraints.size())});
    constraints.push_back(constraint);
  };
  auto make = [&](unsigned index) {
    const RegionPartition &partition = program.partitions[index];
    if (numberOf[index] == SLUICE_NO_PARTITION) {
      numberOf[index] = made.size();
      made.push_back(&partition);
    }
    steps.push_back({SLUICE_STEP_PARTITION, numberOf[index]});
    if (partition.isComplete && !knowsParent(partition))
      addConstraint(completeness(program, index));
  };
  for (auto [i, order] : enumerate(partitionsBeforeGraphs(program))) {
    const std::vector<unsigned> remade = i < program.graphs.size()
                                             ? remadePartitions(program, i)
                                             : std::vector<unsigned>();
    auto isRemade = [&](unsigned index) { return is_contained(remade, index); };
    auto concerns = [&](const RegionConstraint &constraint) {
      return isRemade(constraint.first.partition) ||
             isRemade(constraint.second.partition);
    };
    for (unsigned index : order)
      if (!isRemade(index))
        make(index);
    for (const RegionConstraint *constraint : checks[i])
      if (!concerns(*constraint))
        addConstraint(*constraint);
    auto isMade = [&](const RegionPart &part) {
      return part.partition == noIndex ||
             numberOf[part.partition] != SLUICE_NO_PARTITION;
    };
    auto makeAnew = [&] {
      for (unsigned index : remade)
        make(index);
      for (const RegionConstraint &constraint : program.constraints)
        if (concerns(constraint) && isMade(constraint.first) &&
            isMade(constraint.second))
          addConstraint(constraint);
    };
    makeAnew();
    if (i < program.graphs.size() && program.graphs[i].repeats) {
      steps.push_back({SLUICE_STEP_REPEAT, uint32_t(i)});
      makeAnew();
    }
    if (i < program.graphs.size())
      steps.push_back({SLUICE_STEP_GRAPH, uint32_t(i)});
  }
  auto result = array<SluiceRegionPartition>(made.size());
  for (auto [to, from] : zip(result, made))
    setPartition(*from, to);
  table.program->partitions = result.data();
  table.program->numPartitions = result.size();
}

SluiceRegionPart RegionTableBuilder::partOf(const RegionPart &part) const {
  return {part.root,
          part.partition == noIndex ? SLUICE_NO_PARTITION
                                    : numberOf[part.partition],
          part.color};
}

void RegionTableBuilder::setConstraints() {
  auto result = array<SluiceRegionConstraint>(constraints.size());
  for (auto [to, from] : zip(result, constraints))
    to = {from.isDisjoint, 0, partOf(from.first), partOf(from.second)};
  table.program->constraints = result.data();
  table.program->numConstraints = result.size();
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

void RegionTableBuilder::setProjection(const RegionStatement &statement,
                                       const RegionArgument &from,
                                       SluiceArgument &to) {
  if (from.partition == noIndex)
    return;
  if (from.color >= 0) {
    to.color = from.color;
    to.isFixed = !statement.domain.empty();
    return;
  }
  const RegionProjection &projection = from.projection;
  const size_t rank = statement.domain.size();
  to.mustBeApart = projection.needsCheck;
  switch (projection.kind) {
  case RegionProjection::Whole:
    to.wholePartition = 1;
    break;
  case RegionProjection::Identity:
    break;
  case RegionProjection::Function:
    refer(to.projection, projection.function);
    break;
  case RegionProjection::Affine: {
    std::vector<int64_t> matrix;
    for (auto [row, offset] : enumerate(projection.offset)) {
      append_range(matrix, ArrayRef(projection.matrix).slice(row * rank, rank));
      matrix.push_back(offset);
    }
    to.matrix = numbers(matrix);
    break;
  }
  }
}

void RegionTableBuilder::setReduction(const RegionReduction &from,
                                      SluiceReduction &to) {
  if (!from.foldFunction.empty()) {
    to.kind = SLUICE_REDUCE_CUSTOM;
    to.identity = values(from.identity, from.type);
    refer(to.fold, from.foldFunction);
    return;
  }
  to.kind = StringSwitch<SluiceReductionKind>(from.op)
                .Case("+", SLUICE_REDUCE_SUM)
                .Case("*", SLUICE_REDUCE_PRODUCT)
                .Case("min", SLUICE_REDUCE_MIN)
                .Case("max", SLUICE_REDUCE_MAX)
                .Case("and", SLUICE_REDUCE_AND)
                .Case("or", SLUICE_REDUCE_OR)
                .Default(SLUICE_REDUCE_XOR);
}

void RegionTableBuilder::setArgument(const RegionStatement &statement,
                                     const RegionArgument &from,
                                     SluiceArgument &to) {
  static constexpr SluicePrivilege privileges[] = {
      SLUICE_PRIVILEGE_READ, SLUICE_PRIVILEGE_READ_WRITE,
      SLUICE_PRIVILEGE_WRITE_DISCARD, SLUICE_PRIVILEGE_REDUCE};
  to.root = from.root;
  to.partition = from.partition == noIndex ? SLUICE_NO_PARTITION
                                           : numberOf[from.partition];
  setProjection(statement, from, to);
  to.privilege = privileges[unsigned(from.privilege)];
  if (from.privilege == RegionPrivilege::Reduce)
    setReduction(program.reductions[from.reduction], to.reduction);
  for (unsigned field : from.fields)
    to.fields |= uint64_t(1) << field;
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

void RegionTableBuilder::setArguments(const RegionStatement &from,
                                      ArrayRef<RegionArgument> arguments,
                                      SluiceRegionStatement &to) {
  std::vector<const RegionArgument *> views;
  for (const RegionArgument &argument : arguments)
    if (isView(argument))
      views.push_back(&argument);
  auto result = array<SluiceArgument>(views.size());
  for (auto [argument, view] : zip(result, views))
    setArgument(from, *view, argument);
  to.arguments = result.data();
  to.numArguments = result.size();
  setShifts(views, to);
}

void RegionTableBuilder::setShifts(ArrayRef<const RegionArgument *> arguments,
                                   SluiceRegionStatement &to) {
  std::vector<uint32_t> shifted;
  std::vector<Extent> shifts;
  for (auto [i, argument] : enumerate(arguments)) {
    const RegionProjection &projection = argument->projection;
    if (projection.shifts.empty())
      continue;
    shifted.push_back(i);
    for (auto [shift, modulus] : zip(projection.shifts, projection.moduli)) {
      shifts.push_back(shift);
      shifts.push_back(modulus);
    }
  }
  MutableArrayRef<uint32_t> copy = array<uint32_t>(shifted.size());
  llvm::copy(shifted, copy.begin());
  to.shifted = copy.data();
  to.numShifted = copy.size();
  to.shifts = extents(shifts);
  to.numShifts = shifts.size();
}

void RegionTableBuilder::setLaunch(const RegionStatement &from,
                                   SluiceRegionStatement &to) {
  to.name = text(from.label);
  to.rank = from.domain.size();
  to.extents = extents(from.domain);
}

/// The runtime fills one field at a time.
void RegionTableBuilder::setFill(const RegionStatement &from, unsigned field,
                                 SluiceRegionStatement &to) {
  setLaunch(from, to);
  to.kind = SLUICE_STATEMENT_FILL;
  RegionArgument argument = from.arguments[0];
  argument.fields = {field};
  setArguments(from, argument, to);
  const RegionField &info = program.roots[argument.root].fields[field];
  to.value = values(convert(from.fillValue, from.fillType, info.type),
                    info.type, info.count);
}

void RegionTableBuilder::setStatement(const RegionStatement &from,
                                      SluiceRegionStatement &to) {
  setLaunch(from, to);
  switch (from.kind) {
  case RegionStatement::Task:
  case RegionStatement::Host:
    to.kind = from.kind == RegionStatement::Task ? SLUICE_STATEMENT_TASK
                                                 : SLUICE_STATEMENT_HOST;
    table.tasks[&to] = &from;
    refer(to.body, from.function);
    return setArguments(from, from.arguments, to);
  case RegionStatement::Copy:
    to.kind = SLUICE_STATEMENT_COPY;
    return setArguments(from, from.arguments, to);
  case RegionStatement::Loop: {
    to.kind = from.isUnless ? SLUICE_STATEMENT_UNLESS : SLUICE_STATEMENT_LOOP;
    to.count = extentOf(from.count);
    to.iteration = from.iteration == noIndex ? 0 : from.iteration + 1;
    to.whileRoot =
        from.whileScalar == noIndex ? SLUICE_NO_PARTITION : from.whileScalar;
    ArrayRef<SluiceRegionStatement> body = statementsOf(from.body);
    to.statements = body.data();
    to.numStatements = body.size();
    return;
  }
  case RegionStatement::Fill:
  case RegionStatement::MustEpoch:
    break;
  }
  llvm_unreachable("these are no single statements");
}

/// Members of an epoch do not depend on each other: they may run at the same
/// time.
static void
flatten(ArrayRef<RegionStatement> statements,
        std::vector<std::pair<const RegionStatement *, unsigned>> &flat) {
  for (const RegionStatement &statement : statements) {
    if (statement.kind == RegionStatement::MustEpoch)
      flatten(statement.body, flat);
    else if (statement.kind == RegionStatement::Fill)
      for (unsigned field : statement.arguments[0].fields)
        flat.push_back({&statement, field});
    else
      flat.push_back({&statement, noIndex});
  }
}

ArrayRef<SluiceRegionStatement>
RegionTableBuilder::statementsOf(ArrayRef<RegionStatement> statements) {
  std::vector<std::pair<const RegionStatement *, unsigned>> flat;
  flatten(statements, flat);
  auto result = array<SluiceRegionStatement>(flat.size());
  for (auto [to, from] : zip(result, flat)) {
    to.whileRoot = SLUICE_NO_PARTITION;
    to.count.parameter = SLUICE_NO_PARAMETER;
    if (from.second == noIndex)
      setStatement(*from.first, to);
    else
      setFill(*from.first, from.second, to);
  }
  return result;
}

void RegionTableBuilder::run() {
  table.program = array<SluiceRegionProgram>(1).data();
  SluiceRegionProgram &to = *table.program;
  to.head = tableHead<SluiceRegionProgram>;
  to.name = text(program.name);
  setParameters();
  setRoots();
  setPartitions();
  setConstraints();
  auto graphs = array<SluiceRegionGraph>(program.graphs.size());
  for (auto [graph, from] : zip(graphs, program.graphs)) {
    ArrayRef<SluiceRegionStatement> statements = statementsOf(from.statements);
    graph = {text(from.name),  statements.data(),
             nullptr,          uint32_t(statements.size()),
             from.whileScalar, extentOf(from.repeats.value_or(Extent()))};
  }
  to.graphs = graphs.data();
  to.numGraphs = graphs.size();
  auto allSteps = array<SluiceRegionStep>(steps.size());
  llvm::copy(steps, allSteps.begin());
  to.steps = allSteps.data();
  to.numSteps = steps.size();
}

RegionTable::RegionTable(const RegionModel &program) {
  RegionTableBuilder(program, *this).run();
}

/// The table owns its arrays: only the runtime must not change them.
template <typename T>
static MutableArrayRef<T> mutableArray(const T *elements, uint32_t count) {
  return {const_cast<T *>(elements), count};
}

MutableArrayRef<SluiceRegionParameter> RegionTable::parameters() const {
  return mutableArray(program->parameters, program->numParameters);
}

MutableArrayRef<SluiceRegionPartition> RegionTable::partitions() const {
  return mutableArray(program->partitions, program->numPartitions);
}

void RegionTable::setOrders(unsigned graph,
                            ArrayRef<SluiceOrderCondition> conditions,
                            ArrayRef<uint32_t> firstPredecessor,
                            ArrayRef<uint32_t> predecessors) {
  auto *orders = memory.Allocate<SluiceRegionOrders>();
  *orders = {conditions.copy(memory).data(),
             firstPredecessor.copy(memory).data(),
             predecessors.copy(memory).data(), uint32_t(conditions.size()),
             uint32_t(firstPredecessor.size() - 1)};
  mutableArray(program->graphs, program->numGraphs)[graph].orders = orders;
}
