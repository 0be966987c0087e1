//===- EmitTable.cpp - The table of a region program as constant data -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One function per structure of sluice-c/RegionProgram.h.
//
//===----------------------------------------------------------------------===//

#include "../ConstantTables.h"
#include "TableCallers.h"
#include "sluice/CodeGen/RegionTable.h"
#include "llvm/ADT/STLExtras.h"

#include <cstddef>

using namespace llvm;
using namespace sluice;
using namespace sluice::codegen;

namespace {
class TableEmitter {
public:
  TableEmitter(const RegionProgram &source, const RegionTable &table,
               Module &module)
      : source(source), table(table), module(module), tables(module),
        callers(source, module) {}
  void run();

private:
  template <typename T>
  Constant *array(const T *elements, uint32_t count,
                  Constant *(TableEmitter::*emit)(const T &)) {
    SmallVector<Constant *> constants;
    for (const T &element : ArrayRef(elements, elements ? count : 0))
      constants.push_back((this->*emit)(element));
    return tables.array(constants);
  }
  Constant *bytes(const void *values, size_t size);
  Constant *numbers(const int64_t *values, size_t count) {
    return values ? tables.numbers(ArrayRef(values, count)) : tables.null();
  }
  Constant *text(const char *text) { return tables.string(text); }
  std::string symbolAt(const void *place) {
    return table.symbols.lookup(place);
  }

  void emitVariables();
  Constant *extent(const SluiceExtent &from);
  Constant *parameter(const SluiceRegionParameter &from);
  Constant *field(const SluiceField &from);
  Constant *root(const SluiceRegionRoot &from);
  Constant *partition(const SluiceRegionPartition &from);
  Constant *part(const SluiceRegionPart &from);
  Constant *constraint(const SluiceRegionConstraint &from);
  Constant *reduction(const SluiceReduction &from, uint64_t fields,
                      uint32_t root);
  Constant *argument(const SluiceArgument &from);
  Constant *statement(const SluiceRegionStatement &from);
  Constant *condition(const SluiceOrderCondition &from);
  Constant *orders(const SluiceRegionOrders *from);
  Constant *graph(const SluiceRegionGraph &from);
  Constant *step(const SluiceRegionStep &from);
  Constant *program(const SluiceRegionProgram &from);
  void emitMain(GlobalVariable *program);

  const RegionProgram &source;
  const RegionTable &table;
  Module &module;
  Tables tables;
  TableCallers callers;
  /// Of the launch whose arguments are emitted.
  uint32_t rank = 0;
};
} // namespace

/// Aligned for every type of a field.
Constant *TableEmitter::bytes(const void *values, size_t size) {
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

Constant *TableEmitter::extent(const SluiceExtent &from) {
  using T = SluiceExtent;
  return tables.record(sizeof(T),
                       {{offsetof(T, constant), tables.i64(from.constant)},
                        {offsetof(T, parameter), tables.i32(from.parameter)},
                        {offsetof(T, reserved), tables.i32(from.reserved)}});
}

Constant *TableEmitter::parameter(const SluiceRegionParameter &from) {
  using T = SluiceRegionParameter;
  return tables.record(sizeof(T),
                       {{offsetof(T, name), text(from.name)},
                        {offsetof(T, defaultText), text(from.defaultText)},
                        {offsetof(T, variable),
                         module.getGlobalVariable(symbolAt(&from.variable))},
                        {offsetof(T, min), tables.i64(from.min)},
                        {offsetof(T, type), tables.i32(from.type)},
                        {offsetof(T, reserved), tables.i32(from.reserved)}});
}

Constant *TableEmitter::field(const SluiceField &from) {
  using T = SluiceField;
  return tables.record(sizeof(T),
                       {{offsetof(T, name), text(from.name)},
                        {offsetof(T, type), tables.i32(from.type)},
                        {offsetof(T, count), tables.i32(from.count)}});
}

Constant *TableEmitter::root(const SluiceRegionRoot &from) {
  using T = SluiceRegionRoot;
  const SluiceField &first = from.fields[0];
  const size_t size = sizeOf(ElementType(first.type)) * first.count;
  return tables.record(
      sizeof(T), {{offsetof(T, name), text(from.name)},
                  {offsetof(T, extents),
                   array(from.extents, from.rank, &TableEmitter::extent)},
                  {offsetof(T, fields),
                   array(from.fields, from.numFields, &TableEmitter::field)},
                  {offsetof(T, initial), bytes(from.initial, size)},
                  {offsetof(T, rank), tables.i32(from.rank)},
                  {offsetof(T, numFields), tables.i32(from.numFields)}});
}

Constant *TableEmitter::partition(const SluiceRegionPartition &from) {
  using T = SluiceRegionPartition;
  std::string coloring = symbolAt(&from.coloring);
  return tables.record(
      sizeof(T),
      {{offsetof(T, name), text(from.name)},
       {offsetof(T, kind), tables.i32(from.kind)},
       {offsetof(T, root), tables.i32(from.root)},
       {offsetof(T, parent), tables.i32(from.parent)},
       {offsetof(T, rank), tables.i32(from.rank)},
       {offsetof(T, parentColor), tables.i64(from.parentColor)},
       {offsetof(T, colors),
        array(from.colors, from.rank, &TableEmitter::extent)},
       {offsetof(T, width), numbers(from.width, from.rank)},
       {offsetof(T, coloring),
        coloring.empty() ? tables.null() : callers.coloring(coloring)},
       {offsetof(T, first), tables.i32(from.first)},
       {offsetof(T, second), tables.i32(from.second)},
       {offsetof(T, field), tables.i32(from.field)},
       {offsetof(T, hasCorners), tables.i32(from.hasCorners)},
       {offsetof(T, checkApart), tables.i32(from.checkApart)},
       {offsetof(T, checkCovers), tables.i32(from.checkCovers)}});
}

Constant *TableEmitter::part(const SluiceRegionPart &from) {
  using T = SluiceRegionPart;
  return tables.record(sizeof(T),
                       {{offsetof(T, root), tables.i32(from.root)},
                        {offsetof(T, partition), tables.i32(from.partition)},
                        {offsetof(T, color), tables.i64(from.color)}});
}

Constant *TableEmitter::constraint(const SluiceRegionConstraint &from) {
  using T = SluiceRegionConstraint;
  return tables.record(sizeof(T),
                       {{offsetof(T, isDisjoint), tables.i32(from.isDisjoint)},
                        {offsetof(T, reserved), tables.i32(from.reserved)},
                        {offsetof(T, first), part(from.first)},
                        {offsetof(T, second), part(from.second)}});
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

Constant *TableEmitter::reduction(const SluiceReduction &from, uint64_t fields,
                                  uint32_t root) {
  using T = SluiceReduction;
  const ElementType type = source.roots[root].fields[countr_zero(fields)].type;
  std::string fold = symbolAt(&from.fold);
  return tables.record(
      sizeof(T), {{offsetof(T, kind), tables.i32(from.kind)},
                  {offsetof(T, identity), bytes(from.identity, sizeOf(type))},
                  {offsetof(T, fold),
                   fold.empty() ? tables.null() : callers.folderOf(fold)}});
}

Constant *TableEmitter::argument(const SluiceArgument &from) {
  using T = SluiceArgument;
  std::string projection = symbolAt(&from.projection);
  const size_t numRows =
      from.matrix ? table.program->partitions[from.partition].rank : 0;
  return tables.record(
      sizeof(T),
      {{offsetof(T, root), tables.i32(from.root)},
       {offsetof(T, partition), tables.i32(from.partition)},
       {offsetof(T, color), tables.i64(from.color)},
       {offsetof(T, projection),
        projection.empty() ? tables.null() : callers.projection(projection)},
       {offsetof(T, matrix), numbers(from.matrix, numRows * (rank + 1))},
       {offsetof(T, isFixed), tables.i32(from.isFixed)},
       {offsetof(T, wholePartition), tables.i32(from.wholePartition)},
       {offsetof(T, privilege), tables.i32(from.privilege)},
       {offsetof(T, mustBeApart), tables.i32(from.mustBeApart)},
       {offsetof(T, reduction),
        reduction(from.reduction, from.fields, from.root)},
       {offsetof(T, fields), tables.i64(from.fields)}});
}

Constant *TableEmitter::statement(const SluiceRegionStatement &from) {
  using T = SluiceRegionStatement;
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
  Constant *arguments =
      array(from.arguments, from.numArguments, &TableEmitter::argument);
  return tables.record(
      sizeof(T),
      {{offsetof(T, name), text(from.name)},
       {offsetof(T, kind), tables.i32(from.kind)},
       {offsetof(T, rank), tables.i32(from.rank)},
       {offsetof(T, extents),
        array(from.extents, from.rank, &TableEmitter::extent)},
       {offsetof(T, arguments), arguments},
       {offsetof(T, body), task ? callers.callerOf(*task) : tables.null()},
       {offsetof(T, closure), tables.null()},
       {offsetof(T, value), bytes(from.value, valueSize)},
       {offsetof(T, count), extent(from.count)},
       {offsetof(T, statements),
        array(from.statements, from.numStatements, &TableEmitter::statement)},
       {offsetof(T, numArguments), tables.i32(from.numArguments)},
       {offsetof(T, numStatements), tables.i32(from.numStatements)},
       {offsetof(T, whileRoot), tables.i32(from.whileRoot)},
       {offsetof(T, reserved), tables.i32(from.reserved)}});
}

Constant *TableEmitter::condition(const SluiceOrderCondition &from) {
  using T = SluiceOrderCondition;
  return tables.record(sizeof(T),
                       {{offsetof(T, parameter), tables.i32(from.parameter)},
                        {offsetof(T, kind), tables.i32(from.kind)},
                        {offsetof(T, value), tables.i64(from.value)}});
}

Constant *TableEmitter::orders(const SluiceRegionOrders *from) {
  using T = SluiceRegionOrders;
  if (!from)
    return tables.null();
  auto words = [&](const uint32_t *values, size_t count) {
    return count ? tables.place(ConstantDataArray::get(module.getContext(),
                                                       ArrayRef(values, count)))
                 : tables.null();
  };
  return tables.place(tables.record(
      sizeof(T),
      {{offsetof(T, conditions),
        array(from->conditions, from->numConditions, &TableEmitter::condition)},
       {offsetof(T, firstPredecessor),
        words(from->firstPredecessor, from->numTasks + 1)},
       {offsetof(T, predecessors),
        words(from->predecessors, from->firstPredecessor[from->numTasks])},
       {offsetof(T, numConditions), tables.i32(from->numConditions)},
       {offsetof(T, numTasks), tables.i32(from->numTasks)}}));
}

Constant *TableEmitter::graph(const SluiceRegionGraph &from) {
  using T = SluiceRegionGraph;
  return tables.record(
      sizeof(T),
      {{offsetof(T, name), text(from.name)},
       {offsetof(T, statements),
        array(from.statements, from.numStatements, &TableEmitter::statement)},
       {offsetof(T, orders), orders(from.orders)},
       {offsetof(T, numStatements), tables.i32(from.numStatements)},
       {offsetof(T, reserved), tables.i32(from.reserved)}});
}

Constant *TableEmitter::step(const SluiceRegionStep &from) {
  using T = SluiceRegionStep;
  return tables.record(sizeof(T),
                       {{offsetof(T, kind), tables.i32(from.kind)},
                        {offsetof(T, index), tables.i32(from.index)}});
}

//===----------------------------------------------------------------------===//
// The program
//===----------------------------------------------------------------------===//

Constant *TableEmitter::program(const SluiceRegionProgram &from) {
  using T = SluiceRegionProgram;
  return tables.record(
      sizeof(T),
      {{offsetof(T, magic), tables.i64(from.magic)},
       {offsetof(T, version), tables.i32(from.version)},
       {offsetof(T, programSize), tables.i32(from.programSize)},
       {offsetof(T, statementSize), tables.i32(from.statementSize)},
       {offsetof(T, argumentSize), tables.i32(from.argumentSize)},
       {offsetof(T, name), text(from.name)},
       {offsetof(T, parameters),
        array(from.parameters, from.numParameters, &TableEmitter::parameter)},
       {offsetof(T, roots),
        array(from.roots, from.numRoots, &TableEmitter::root)},
       {offsetof(T, partitions),
        array(from.partitions, from.numPartitions, &TableEmitter::partition)},
       {offsetof(T, constraints), array(from.constraints, from.numConstraints,
                                        &TableEmitter::constraint)},
       {offsetof(T, graphs),
        array(from.graphs, from.numGraphs, &TableEmitter::graph)},
       {offsetof(T, steps),
        array(from.steps, from.numSteps, &TableEmitter::step)},
       {offsetof(T, numParameters), tables.i32(from.numParameters)},
       {offsetof(T, numRoots), tables.i32(from.numRoots)},
       {offsetof(T, numPartitions), tables.i32(from.numPartitions)},
       {offsetof(T, numConstraints), tables.i32(from.numConstraints)},
       {offsetof(T, numGraphs), tables.i32(from.numGraphs)},
       {offsetof(T, numSteps), tables.i32(from.numSteps)}});
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
  emitMain(tables.place(program(*table.program), "sluice.region.program"));
}

void codegen::emitRegionTable(const RegionProgram &program,
                              const RegionTable &table, Module &module) {
  TableEmitter(program, table, module).run();
}
