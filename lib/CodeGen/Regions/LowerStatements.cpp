//===- LowerStatements.cpp - Compute nodes to statements ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One node, with its function, launch and arguments, becomes one statement.
//
//===----------------------------------------------------------------------===//

#include "LowerRegions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::codegen;

std::string codegen::nodeText(mlir::Operation *op) {
  StringRef name = rdir::sourceName(op);
  if (!name.empty())
    return ("'%" + name + "'").str();
  if (auto function = op->getAttrOfType<mlir::FlatSymbolRefAttr>("function"))
    return ("'@" + function.getValue() + "'").str();
  return ("this " + op->getName().stripDialect()).str();
}

std::string ProgramLowering::uniqueLabel(StringRef wanted) {
  std::string label = identifier(wanted);
  unsigned number = ++labels[label];
  while (number > 1 && labels.count(label + "_" + std::to_string(number)))
    number = ++labels[label];
  if (number == 1)
    return label;
  label += "_" + std::to_string(number);
  labels[label] = 1;
  return label;
}

void ProgramLowering::lowerFunction(mlir::Operation *op,
                                    mlir::FlatSymbolRefAttr function,
                                    RegionStatement &statement) {
  if (!function)
    refuseToRun(op, nodeText(op) +
                        " names no function, so the program can be checked but "
                        "not run; write '" +
                        op->getName().getStringRef() + " @name'");
  else
    statement.function = function.getValue();
  unsigned numResults = count_if(statement.arguments, isResult);
  if (numResults > 1)
    fail(op) << nodeText(op) << " writes " << numResults
             << " scalars, but a function returns one value; make the others "
                "fields of a root";
}

void ProgramLowering::lowerConstants(mlir::Operation *op,
                                     RegionStatement &statement) {
  auto constants = op->getAttrOfType<mlir::ArrayAttr>("constants");
  if (!constants)
    return;
  for (mlir::Attribute value : constants) {
    RegionArgument argument;
    if (auto name = mlir::dyn_cast<mlir::FlatSymbolRefAttr>(value)) {
      auto index = parameters.find(rdir::lookupDeclaration(op, name, tables));
      if (index == parameters.end()) {
        fail(op) << "'@" << name.getValue() << "' is no rdir.parameter";
        continue;
      }
      argument.kind = RegionArgument::Parameter;
      argument.parameter = index->second;
    } else if (auto iteration = mlir::dyn_cast<mlir::StringAttr>(value)) {
      argument.kind = RegionArgument::Iteration;
      argument.iteration =
          rdir::iterationDepth(rdir::loopOfIteration(op, iteration));
    } else {
      argument.kind = RegionArgument::Constant;
      argument.constant = bitsOf(value);
      argument.constantType =
          elementTypeOf(mlir::cast<mlir::TypedAttr>(value).getType());
    }
    statement.arguments.push_back(std::move(argument));
  }
}

static bool isEqualType(const RegionField &a, const RegionField &b) {
  return a.type == b.type && a.count == b.count;
}

/// Copies and fills overwrite.
void ProgramLowering::refuseReductions(mlir::Operation *op,
                                       const RegionStatement &statement) {
  if (any_of(statement.arguments, [](const RegionArgument &argument) {
        return argument.reduction != noIndex;
      }))
    fail(op) << nodeText(op)
             << " reduces, but copies and fills overwrite; let a task fold the "
                "values";
}

void ProgramLowering::lowerCopy(rdir::CopyOp op, RegionStatement &statement) {
  std::vector<RegionArgument> &arguments = statement.arguments;
  refuseReductions(op, statement);
  auto isRead = [](const RegionArgument &argument) {
    return argument.privilege == RegionPrivilege::Read;
  };
  if (arguments.size() != 2 || count_if(arguments, isRead) != 1) {
    fail(op) << nodeText(op)
             << " must read one region and write another, but has "
             << count_if(arguments, isRead) << " that it reads and "
             << arguments.size() - count_if(arguments, isRead)
             << " that it writes";
    return;
  }
  if (!isRead(arguments[0]))
    std::swap(arguments[0], arguments[1]);
  const RegionArgument &from = arguments[0], &to = arguments[1];
  const RegionRoot &source = program.roots[from.root];
  const RegionRoot &target = program.roots[to.root];
  if (from.fields.size() != to.fields.size()) {
    fail(op) << nodeText(op) << " copies " << from.fields.size()
             << " fields of '@" << source.name << "' to " << to.fields.size()
             << " of '@" << target.name << "'";
    return;
  }
  for (auto [i, j] : zip(from.fields, to.fields))
    if (!isEqualType(source.fields[i], target.fields[j]))
      fail(op) << nodeText(op) << " copies field '" << source.fields[i].name
               << "' of '@" << source.name << "' to field '"
               << target.fields[j].name << "' of '@" << target.name
               << "', whose type differs";
  checkCopiedElements(op, statement);
}

void ProgramLowering::lowerFill(rdir::FillOp op, RegionStatement &statement) {
  statement.fillValue = bitsOf(op.getValue());
  statement.fillType = elementTypeOf(op.getValue().getType());
  refuseReductions(op, statement);
  if (statement.arguments.size() != 1 ||
      statement.arguments[0].privilege == RegionPrivilege::Read) {
    fail(op) << nodeText(op) << " must write one region, but has "
             << statement.arguments.size() << " arguments";
  }
}

void ProgramLowering::lowerLoop(rdir::LoopOp op, RegionStatement &statement) {
  statement.count = {INT64_MAX, noIndex};
  if (mlir::Attribute count = op.getCountAttr())
    statement.count = extentOf(op, count);
  if (rdir::iterationName(op))
    statement.iteration = rdir::iterationDepth(op);
  statement.isUnless = op->hasAttr(rdir::unlessAttribute);
  if (op.getConditionAttr()) {
    statement.whileScalar = roots.lookup(
        rdir::lookupDeclaration(op, op.getConditionAttr(), tables));
    const RegionRoot &root = program.roots[statement.whileScalar];
    if (!root.isScalar || !isInteger(root.fields[0].type))
      fail(op) << "'@" << root.name
               << "' decides how often the loop runs, so it must be a variable "
                  "of an integer type";
  }
}

void ProgramLowering::lowerNested(const rdir::ImportedGraph &imported,
                                  rdir::NodeIndex index,
                                  RegionStatement &statement) {
  for (const auto &body : imported.nested)
    if (body->owner == index)
      statement.body = lowerBody(*body);
}

/// True if it is provable that no two regions of the node share elements.
static bool hasIndependentRegions(const rdir::Graph &graph,
                                  rdir::NodeIndex index) {
  struct Use {
    rdir::NodeIndex data;
    uint32_t port;
  };
  SmallVector<Use> uses;
  for (uint32_t edge : graph.in(index))
    if (graph.edge(edge).kind == rdir::EdgeKind::Read)
      uses.push_back({graph.edge(edge).from, graph.edge(edge).port});
  for (uint32_t edge : graph.out(index))
    if (graph.edge(edge).kind != rdir::EdgeKind::HappensBefore)
      uses.push_back({graph.edge(edge).to, graph.edge(edge).port});
  for (auto [i, a] : enumerate(uses))
    for (const Use &b : ArrayRef(uses).drop_front(i + 1))
      if (a.port != b.port && graph.mayAlias(a.data, b.data))
        return false;
  return true;
}

RegionStatement ProgramLowering::lowerNode(const rdir::ImportedGraph &imported,
                                           rdir::NodeIndex index) {
  using Kind = RegionStatement;
  mlir::Operation *op = imported.operations[index];
  RegionStatement statement(op->getLoc());
  auto node = cast<rdir::NodeOpInterface>(op);
  if (mlir::ArrayAttr over = node.getOverAttr())
    statement.domain = extentsOf(op, over);
  lowerArguments(node, statement);
  std::string label = op->getName().stripDialect().str();
  TypeSwitch<mlir::Operation *>(op)
      .Case<rdir::TaskOp, rdir::HostOp>([&](auto task) {
        statement.kind = isa<rdir::HostOp>(op) ? Kind::Host : Kind::Task;
        lowerFunction(op, task.getFunctionAttr(), statement);
        lowerConstants(op, statement);
        label = statement.function;
      })
      .Case([&](rdir::CopyOp copy) {
        statement.kind = Kind::Copy;
        lowerCopy(copy, statement);
      })
      .Case([&](rdir::FillOp fill) {
        statement.kind = Kind::Fill;
        lowerFill(fill, statement);
      })
      .Case([&](rdir::LoopOp loop) {
        statement.kind = Kind::Loop;
        lowerLoop(loop, statement);
        lowerNested(imported, index, statement);
      })
      .Case([&](rdir::MustEpochOp epoch) {
        statement.kind = Kind::MustEpoch;
        lowerNested(imported, index, statement);
      });
  statement.label = uniqueLabel(label);
  statement.hasIndependentRequirements =
      hasIndependentRegions(imported.graph, index);
  return statement;
}
