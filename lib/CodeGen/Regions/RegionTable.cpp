//===- RegionTable.cpp - An rdir program as the runtime's table -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Statements and their arguments; declarations are in TableDeclarations.cpp.
//
//===----------------------------------------------------------------------===//

#include "RegionTableBuilder.h"
#include "Source.h"
#include "sluice/Base/TableHead.h"
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
