//===- StarPUSupport.cpp - Choosing the parts that a program needs --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StarPUSupport.h"
#include "Source.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::codegen;

#include "SupportText.inc"

/// The part without its banner, below a title.
static void writePart(StringRef text, raw_ostream &os) {
  const StringRef rule = "-===//\n";
  StringRef banner = text.take_front(text.find('\n'));
  StringRef title = banner.split(" - ").second.rtrim("-=/ ");
  StringRef body = text.substr(text.find("\n//" + std::string("===---")) + 1);
  body = body.substr(body.find(rule) + rule.size());
  std::string line = ("/*===-- " + title + " ").str();
  os << '\n' << line << std::string(74 - line.size(), '-') << "===*/\n" << body;
}

static bool hasStatement(const RegionModel &program,
                         function_ref<bool(const RegionStatement &)> holds) {
  bool found = false;
  forEachStatement(program, [&](const RegionStatement &statement) {
    found |= holds(statement);
  });
  return found;
}

/// The parts that come before fills and copies.
static std::vector<StringRef> partsOf(const StarPUOptions &options) {
  if (options.hasRanks)
    return {supportBase,
            supportRanksRanks,
            supportSets,
            supportRanksSetAlgebra,
            supportValues,
            supportRegions,
            supportAtoms,
            supportRanksParts,
            supportLaunches,
            supportRanksHomes,
            supportRanksContributions,
            supportRanksInsertions,
            supportRanksRun};
  return {supportBase,       supportSets,  supportValues,   supportRegions,
          supportAtoms,      supportTasks, supportLaunches, supportHandles,
          supportReductions, supportRun};
}

void codegen::writeStarPUSupport(const RegionModel &program,
                                 const StarPUOptions &options,
                                 raw_ostream &os) {
  for (StringRef text : partsOf(options))
    writePart(text, os);
  auto isKind = [](RegionStatement::Kind kind) {
    return [kind](const RegionStatement &statement) {
      return statement.kind == kind;
    };
  };
  if (hasStatement(program, isKind(RegionStatement::Fill)))
    writePart(supportFills, os);
  if (hasStatement(program, isKind(RegionStatement::Copy)))
    writePart(supportCopies, os);
  writePart(options.hasRanks ? supportRanksGraphs : supportGraphs, os);
  writePart(options.hasRanks ? supportRanksStart : supportStart, os);
}
