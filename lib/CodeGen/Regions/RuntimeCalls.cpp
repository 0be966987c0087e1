//===- RuntimeCalls.cpp - Calls of Sluice's runtime in generated code -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs for Sluice and for StarPU create their roots, partitions and
// operators with the same functions of the runtime (sluice-c/Partitions.h).
//
//===----------------------------------------------------------------------===//

#include "Source.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::codegen;

std::string codegen::partitionMaker(const RegionPartition &partition) {
  switch (partition.kind) {
  case PartitionKind::Blocks:
    return "sluiceAddBlocks";
  case PartitionKind::Halo:
    return partition.periodic ? "sluiceAddPeriodicHalos" : "sluiceAddHalos";
  case PartitionKind::Coloring:
    return "sluiceAddColoring";
  case PartitionKind::ByField:
    return "sluiceAddByField";
  case PartitionKind::Image:
    return "sluiceAddImage";
  case PartitionKind::Preimage:
    return "sluiceAddPreimage";
  case PartitionKind::Union:
  case PartitionKind::Intersection:
  case PartitionKind::Difference:
    return partition.rightSide == RightSide::ByColor ? "sluiceAddCombined"
                                                     : "sluiceAddCombinedWith";
  case PartitionKind::BlocksOfEach:
    return "sluiceAddBlocksOfEach";
  case PartitionKind::Cross:
    return "sluiceAddCross";
  case PartitionKind::ByMap:
    return "sluiceAddByMap";
  case PartitionKind::MappedImage:
    return "sluiceAddMappedImage";
  case PartitionKind::MappedPreimage:
    return "sluiceAddMappedPreimage";
  case PartitionKind::ImageOfRanges:
    return "sluiceAddImageOfRanges";
  case PartitionKind::PreimageOfRanges:
    return "sluiceAddPreimageOfRanges";
  case PartitionKind::Abstract:
    break;
  }
  llvm_unreachable("abstract partitions are refused");
}

/// "3 + 2 * parameter_n".
static std::string sumText(const RegionModel &program, const Extent &extent) {
  std::string text = extentText(program, extent);
  for (const ExtentTerm &term : extent.terms)
    text += " + " + std::to_string(term.factor) + " * (int64_t)" +
            parameterVariable(program.parameters[term.parameter]);
  return text;
}

static void writeMap(const RegionModel &program,
                     ArrayRef<ElementCoordinate> map, raw_ostream &os) {
  std::vector<std::string> coordinates;
  for (const ElementCoordinate &each : map) {
    std::string text = "{{";
    for (int64_t factor : each.factors)
      text += (text.size() > 2 ? ", " : "") + std::to_string(factor);
    coordinates.push_back(text + "}, " + sumText(program, each.offset) + ", " +
                          extentText(program, each.divisor) + ", " +
                          extentText(program, each.modulus) + "}");
  }
  writeList(os, "  const SluiceElementCoordinate map[] = {", coordinates,
            "};\n");
}

void codegen::writeMakerArray(const RegionModel &program,
                              const RegionPartition &partition,
                              raw_ostream &os) {
  if (!partition.map.empty())
    writeMap(program, partition.map, os);
  switch (partition.kind) {
  case PartitionKind::Blocks:
  case PartitionKind::BlocksOfEach:
  case PartitionKind::ByMap:
  case PartitionKind::Coloring:
  case PartitionKind::ByField:
    os << "  const int64_t colors[] = "
       << extentsText(program, partition.colors) << ";\n";
    break;
  case PartitionKind::Halo: {
    std::vector<std::string> widths;
    for (int64_t width : partition.width)
      widths.push_back(std::to_string(width));
    writeList(os, "  const int64_t width[] = {", widths, "};\n");
    break;
  }
  default:
    break;
  }
}

static std::string setOperation(PartitionKind kind) {
  return kind == PartitionKind::Union          ? "SLUICE_UNION"
         : kind == PartitionKind::Intersection ? "SLUICE_INTERSECTION"
                                               : "SLUICE_DIFFERENCE";
}

std::vector<std::string>
codegen::makerWords(const RegionPartition &partition, StringRef program,
                    StringRef root,
                    function_ref<std::string(unsigned)> numberOf) {
  std::string rank = std::to_string(partition.colors.size());
  std::string field = std::to_string(partition.field);
  std::string last = partition.last == noIndex ? "SLUICE_NEXT_ELEMENT"
                                               : std::to_string(partition.last);
  std::vector<std::string> words{program.str(), stringLiteral(partition.name)};
  auto add = [&](std::initializer_list<std::string> more) {
    words.insert(words.end(), more);
  };
  switch (partition.kind) {
  case PartitionKind::Blocks:
  case PartitionKind::Coloring:
    add({root.str(), numberOf(partition.parent),
         std::to_string(partition.parentColor), rank, "colors"});
    if (partition.kind == PartitionKind::Coloring)
      add({partition.function});
    break;
  case PartitionKind::Halo:
    add({numberOf(partition.left), "width", partition.hasCorners ? "1" : "0"});
    if (partition.periodic)
      add({std::to_string(partition.periodic)});
    break;
  case PartitionKind::BlocksOfEach:
    add({numberOf(partition.left), rank, "colors"});
    break;
  case PartitionKind::Cross:
    add({numberOf(partition.left), numberOf(partition.right)});
    break;
  case PartitionKind::ByMap:
    add({root.str(), "map", rank, "colors"});
    break;
  case PartitionKind::MappedImage:
    add({root.str(), numberOf(partition.left), "map"});
    break;
  case PartitionKind::MappedPreimage:
    add({root.str(), "map", numberOf(partition.left)});
    break;
  case PartitionKind::ImageOfRanges:
    add({root.str(), numberOf(partition.left), field, last});
    break;
  case PartitionKind::PreimageOfRanges:
    add({root.str(), field, last, numberOf(partition.left)});
    break;
  case PartitionKind::ByField:
    add({root.str(), field, rank, "colors"});
    break;
  case PartitionKind::Image:
    add({root.str(), numberOf(partition.left), field});
    break;
  case PartitionKind::Preimage:
    add({root.str(), field, numberOf(partition.left)});
    break;
  default:
    add({setOperation(partition.kind), numberOf(partition.left)});
    if (partition.rightSide == RightSide::ByColor)
      add({numberOf(partition.right)});
    else
      add({"(SluiceRegionPart){" + root.str() + ", " +
           numberOf(partition.right) + ", " +
           std::to_string(partition.rightSide == RightSide::Whole
                              ? -1
                              : partition.rightColor) +
           "}"});
  }
  return words;
}

StringRef codegen::elementTypeName(ElementType type) {
  static const StringRef names[] = {"SLUICE_I8",  "SLUICE_I16", "SLUICE_I32",
                                    "SLUICE_I64", "SLUICE_F32", "SLUICE_F64"};
  return names[unsigned(type)];
}

StringRef codegen::reductionKind(const RegionReduction &reduction) {
  if (!reduction.foldFunction.empty())
    return "SLUICE_REDUCE_CUSTOM";
  return StringSwitch<StringRef>(reduction.op)
      .Case("+", "SLUICE_REDUCE_SUM")
      .Case("*", "SLUICE_REDUCE_PRODUCT")
      .Case("min", "SLUICE_REDUCE_MIN")
      .Case("max", "SLUICE_REDUCE_MAX")
      .Case("and", "SLUICE_REDUCE_AND")
      .Case("or", "SLUICE_REDUCE_OR")
      .Default("SLUICE_REDUCE_XOR");
}
