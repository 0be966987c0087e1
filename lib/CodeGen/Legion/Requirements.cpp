//===- Requirements.cpp - Arguments become region requirements ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A region requirement has one privilege for some fields. An argument may need
// several, and the arguments of a task make a list.
//
//===----------------------------------------------------------------------===//

#include "LegionEmitter.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <map>

using namespace llvm;
using namespace sluice;
using namespace sluice::codegen;
using namespace sluice::codegen::legion;

std::string legion::valueType(const RegionField &field) {
  std::string type = cTypeName(field.type).str();
  if (field.count == 1)
    return type;
  return "std::array<" + type + ", " + std::to_string(field.count) + ">";
}

/// The values of a reduction operator have one size, so fields that are reduced
/// to are split by size.
std::vector<Requirement>
legion::requirementsOf(const RegionModel &program,
                       const RegionArgument &argument) {
  if (argument.privilege != RegionPrivilege::Reduce)
    return {{&argument, argument.fields}};
  std::map<unsigned, std::vector<unsigned>> fieldsBySize;
  for (unsigned field : argument.fields)
    fieldsBySize[program.roots[argument.root].fields[field].count].push_back(
        field);
  std::vector<Requirement> requirements;
  for (auto &[size, fields] : fieldsBySize)
    requirements.push_back({&argument, std::move(fields)});
  return requirements;
}

std::vector<Requirement>
legion::requirementsOf(const RegionModel &program,
                       const RegionStatement &statement) {
  std::vector<Requirement> requirements;
  for (const RegionArgument &argument : statement.arguments)
    if (argument.kind == RegionArgument::Region)
      append_range(requirements, requirementsOf(program, argument));
  return requirements;
}

std::vector<Requirement> legion::fillsOf(const RegionModel &program,
                                         const RegionArgument &argument) {
  std::map<std::pair<ElementType, unsigned>, std::vector<unsigned>> byType;
  for (unsigned index : argument.fields) {
    const RegionField &field = program.roots[argument.root].fields[index];
    byType[{field.type, field.count}].push_back(index);
  }
  std::vector<Requirement> fills;
  for (auto &[type, fields] : byType)
    fills.push_back({&argument, std::move(fields)});
  return fills;
}

//===----------------------------------------------------------------------===//
// Handles
//===----------------------------------------------------------------------===//

/// "3" or "Point<2>(1, 2)", or a call if the colors are not known.
std::string LegionEmitter::colorText(unsigned partition, int64_t color) {
  const std::vector<Extent> &colors = program.partitions[partition].colors;
  if (colors.size() == 1)
    return std::to_string(color);
  std::string rank = std::to_string(colors.size());
  if (!isConstant(colors)) {
    use(Helper::Positions);
    return "pointAt<" + rank + ">(" + std::to_string(color) + ", " +
           extentsText(program, colors) + ")";
  }
  std::string text;
  for (const Extent &extent : reverse(colors)) {
    text = std::to_string(color % extent.constant) +
           (text.empty() ? "" : ", " + text);
    color /= extent.constant;
  }
  return "Point<" + rank + ">(" + text + ")";
}

/// The region that a partition divides.
std::string LegionEmitter::parentText(unsigned partition) {
  const RegionPartition &info = program.partitions[partition];
  if (info.parent == noIndex)
    return regionNames[info.root];
  return "part(" + partitionNames[info.parent] + ", " +
         colorText(info.parent, info.parentColor) + ")";
}

/// The region of all colors together.
std::string LegionEmitter::wholeText(unsigned partition) {
  if (program.partitions[partition].isComplete)
    return parentText(partition);
  wholes.insert(partition);
  return "whole_" + partitionNames[partition];
}

/// "handle", or "handle, projection" for the points of a launch of `rank`
/// dimensions. `isPoint`: one task for the point `*point` of `launch`.
std::vector<std::string>
LegionEmitter::handleWords(const RegionArgument &argument, unsigned rank,
                           bool isPoint) {
  bool isLaunch = rank != 0 && !isPoint;
  auto single = [&](std::string handle) {
    std::vector<std::string> words{std::move(handle)};
    if (isLaunch)
      words.push_back("identity");
    return words;
  };
  if (argument.partition == noIndex)
    return single(regionNames[argument.root]);
  const std::string &partition = partitionNames[argument.partition];
  if (argument.color >= 0)
    return single("part(" + partition + ", " +
                  colorText(argument.partition, argument.color) + ")");
  if (argument.projection.kind == RegionProjection::Whole || rank == 0)
    return single(wholeText(argument.partition));
  bool isIdentity = argument.projection.kind == RegionProjection::Identity;
  std::string function = isIdentity ? "" : projectionOf(argument, rank);
  if (!isPoint)
    return {partition, isIdentity ? "identity" : known["id " + function]};
  std::string color = isIdentity ? "*point" : function + "(*point, launch)";
  return {"part(" + partition + ", " + color + ")"};
}

//===----------------------------------------------------------------------===//
// Privileges and coherence
//===----------------------------------------------------------------------===//

std::string LegionEmitter::privilegeText(const RegionArgument &argument,
                                         const Requirement &requirement,
                                         bool isHost) {
  switch (argument.privilege) {
  case RegionPrivilege::Read:
    return "LEGION_READ_ONLY";
  case RegionPrivilege::ReadWrite:
    return "LEGION_READ_WRITE";
  case RegionPrivilege::WriteDiscard:
    return "LEGION_WRITE_DISCARD";
  case RegionPrivilege::Reduce:
    // It runs alone, and folds into the values themselves.
    if (isHost)
      return "LEGION_READ_WRITE";
    unsigned count = rootOf(argument).fields[requirement.fields[0]].count;
    return reductionOf(argument.reduction, count) + "::REDOP_ID";
  }
  llvm_unreachable("all privileges are handled");
}

static StringRef coherenceText(Coherence coherence) {
  switch (coherence) {
  case Coherence::Exclusive:
    return "LEGION_EXCLUSIVE";
  case Coherence::Atomic:
    return "LEGION_ATOMIC";
  case Coherence::Simultaneous:
    return "LEGION_SIMULTANEOUS";
  case Coherence::Relaxed:
    return "LEGION_RELAXED";
  }
  llvm_unreachable("all kinds of coherence are handled");
}

/// Writes `head`, the requirement with its fields, and `tail`, starting on a
/// new line.
void LegionEmitter::writeRequirement(const Requirement &requirement,
                                     unsigned rank, bool isPoint, bool isHost,
                                     StringRef head, StringRef tail,
                                     unsigned indent, raw_ostream &out) {
  const RegionArgument &argument = *requirement.argument;
  std::vector<std::string> words = handleWords(argument, rank, isPoint);
  words.push_back(privilegeText(argument, requirement, isHost));
  words.push_back(coherenceText(argument.coherence).str());
  words.push_back(regionNames[argument.root]);
  std::string margin(indent, ' ');
  writeList(out, margin + head.str() + "RegionRequirement(", words, ")");
  for (unsigned field : requirement.fields)
    out << '\n'
        << margin << "    .add_field(" << fieldNames[argument.root][field]
        << ')';
  out << tail << '\n';
}
