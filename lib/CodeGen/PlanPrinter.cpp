//===- PlanPrinter.cpp - Plans as text ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The output of `--print=plan`, which tests compare: every node with its
// levels, operands, order and device kernel.
//
//===----------------------------------------------------------------------===//

#include "ReductionNodes.h"
#include "sluice/CodeGen/DeviceKernels.h"
#include "sluice/DFG/OrderedDims.h"
#include "sluice/DFG/TemporaryMemory.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <set>

using namespace sluice;
using namespace sluice::codegen;

static std::string spellSource(const PlanModel &model, const Source &source) {
  switch (source.kind) {
  case Source::Kind::Argument:
    return "argument '" + model.arguments[source.index].name + "'";
  case Source::Kind::Output: {
    const FlatNode &node = model.nodes[source.node];
    return "output '" + node.outputs[source.index].name + "' of node " +
           std::to_string(source.node);
  }
  case Source::Kind::DatasetAddress:
    return "address of dataset '" +
           dfg::DatasetOp(source.dataset).getSymName().str() + "'";
  case Source::Kind::DatasetSize:
    return "size of dataset '" +
           dfg::DatasetOp(source.dataset).getSymName().str() + "'";
  }
  return "";
}

static void printLevels(const FlatNode &node, llvm::raw_ostream &os) {
  for (const Level &level : node.levels) {
    dfg::NodeOp op = level.node;
    os << '[';
    const unsigned ordered = dfg::orderedDims(op);
    unsigned dimension = 0;
    llvm::interleave(
        op.getExtents(), os,
        [&](mlir::Value extent) {
          if (ordered >> dimension++ & 1)
            os << "ordered ";
          if (std::optional<int64_t> known = dfg::constantExtent(extent))
            os << *known;
          else
            os << '?';
        },
        " x ");
    os << ']';
  }
}

static void printDevice(const DeviceNode &device, llvm::raw_ostream &os) {
  if (!device.entry.empty())
    os << "    runs on devices as '" << device.entry << "'\n";
  else if (!device.problem.empty())
    os << "    runs on the host: " << device.problem << '\n';
}

static void printNode(const PlanModel &model, unsigned index,
                      llvm::raw_ostream &os) {
  const FlatNode &node = model.nodes[index];
  os << "  node " << index << " '" << node.name << "' extents ";
  printLevels(node, os);
  os << ", units are the first " << node.numUnitLevels << " levels\n";
  for (const FlatOperand &operand : node.operands) {
    os << "    in  '" << operand.name << "' "
       << (operand.access == dfg::Access::None
               ? ""
               : (dfg::spellAccess(operand.access) + " ").str())
       << "= " << spellSource(model, operand.source);
    if (operand.isOneToOne)
      os << ", one-to-one";
    if (operand.isStream)
      os << ", stream";
    os << '\n';
  }
  for (const FlatOutput &output : node.outputs) {
    if (output.arrayLevels == copiesMark) {
      os << "    reduces or scans, the address of copies at frame offset "
         << output.arrayOffset << '\n';
      continue;
    }
    os << "    out '" << output.name << "' " << output.size
       << " bytes at frame offset " << output.frameOffset;
    if (output.arrayOffset != SLUICE_NO_OFFSET)
      os << ", array at " << output.arrayOffset;
    os << '\n';
  }
  for (const NodeMemoryUse &use : node.uses)
    os << "    uses '" << model.memories[use.memory] << "' "
       << dfg::spellAccess(use.access) << '\n';
  if (node.tiling & SLUICE_TILED)
    os << "    row by row behind node " << index - 1 << ", " << node.tileAhead
       << " ahead, " << node.tileBehind << " behind\n";
  for (unsigned argument : dfg::windowsWrittenBy(node.op))
    os << "    keeps a window of '" << model.arguments[argument].name << "'\n";
  for (const Predecessor &before : node.predecessors)
    os << "    after node " << before.node
       << (before.isOneToOne ? ", instance by instance\n" : "\n");
}

void codegen::printPlan(const PlanModel &model, llvm::raw_ostream &os,
                        const std::vector<DeviceNode> *devices) {
  os << "plan '" << model.name << "', frame of " << model.frameSize
     << " bytes, arguments and results " << model.packedSize << " bytes packed"
     << (model.isStreaming ? ", streaming\n" : "\n");
  for (const FlatArgument &argument : model.arguments) {
    os << "  argument '" << argument.name << "' " << argument.size
       << " bytes at frame offset " << argument.frameOffset;
    if (argument.access != dfg::Access::None)
      os << ", " << dfg::spellAccess(argument.access);
    if (argument.isStream)
      os << ", stream";
    if (argument.isTemporary)
      os << ", temporary";
    os << '\n';
  }
  for (const SluicePlanPair &pair : model.disjointPairs)
    os << "  disjoint '" << model.arguments[pair.first].name << "' and '"
       << model.arguments[pair.second].name << "'\n";
  for (const SluicePlanTable &table : model.tables) {
    const char *name = model.arguments[table.argument].name.c_str();
    if (!(table.rule & SLUICE_TABLE_ROWS)) {
      os << "  different entries of " << table.entryBytes << " bytes in '"
         << name << "'\n";
      continue;
    }
    std::set<std::string> names;
    for (uint32_t i = 0; i != table.numLoads; ++i)
      names.insert("'" + model.arguments[table.loads[i].argument].name + "'");
    os << "  rows apart in '" << name << "', by " << llvm::join(names, ", ")
       << '\n';
  }
  for (unsigned i = 0; i != model.nodes.size(); ++i) {
    printNode(model, i, os);
    if (devices)
      printDevice((*devices)[i], os);
  }
  for (const FlatResult &result : model.results)
    os << "  result '" << result.name
       << "' = " << spellSource(model, result.source) << '\n';
}
