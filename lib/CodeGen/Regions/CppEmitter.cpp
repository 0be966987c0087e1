//===- CppEmitter.cpp - The frame of a generated program ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CppEmitter.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::codegen;

static const char taskHelper[] = R"(
static void addTask(SluiceProgram *program, SluiceStatement statement,
                    std::initializer_list<SluiceArgument> arguments) {
  statement.numArguments = uint32_t(arguments.size());
  statement.arguments = arguments.begin();
  sluiceAddStatement(program, &statement);
}
)";

static const char colorHelper[] = R"(
/// The linear number of the color that a point of a launch uses; ends the
/// program if there is no such color.
static int64_t linearColor(const SluiceTask *task, const char *partition,
                           std::initializer_list<int64_t> color,
                           std::initializer_list<int64_t> extents) {
  int64_t linear = 0;
  const int64_t *extent = extents.begin();
  for (int64_t index : color) {
    if (index < 0 || index >= *extent) {
      fprintf(stderr, "error: at point (");
      for (int d = 0; d != task->rank; ++d)
        fprintf(stderr, d ? ", %lld" : "%lld", (long long)task->point[d]);
      fprintf(stderr,
              ") of a launch, a projection gives index %lld of partition "
              "'%s', which has 0 to %lld\n",
              (long long)index, partition, (long long)*extent - 1);
      exit(1);
    }
    linear = linear * *extent++ + index;
  }
  return linear;
}
)";

static const char pointHelper[] = R"(
/// How the points of a launch use a partition: 0 reads, 1 writes, and others
/// are reductions, which only their like may meet.
struct PointUse {
  SluiceProjection projection;
  int access;
};

/// Ends the program if a point of a launch changes a color of a partition that
/// another point, or another argument of the point, uses.
static void checkPoints(const char *task, const char *partition,
                        int64_t numColors, std::vector<int64_t> extents,
                        std::initializer_list<PointUse> uses) {
  int64_t numPoints = 1;
  SluiceTask point = {};
  point.rank = int32_t(extents.size());
  std::fill_n(point.extent, SLUICE_MAX_RANK, 1);
  for (size_t d = 0; d != extents.size(); ++d)
    numPoints *= point.extent[d] = extents[d];
  std::vector<int64_t> users(numColors, -1);
  std::vector<const PointUse *> known(numColors);
  for (int64_t i = 0; i < numPoints; ++i) {
    for (int64_t d = point.rank, rest = i; d-- > 0; rest /= extents[d])
      point.point[d] = rest % extents[d];
    for (const PointUse &use : uses) {
      int64_t color = use.projection ? use.projection(&point) : i;
      if (color < 0 || color >= numColors) {
        fprintf(stderr,
                "error: point %lld of task '%s' asks for color %lld of "
                "partition '%s', which has %lld\n",
                (long long)i, task, (long long)color, partition,
                (long long)numColors);
        exit(1);
      }
      int64_t user = users[color];
      if (user != -1 && (use.access == 1 || use.access != known[color]->access)) {
        fprintf(stderr,
                "error: points %lld and %lld of task '%s' use color %lld of "
                "partition '%s', which point %lld %s\n",
                (long long)user, (long long)i, task, (long long)color,
                partition, (long long)(use.access == 0 ? user : i),
                use.access == 0 ? known[color]->access == 1 ? "writes"
                                                            : "reduces into"
                : use.access == 1 ? "writes"
                                  : "reduces into");
        exit(1);
      }
      users[color] = i;
      known[color] = &use;
    }
  }
}
)";

CppEmitter::CppEmitter(const RegionProgram &program, raw_ostream &os)
    : program(program), os(os) {
  assignNames();
}

/// Names may differ only in what C does not allow in them.
void CppEmitter::assignNames() {
  for (const RegionFunction &function : functionsOf(program))
    names.insert(function.name);
  for (const RegionRoot &root : program.roots)
    roots.push_back(uniqueName("root_" + identifier(root.name)));
  for (const RegionPartition &partition : program.partitions) {
    partitions.push_back(uniqueName("partition_" + identifier(partition.name)));
    adders.push_back(uniqueName("add_" + identifier(partition.name)));
  }
  for (const RegionGraph &graph : program.graphs)
    graphNames.push_back(uniqueName("run_" + identifier(graph.name)));
  reductions.resize(program.reductions.size());
}

static void writeTitle(raw_ostream &os, StringRef title) {
  std::string line = ("//===--- " + title + " ").str();
  os << '\n' << line;
  for (size_t column = line.size(); column < 75; ++column)
    os << '-';
  os << "===//\n\n";
}

void CppEmitter::writeHead() {
  os << "// The program '" << program.name
     << "' on Sluice's runtime; generated by Sluice.\n"
        "// Statements stand in an order that is proven to be a serial one.\n\n"
     << "#include \"" << program.name << ".rdir.h\"\n"
     << "#include \"sluice-c/Regions.h\"\n\n"
        "#include <algorithm>\n#include <errno.h>\n"
        "#include <initializer_list>\n#include <stdint.h>\n"
        "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"
        "#include <vector>\n";
  writeTitle(os, "Parameters");
  writeParameters(program, os);
}

static StringRef elementTypeName(ElementType type) {
  static const StringRef names[] = {"SLUICE_I8",  "SLUICE_I16", "SLUICE_I32",
                                    "SLUICE_I64", "SLUICE_F32", "SLUICE_F64"};
  return names[unsigned(type)];
}

void CppEmitter::writeRoots() {
  writeTitle(os, "Regions");
  std::vector<std::string> enumerators;
  for (unsigned i = 0; i != program.roots.size(); ++i)
    enumerators.push_back(rootName(i));
  if (!enumerators.empty())
    writeList(os, "enum : uint32_t { ", enumerators, " };\n");
  os << "\nstatic void addRoots(SluiceProgram *program) {\n";
  for (auto [i, root] : enumerate(program.roots)) {
    std::vector<std::string> fields;
    for (const RegionField &field : root.fields)
      fields.push_back(("{\"" + field.name + "\", " +
                        elementTypeName(field.type) + ", " +
                        Twine(field.count) + "}")
                           .str());
    std::vector<Extent> extents = root.extents;
    if (root.isScalar)
      extents = {Extent{1}};
    os << "  {\n    const int64_t extents[] = " << extentsText(program, extents)
       << ";\n";
    writeList(os, "    const SluiceField fields[] = {", fields, "};\n");
    writeList(os, "    sluiceAddRoot(",
              {"program", "\"" + root.name + "\"",
               std::to_string(extents.size()), "extents",
               std::to_string(fields.size()), "fields"},
              ");\n");
    if (root.isScalar && !root.initial.empty())
      os << "    *static_cast<" << cTypeName(root.fields[0].type)
         << " *>(sluiceRootField(program, " << rootName(i)
         << ", 0)) = " << root.initial << ";\n";
    os << "  }\n";
  }
  os << "}\n";
}

void CppEmitter::writeConstraint(const RegionConstraint &constraint) {
  auto part = [&](const RegionPart &region) {
    return "{" + rootName(region.root) + ", " +
           partitionName(region.partition) + ", " +
           std::to_string(region.color) + "}";
  };
  writeList(os, "  sluiceConstrain(",
            {"program",
             constraint.isDisjoint ? "/*isDisjoint=*/1" : "/*isDisjoint=*/0",
             part(constraint.first), part(constraint.second)},
            ");\n");
}

void CppEmitter::writeMain() {
  os << "\nint main(int argc, char **argv) {\n"
        "  parseParameters(argc, argv);\n"
        "  sluiceInit();\n"
        "  SluiceProgram *program = sluiceProgramCreate(\""
     << program.name << "\");\n  addRoots(program);\n";
  std::vector<std::vector<unsigned>> partitions =
      partitionsBeforeGraphs(program);
  auto constraints = constraintsBeforeGraphs(program);
  for (auto [i, made] : enumerate(partitions)) {
    for (unsigned partition : made)
      os << "  " << adders[partition] << "(program);\n";
    for (const RegionConstraint *constraint : constraints[i])
      writeConstraint(*constraint);
    if (i < program.graphs.size())
      os << "  " << graphNames[i] << "(program);\n";
  }
  os << "  sluiceProgramDestroy(program);\n  sluiceCleanup();\n  return "
        "0;\n}\n";
}

void CppEmitter::run() {
  std::string graphs;
  raw_string_ostream out(graphs);
  for (const RegionGraph &graph : program.graphs)
    writeGraph(graph, out);
  writeHead();
  writeRoots();
  writePartitions();
  writeTitle(os, "Tasks");
  std::string helpers;
  if (hasColors)
    helpers += colorHelper;
  if (hasPointChecks)
    helpers += pointHelper;
  if (hasTasks)
    helpers += taskHelper;
  os << StringRef(helpers).ltrim('\n')
     << (helpers.empty() ? StringRef(functions).ltrim('\n') : functions);
  writeTitle(os, "Graphs");
  os << StringRef(graphs).ltrim('\n');
  writeMain();
}

void codegen::emitRegionCpp(const RegionProgram &program, raw_ostream &os) {
  CppEmitter(program, os).run();
}
