//===- EmitTable.cpp - The table of a region program as constant data -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One function per structure of sluice-c/RegionProgram.h.
//
//===----------------------------------------------------------------------===//

#include "../Tables/ConstantTables.h"
#include "TableCallers.h"
#include "sluice/CodeGen/RegionTable.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::codegen;

namespace {
class TableEmitter {
public:
  TableEmitter(const RegionModel &source, const RegionTable &table,
               Module &module)
      : source(source), table(table), module(module), tables(module),
        callers(source, module, tables) {}
  void run();

private:
  template <typename T>
  Address array(const T *elements, uint32_t count,
                T (TableEmitter::*emit)(const T &)) {
    std::vector<T> emitted;
    for (const T &element : ArrayRef(elements, elements ? count : 0))
      emitted.push_back((this->*emit)(element));
    return tables.array(emitted);
  }
  Address bytes(const void *values, size_t size);
  Address numbers(const int64_t *values, size_t count) {
    return values ? tables.numbers(ArrayRef(values, count))
                  : Address(tables.null());
  }
  Address text(const char *text) { return tables.string(text); }
  std::string symbolAt(const void *place) {
    return table.symbols.lookup(place);
  }

  void emitVariables();
  SluiceExtent extent(const SluiceExtent &from);
  SluiceRegionParameter parameter(const SluiceRegionParameter &from);
  SluiceField field(const SluiceField &from);
  SluiceRegionRoot root(const SluiceRegionRoot &from);
  SluiceRegionPartition partition(const SluiceRegionPartition &from);
  SluiceRegionPart part(const SluiceRegionPart &from);
  SluiceRegionConstraint constraint(const SluiceRegionConstraint &from);
  SluiceReduction reduction(const SluiceReduction &from, uint64_t fields,
                            uint32_t root);
  uint32_t colorRank(uint32_t partition) const;
  SluiceArgument argument(const SluiceArgument &from);
  SluiceRegionStatement statement(const SluiceRegionStatement &from);
  SluiceOrderCondition condition(const SluiceOrderCondition &from);
  Address orders(const SluiceRegionOrders *from);
  SluiceRegionGraph graph(const SluiceRegionGraph &from);
  SluiceRegionStep step(const SluiceRegionStep &from);
  SluiceRegionProgram program(const SluiceRegionProgram &from);
  void emitMain(GlobalVariable *program);

  const RegionModel &source;
  const RegionTable &table;
  Module &module;
  Tables tables;
  TableCallers callers;
  /// The rank of the launch whose arguments are emitted.
  uint32_t rank = 0;
};
} // namespace

/// Aligned for every type of a field.
Address TableEmitter::bytes(const void *values, size_t size) {
  if (!values)
    return tables.null();
  GlobalVariable *global = tables.place(ConstantDataArray::getRaw(
      StringRef(static_cast<const char *>(values), size), size,
      Type::getInt8Ty(module.getContext())));
  global->setAlignment(Align(8));
  return global;
}

//===----------------------------------------------------------------------===//
// Declarations
//===----------------------------------------------------------------------===//

void TableEmitter::emitVariables() {
  for (const RegionParameter &parameter : source.parameters)
    new GlobalVariable(
        module, typeOf(parameter.type, module.getContext()),
        /*isConstant=*/false, GlobalValue::ExternalLinkage,
        constantOf(parameter.value, parameter.type, module.getContext()),
        parameterVariable(parameter));
}

SluiceExtent TableEmitter::extent(const SluiceExtent &from) {
  return {.constant = from.constant,
          .parameter = from.parameter,
          .numTerms = from.numTerms,
          .terms = numbers(from.numTerms ? from.terms : nullptr,
                           3 * size_t(from.numTerms))};
}

SluiceRegionParameter
TableEmitter::parameter(const SluiceRegionParameter &from) {
  return {.name = text(from.name),
          .defaultText = text(from.defaultText),
          .variable =
              Address(module.getGlobalVariable(symbolAt(&from.variable))),
          .min = from.min,
          .type = from.type,
          .reserved = from.reserved};
}

SluiceField TableEmitter::field(const SluiceField &from) {
  return {.name = text(from.name), .type = from.type, .count = from.count};
}

SluiceRegionRoot TableEmitter::root(const SluiceRegionRoot &from) {
  const SluiceField &first = from.fields[0];
  const size_t size = sizeOf(ElementType(first.type)) * first.count;
  return {.name = text(from.name),
          .extents = array(from.extents, from.rank, &TableEmitter::extent),
          .fields = array(from.fields, from.numFields, &TableEmitter::field),
          .initial = bytes(from.initial, size),
          .rank = from.rank,
          .numFields = from.numFields};
}

SluiceRegionPartition
TableEmitter::partition(const SluiceRegionPartition &from) {
  std::string coloring = symbolAt(&from.coloring);
  return {.name = text(from.name),
          .kind = from.kind,
          .root = from.root,
          .parent = from.parent,
          .rank = from.rank,
          .parentColor = from.parentColor,
          .colors = array(from.colors, from.rank, &TableEmitter::extent),
          .width = numbers(from.width, from.rank),
          .coloring = Address(coloring.empty() ? tables.null()
                                               : callers.coloring(coloring)),
          .first = from.first,
          .second = from.second,
          .field = from.field,
          .hasCorners = from.hasCorners,
          .checkApart = from.checkApart,
          .checkCovers = from.checkCovers,
          .map = array(from.map, SLUICE_NUMBERS_OF_COORDINATE * from.numMap,
                       &TableEmitter::extent),
          .numMap = from.numMap,
          .last = from.last,
          .periodic = from.periodic,
          .rightSide = from.rightSide,
          .secondColor = from.secondColor};
}

SluiceRegionPart TableEmitter::part(const SluiceRegionPart &from) {
  return {.root = from.root, .partition = from.partition, .color = from.color};
}

SluiceRegionConstraint
TableEmitter::constraint(const SluiceRegionConstraint &from) {
  return {.isDisjoint = from.isDisjoint,
          .reserved = from.reserved,
          .first = part(from.first),
          .second = part(from.second)};
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

SluiceReduction TableEmitter::reduction(const SluiceReduction &from,
                                        uint64_t fields, uint32_t root) {
  const ElementType type = source.roots[root].fields[countr_zero(fields)].type;
  std::string fold = symbolAt(&from.fold);
  return {.kind = from.kind,
          .identity = bytes(from.identity, sizeOf(type)),
          .fold =
              Address(fold.empty() ? tables.null() : callers.folderOf(fold))};
}

/// Halos have the colors of what they extend.
uint32_t TableEmitter::colorRank(uint32_t partition) const {
  const SluiceRegionPartition *info = &table.program->partitions[partition];
  while (info->kind == SLUICE_PARTITION_HALOS)
    info = &table.program->partitions[info->first];
  return info->rank;
}

SluiceArgument TableEmitter::argument(const SluiceArgument &from) {
  std::string projection = symbolAt(&from.projection);
  const size_t numRows = from.matrix ? colorRank(from.partition) : 0;
  return {.root = from.root,
          .partition = from.partition,
          .color = from.color,
          .projection =
              Address(projection.empty() ? tables.null()
                                         : callers.projection(projection)),
          .matrix = numbers(from.matrix, numRows * (rank + 1)),
          .moduli = Address(tables.null()),
          .isFixed = from.isFixed,
          .wholePartition = from.wholePartition,
          .privilege = from.privilege,
          .mustBeApart = from.mustBeApart,
          .reduction = reduction(from.reduction, from.fields, from.root),
          .fields = from.fields};
}

SluiceRegionStatement
TableEmitter::statement(const SluiceRegionStatement &from) {
  const RegionStatement *task =
      table.tasks.lookup(const_cast<SluiceRegionStatement *>(&from));
  size_t valueSize = 0;
  if (from.value) {
    const SluiceArgument &to = from.arguments[0];
    const RegionField &field =
        source.roots[to.root].fields[countr_zero(to.fields)];
    valueSize = sizeOf(field.type) * field.count;
  }
  rank = from.rank;
  Address arguments =
      array(from.arguments, from.numArguments, &TableEmitter::argument);
  return {.name = text(from.name),
          .kind = from.kind,
          .rank = from.rank,
          .extents = array(from.extents, from.rank, &TableEmitter::extent),
          .arguments = arguments,
          .body = Address(task ? callers.callerOf(*task) : tables.null()),
          .closure = nullptr,
          .value = bytes(from.value, valueSize),
          .count = extent(from.count),
          .statements = array(from.statements, from.numStatements,
                              &TableEmitter::statement),
          .shifted = tables.indices(ArrayRef(from.shifted, from.numShifted)),
          .shifts = array(from.shifts, from.numShifts, &TableEmitter::extent),
          .numArguments = from.numArguments,
          .numStatements = from.numStatements,
          .whileRoot = from.whileRoot,
          .numShifted = from.numShifted,
          .iteration = from.iteration,
          .numShifts = from.numShifts};
}

SluiceOrderCondition TableEmitter::condition(const SluiceOrderCondition &from) {
  return {.parameter = from.parameter, .kind = from.kind, .value = from.value};
}

Address TableEmitter::orders(const SluiceRegionOrders *from) {
  if (!from)
    return tables.null();
  auto words = [&](const uint32_t *values, size_t count) -> Address {
    if (count == 0)
      return tables.null();
    return tables.place(
        ConstantDataArray::get(module.getContext(), ArrayRef(values, count)));
  };
  return tables.place(tables.structure(SluiceRegionOrders{
      .conditions = array(from->conditions, from->numConditions,
                          &TableEmitter::condition),
      .firstPredecessor = words(from->firstPredecessor, from->numTasks + 1),
      .predecessors =
          words(from->predecessors, from->firstPredecessor[from->numTasks]),
      .numConditions = from->numConditions,
      .numTasks = from->numTasks}));
}

SluiceRegionGraph TableEmitter::graph(const SluiceRegionGraph &from) {
  return {.name = text(from.name),
          .statements = array(from.statements, from.numStatements,
                              &TableEmitter::statement),
          .orders = orders(from.orders),
          .numStatements = from.numStatements,
          .whileRoot = from.whileRoot,
          .repeats = extent(from.repeats)};
}

SluiceRegionStep TableEmitter::step(const SluiceRegionStep &from) {
  return {.kind = from.kind, .index = from.index};
}

//===----------------------------------------------------------------------===//
// The program
//===----------------------------------------------------------------------===//

SluiceRegionProgram TableEmitter::program(const SluiceRegionProgram &from) {
  return {.head = tables.head<SluiceRegionProgram>(),
          .name = text(from.name),
          .parameters = array(from.parameters, from.numParameters,
                              &TableEmitter::parameter),
          .roots = array(from.roots, from.numRoots, &TableEmitter::root),
          .partitions = array(from.partitions, from.numPartitions,
                              &TableEmitter::partition),
          .constraints = array(from.constraints, from.numConstraints,
                               &TableEmitter::constraint),
          .graphs = array(from.graphs, from.numGraphs, &TableEmitter::graph),
          .steps = array(from.steps, from.numSteps, &TableEmitter::step),
          .numParameters = from.numParameters,
          .numRoots = from.numRoots,
          .numPartitions = from.numPartitions,
          .numConstraints = from.numConstraints,
          .numGraphs = from.numGraphs,
          .numSteps = from.numSteps,
          .isChecked = from.isChecked,
          .reserved = 0};
}

void TableEmitter::emitMain(GlobalVariable *program) {
  IRBuilder<> builder(module.getContext());
  Type *number = builder.getInt32Ty(), *pointer = builder.getPtrTy();
  auto *main = Function::Create(
      FunctionType::get(number, {number, pointer}, /*isVarArg=*/false),
      GlobalValue::ExternalLinkage, "main", module);
  main->setUWTableKind(UWTableKind::Default);
  builder.SetInsertPoint(
      BasicBlock::Create(module.getContext(), "entry", main));
  FunctionCallee run = module.getOrInsertFunction(
      "sluiceRunRegions", FunctionType::get(number, {pointer, number, pointer},
                                            /*isVarArg=*/false));
  builder.CreateRet(
      builder.CreateCall(run, {program, main->getArg(0), main->getArg(1)}));
}

void TableEmitter::run() {
  emitVariables();
  emitMain(tables.place(tables.structure(program(*table.program)),
                        "sluice.region.program"));
}

void codegen::emitRegionTable(const RegionModel &program,
                              const RegionTable &table, Module &module) {
  TableEmitter(program, table, module).run();
}
