//===- LegionProjections.cpp - From points of a launch to colors ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In an index launch, a functor selects the part for each point. Equal functors
// are written once.
//
//===----------------------------------------------------------------------===//

#include "LegionEmitter.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::codegen;
using namespace sluice::codegen::legion;

/// "2 * point[0] - 1".
static std::string rowText(const RegionProjection &projection, unsigned rank,
                           size_t row) {
  std::string text;
  auto add = [&](int64_t factor, const std::string &of) {
    if (factor == 0)
      return;
    text +=
        text.empty() ? (factor < 0 ? "-" : "") : (factor < 0 ? " - " : " + ");
    std::string size = std::to_string(factor < 0 ? -factor : factor);
    text += of.empty() ? size : (size == "1" ? "" : size + " * ") + of;
  };
  for (unsigned d = 0; d != rank; ++d)
    add(projection.matrix[row * rank + d], "point[" + std::to_string(d) + "]");
  add(projection.offset[row], "");
  return text.empty() ? "0" : text;
}

/// The function's body.
static std::string bodyText(const RegionModel &program,
                            const RegionArgument &argument, unsigned rank) {
  const RegionProjection &projection = argument.projection;
  const RegionPartition &partition = program.partitions[argument.partition];
  std::string colorRank = std::to_string(partition.colors.size());
  std::string text;
  raw_string_ostream out(text);
  if (projection.kind == RegionProjection::Function) {
    out << "  const SluiceTask task = taskAt(point, launch);\n";
    writeList(out, "  return colorAt<" + colorRank + ">(",
              {stringLiteral(partition.name),
               "::" + projection.function + "(&task)",
               extentsText(program, partition.colors)},
              ");\n");
    return text;
  }
  std::vector<std::string> rows;
  for (size_t row = 0; row != partition.colors.size(); ++row)
    rows.push_back(rowText(projection, rank, row));
  writeList(out, "  return Point<" + colorRank + ">(", rows, ");\n");
  return text;
}

/// The function from a point to its color. Its projection id is stored under
/// "id NAME".
std::string LegionEmitter::projectionOf(const RegionArgument &argument,
                                        unsigned rank) {
  const RegionPartition &partition = program.partitions[argument.partition];
  std::string colorRank = std::to_string(partition.colors.size());
  std::string body = bodyText(program, argument, rank);
  std::string &name = known["projection " + partition.name + "\n" + body];
  if (!name.empty())
    return name;
  if (argument.projection.kind == RegionProjection::Function) {
    use(Helper::Task);
    use(Helper::ColorAt);
  }
  use(Helper::Projection);
  name = unique("project_" + identifier(partition.name));
  std::string id = unique(StringRef(name).upper());
  projectionIds.push_back(id);
  raw_string_ostream out(projections);
  out << "\n/// Colors of '" << commentText(partition.name) << "'.\n";
  bool usesLaunch = argument.projection.kind == RegionProjection::Function;
  writeList(out, "Point<" + colorRank + "> " + name + "(",
            {"const DomainPoint &point",
             usesLaunch ? "const Domain &launch" : "const Domain &"},
            ") {\n");
  out << body << "}\n";
  std::string result = name;
  known["id " + result] = id;
  registrations +=
      "  " +
      callText(2, "Runtime::preregister_projection_functor(",
               {id, "new Projection<" + colorRank + ", " + result + ">()"},
               ");\n");
  return result;
}
