//===- LowerGraphs.cpp - Graphs to statements in serial order -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The proven order of nodes becomes a list of statements, each with those that
// it depends on.
//
//===----------------------------------------------------------------------===//

#include "LowerRegions.h"
#include "sluice/RDIR/FunctionNames.h"
#include "sluice/RDIR/InferVersions.h"
#include "sluice/RDIR/Order.h"
#include "sluice/RDIR/Unwritten.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::codegen;
using rdir::EdgeKind;

/// Reading what nobody wrote has no meaning; in bodies, a version without a
/// writer is that of the iteration's start.
void ProgramLowering::findUnwritten(const rdir::ImportedGraph &imported) {
  rdir::UnwrittenReads unwritten(imported.graph);
  for (rdir::NodeIndex i = 0; i != imported.graph.numNodes(); ++i) {
    auto read = unwritten.find(i);
    if (!read)
      continue;
    mlir::Operation *reader = imported.operations[read->reader];
    auto error = fail(reader);
    error << nodeText(reader) << (read->isOnlyOpened ? " opens " : " reads ")
          << imported.name(i);
    if (read->writer == rdir::noNode)
      error << ", which nobody writes";
    else
      error << ", of which " << imported.name(read->writer)
            << " writes some colors, and nobody the others";
    if (read->isOnlyOpened)
      error << "; nobody reads what it makes, but an open hands on values";
    error << "; mark "
          << (read->writer == rdir::noNode ? "the version"
                                           : imported.name(read->origin))
          << " as 'initial' if it has a value before the graph";
    error.attachNote(imported.operations[read->origin]->getLoc())
        << "the version is declared here";
  }
}

/// Edges may be written at either end; those at data nodes are kept here for
/// the compute nodes.
void ProgramLowering::collectDataEdges(mlir::Block &body) {
  for (mlir::Operation &op : body) {
    auto node = dyn_cast<rdir::NodeOpInterface>(op);
    if (!node || node.getKinds().empty() || rdir::isCompute(node.getNodeKind()))
      continue;
    unsigned numReductions = 0;
    for (auto [i, code] : enumerate(node.getKinds())) {
      NodeEdge edge{rdir::EdgeCode::decode(code).kind, &op, {}, {}};
      if (edge.kind == EdgeKind::Reduce && node.getReductionsAttr())
        edge.reduction = node.getReductionsAttr()[numReductions++];
      if (mlir::ArrayAttr projections = node.getProjectionsAttr())
        if (!mlir::isa<mlir::UnitAttr>(projections[i]))
          edge.projection = projections[i];
      if (node.getPortsAttr())
        edge.port = node.getPortsAttr()[i];
      if (mlir::Operation *other = node.getNodes()[i].getDefiningOp())
        dataEdges[other].push_back(edge);
    }
  }
}

void ProgramLowering::findDependences(
    const rdir::ImportedGraph &imported,
    std::vector<RegionStatement> &statements) {
  rdir::DirectDependences order = rdir::taskOrder(imported.graph);
  for (auto [i, statement] : enumerate(statements))
    statement.dependences.assign(
        order.predecessors.begin() + order.predecessorBegin[i],
        order.predecessors.begin() + order.predecessorBegin[i + 1]);
}

RegionGraph ProgramLowering::lowerGraph(const rdir::ImportedGraph &imported) {
  auto op = cast<rdir::GraphOp>(imported.op);
  RegionGraph graph{.name = op.getSymName().str(),
                    .statements = lowerBody(imported)};
  graph.location = op.getLoc();
  mlir::Attribute count = op->getAttr(rdir::repeatsAttribute);
  if (!count)
    return graph;
  if (!mlir::isa<mlir::IntegerAttr, mlir::FlatSymbolRefAttr>(count)) {
    fail(op) << "the graph repeats " << count
             << " times, expected a number or a parameter";
    return graph;
  }
  graph.repeats = extentOf(op, count);
  auto name = op->getAttrOfType<mlir::FlatSymbolRefAttr>(rdir::whileAttribute);
  if (!name)
    return graph;
  auto variable = dyn_cast_or_null<rdir::VariableOp>(
      rdir::lookupDeclaration(op, name, tables));
  if (!variable || !mlir::isa<mlir::IntegerType>(variable.getValue().getType()))
    fail(op) << "'@" << name.getValue()
             << "' decides how often the graph runs, so it must be a variable "
                "of an integer type";
  else
    graph.whileScalar = roots.lookup(variable);
  return graph;
}

std::vector<RegionStatement>
ProgramLowering::lowerBody(const rdir::ImportedGraph &imported) {
  collectDataEdges(imported.op->getRegion(0).front());
  // Checks remark on it.
  if (!options.isOnlyChecked)
    findUnwritten(imported);
  std::vector<RegionStatement> statements;
  for (rdir::NodeIndex node : rdir::serialOrder(imported.graph))
    if (rdir::isTaskLike(imported.graph.node(node).kind))
      statements.push_back(lowerNode(imported, node));
  if (options.hasDependences && isa<rdir::LoopOp>(imported.op))
    findDependences(imported, statements);
  return statements;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// The reason why a function of the user must not be called `name`; empty if it
/// may.
static std::string objectionTo(StringRef name, const RegionModel &program) {
  if (std::string objection = rdir::objectionTo(name); !objection.empty())
    return objection;
  if (name == headerGuard(program))
    return "is the macro that guards the header of the program; give the "
           "function another name";
  for (const RegionParameter &parameter : program.parameters)
    if (name == parameterVariable(parameter))
      return "is the variable of the parameter '@" + parameter.name +
             "'; give the function another name";
  return "";
}

namespace {
/// The use of a function, and the declaration for this use.
struct FunctionUse {
  std::string role;
  CDeclaration signature;
  mlir::Location location;
};
} // namespace

/// One C function has one declaration.
void ProgramLowering::checkFunctions() {
  StringMap<FunctionUse> uses;
  auto use = [&](StringRef name, StringRef role, CDeclaration signature,
                 mlir::Location location) {
    if (std::string objection = objectionTo(name, program);
        !objection.empty()) {
      hasFailed = true;
      mlir::emitError(location) << "'" << name << "' " << objection;
      return;
    }
    auto [entry, isNew] =
        uses.try_emplace(name, FunctionUse{role.str(), signature, location});
    if (isNew || haveEqualTypes(entry->second.signature, signature))
      return;
    hasFailed = true;
    std::string wanted, other;
    raw_string_ostream wantedOut(wanted), otherOut(other);
    writeDeclaration(wantedOut, name, signature);
    writeDeclaration(otherOut, name, entry->second.signature);
    auto error = mlir::emitError(location);
    error << "this " << role << " needs the function '" << name << "' as\n"
          << wanted << "\nbut it is used with other parameters as well; give "
          << "one of them another name";
    error.attachNote(entry->second.location)
        << "this " << entry->second.role << " needs it as\n"
        << other;
  };
  for (const RegionReduction &reduction : program.reductions)
    if (!reduction.foldFunction.empty()) {
      std::string type = cTypeName(reduction.type).str();
      use(reduction.foldFunction, "reduction operator",
          {"void",
           {{type + " *@", "into"}, {"const " + type + " *@", "value"}}},
          *reduction.location);
    }
  for (const RegionPartition &partition : program.partitions)
    if (partition.kind == PartitionKind::Coloring)
      use(partition.function, "coloring",
          {"void",
           {{"const int64_t *@", "color"}, {"SluiceColoring *@", "elements"}}},
          *partition.location);
  forEachStatement(program, [&](const RegionStatement &statement) {
    for (const RegionArgument &argument : statement.arguments)
      if (argument.projection.kind == RegionProjection::Function)
        use(argument.projection.function, "projection",
            {"int64_t", {{"const SluiceTask *@", "task"}}}, statement.location);
    if ((statement.kind == RegionStatement::Task ||
         statement.kind == RegionStatement::Host) &&
        !statement.function.empty())
      use(statement.function,
          statement.kind == RegionStatement::Task ? "task" : "host statement",
          signatureOf(program, statement), statement.location);
  });
}

//===----------------------------------------------------------------------===//
// The program
//===----------------------------------------------------------------------===//

static std::string nameOf(mlir::ModuleOp module) {
  if (std::optional<StringRef> name = module.getName())
    return name->str();
  std::string name = "program";
  module.getLoc()->walk([&](mlir::Location inner) {
    auto place = mlir::dyn_cast<mlir::FileLineColLoc>(inner);
    if (!place)
      return mlir::WalkResult::advance();
    StringRef stem = sys::path::stem(place.getFilename().getValue());
    if (!stem.empty() && stem != "-")
      name = stem;
    return mlir::WalkResult::interrupt();
  });
  return name;
}

mlir::FailureOr<RegionModel> ProgramLowering::run() {
  if (mlir::failed(rdir::inferVersions(module)))
    return mlir::failure();
  program.name = nameOf(module);
  lowerDeclarations();
  if (hasFailed)
    return mlir::failure();
  std::unique_ptr<rdir::ImportedModule> imported = rdir::importModule(module);
  for (const auto &graph : imported->graphs)
    program.graphs.push_back(lowerGraph(*graph));
  if (!hasFailed)
    checkFunctions();
  if (hasFailed)
    return mlir::failure();
  reportStaleParts(program);
  return std::move(program);
}

mlir::FailureOr<RegionModel>
codegen::lowerRegionProgram(mlir::ModuleOp module,
                            const LoweringOptions &options) {
  return ProgramLowering(module, options).run();
}
