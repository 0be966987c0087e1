//===- StarPUGraphs.cpp - Functions that submit a graph's tasks -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// StarPU finds dependences from the order of submission, so a graph is a
// function that submits its tasks in the proven order.
//
//===----------------------------------------------------------------------===//

#include "StarPUEmitter.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::codegen;

//===----------------------------------------------------------------------===//
// Projections
//===----------------------------------------------------------------------===//

std::string StarPUEmitter::projectionOf(const RegionArgument &argument,
                                        unsigned rank) {
  const RegionProjection &projection = argument.projection;
  if (projection.kind == RegionProjection::Function)
    return projection.function;
  const RegionPartition &partition = program.partitions[argument.partition];
  std::vector<std::string> rows;
  for (size_t row = 0; row != partition.colors.size(); ++row)
    rows.push_back(projectionRowText(projection, rank, row));
  std::string &name = projections[partition.name + ": " + join(rows, ", ")];
  if (!name.empty())
    return name;
  name = unique("project_" + identifier(partition.name));
  os << "\nstatic int64_t " << name << "(const SluiceTask *task) {\n"
     << "  (void)task;\n";
  writeList(os, "  return sluiceLinearColor(",
            {"&" + partitions[argument.partition],
             "(int64_t[]){" + join(rows, ", ") + "}"},
            ");\n}\n");
  return name;
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

void StarPUEmitter::writeLoop(const RegionStatement &statement,
                              unsigned indent) {
  std::string index = "i" + std::to_string(++numLoops);
  os.indent(indent) << "for (int64_t " << index << " = 0; " << index << " < "
                    << extentText(program, statement.count) << "; ++" << index
                    << ") {\n";
  if (statement.whileScalar != noIndex) {
    const std::string &scalar = roots[statement.whileScalar];
    os.indent(indent + 2) << "sluiceWaitForScalar(&" << scalar << ");\n";
    os.indent(indent + 2) << "if (value_" << scalar
                          << (statement.isUnless ? " != 0)\n" : " == 0)\n");
    os.indent(indent + 4) << "break;\n";
  }
  writeStatements(statement.body, indent + 2);
  os.indent(indent) << "}\n";
}

void StarPUEmitter::writeStatements(ArrayRef<RegionStatement> statements,
                                    unsigned indent) {
  for (const RegionStatement &statement : statements) {
    switch (statement.kind) {
    case RegionStatement::Loop:
      writeLoop(statement, indent);
      break;
    case RegionStatement::MustEpoch:
      os.indent(indent) << "/* These do not depend on each other. */\n";
      writeStatements(statement.body, indent);
      break;
    case RegionStatement::Host:
      os.indent(indent) << "sluiceRunHere(&" << launchOf(statement) << ");\n";
      break;
    default:
      os.indent(indent) << "sluiceSubmit(&" << launchOf(statement) << ");\n";
    }
  }
}

void StarPUEmitter::writeGraph(const RegionGraph &graph) {
  std::vector<std::string> launches;
  const std::string &name = graphs[&graph - program.graphs.data()];
  os << "\nstatic void " << name << "(void) {\n";
  forEachStatement(graph.statements, [&](const RegionStatement &statement) {
    if (statement.kind == RegionStatement::Loop ||
        statement.kind == RegionStatement::MustEpoch)
      return;
    launches.push_back("&" + launchOf(statement));
    for (auto [d, extent] : enumerate(statement.domain))
      if (!isConstant(statement.domain))
        os << "  " << launchOf(statement) << ".extents[" << d
           << "] = " << extentText(program, extent) << ";\n";
  });
  if (launches.empty()) {
    os << "}\n";
    return;
  }
  std::string size = std::to_string(launches.size());
  writeList(os, "  SluiceLaunch *const launches[] = {", launches, "};\n");
  os << "  sluiceBeginGraph(launches, " << size << ");\n";
  writeStatements(graph.statements, 2);
  os << "  sluiceEndGraph(launches, " << size << ");\n}\n";
}
