//===- ProgramCommandLine.cpp - The command line of generated programs ----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Extents of a module are parameters of its program. A flag can set each of
// them; flags are parsed and checked here, for every kind of program.
//
//===----------------------------------------------------------------------===//

#include "Source.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::codegen;

static const char integerText[] = R"(
static int64_t parseInteger(const char *name, const char *text, int64_t least,
                            int64_t greatest) {
  char *end;
  errno = 0;
  long long value = strtoll(text, &end, 10);
  if (end == text || *end != 0) {
    fprintf(stderr, "error: --%s needs a whole number, not '%s'\n", name, text);
    exit(2);
  }
  if (errno == ERANGE || value < least || value > greatest) {
    fprintf(stderr, "error: --%s is %s, but must be from %lld to %lld\n", name,
            text, (long long)least, (long long)greatest);
    exit(2);
  }
  return value;
}
)";

static const char realText[] = R"(
static double parseReal(const char *name, const char *text) {
  char *end;
  double value = strtod(text, &end);
  if (end == text || *end != 0) {
    fprintf(stderr, "error: --%s needs a number, not '%s'\n", name, text);
    exit(2);
  }
  return value;
}
)";

/// "32" for int32_t.
static std::string bitsOf(ElementType type) {
  return cTypeName(type).drop_front(3).drop_back(2).str();
}

/// Definitions have the linkage of the header's declarations.
static void writeVariables(const RegionModel &program, raw_ostream &os) {
  for (const RegionParameter &parameter : program.parameters)
    os << cTypeName(parameter.type) << ' ' << parameterVariable(parameter)
       << " = " << literalOf(parameter.value, parameter.type) << ";\n";
}

static void writeHelp(const RegionModel &program, raw_ostream &os) {
  os << "\nstatic void printHelp(const char *program) {\n";
  if (program.parameters.empty()) {
    os << "  printf(\"Usage: %s\\n\", program);\n}\n";
    return;
  }
  os << "  printf(\"Usage: %s [--NAME=VALUE]...\\n\\nParameters\\n\", "
        "program);\n";
  size_t width = 0;
  for (const RegionParameter &parameter : program.parameters)
    width = std::max(width, parameter.name.size());
  for (const RegionParameter &parameter : program.parameters)
    os << "  printf("
       << stringLiteral(
              "  --" + formatText(parameter.name) + "=VALUE" +
              std::string(width - parameter.name.size() + 2, ' ') +
              (isInteger(parameter.type) ? "a whole number" : "a number") +
              " (default " + literalOf(parameter.value, parameter.type) + ")\n")
       << ");\n";
  os << "}\n";
}

std::vector<int64_t> codegen::minValues(const RegionModel &program) {
  std::vector<int64_t> values;
  for (const RegionParameter &parameter : program.parameters)
    values.push_back(minIntN(8 * sizeOf(parameter.type)));
  auto atLeast = [&](const Extent &extent, int64_t value) {
    if (extent.parameter != noIndex)
      values[extent.parameter] = std::max(values[extent.parameter], value);
  };
  for (const RegionRoot &root : program.roots)
    for (const Extent &extent : root.extents)
      atLeast(extent, 1);
  for (const RegionPartition &partition : program.partitions) {
    for (const Extent &extent : partition.colors)
      atLeast(extent, 1);
    for (const ElementCoordinate &coordinate : partition.map) {
      atLeast(coordinate.divisor, 1);
      atLeast(coordinate.modulus, 1);
    }
  }
  for (const RegionGraph &graph : program.graphs)
    if (graph.repeats)
      atLeast(*graph.repeats, 0);
  forEachStatement(program, [&](const RegionStatement &statement) {
    atLeast(statement.count, 0);
    for (const Extent &extent : statement.domain)
      atLeast(extent, 0);
  });
  return values;
}

/// One branch: sets a parameter from `word`, "NAME=VALUE".
static void writeBranch(const RegionParameter &parameter, int64_t least,
                        raw_ostream &os) {
  std::string length = std::to_string(parameter.name.size() + 1);
  std::string head = "      " + parameterVariable(parameter) + " = ";
  std::string value = "word + " + length;
  os << "    if (strncmp(word, " << stringLiteral(parameter.name + "=") << ", "
     << length << ") == 0) {\n";
  std::string type = cTypeName(parameter.type).str();
  std::string name = stringLiteral(parameter.name);
  if (!isInteger(parameter.type)) {
    writeList(os, head + "(" + type + ")parseReal(", {name, value}, ");\n");
  } else {
    writeList(os, head + "(" + type + ")parseInteger(",
              {name, value, literalOf(bitsOf(least), parameter.type),
               "INT" + bitsOf(parameter.type) + "_MAX"},
              ");\n");
  }
  os << "      continue;\n    }\n";
}

static void writeParser(const RegionModel &program, raw_ostream &os) {
  os << R"(
static void parseParameters(int argc, char **argv) {
  for (int i = 1; i < argc; ++i) {
    if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
      printHelp(argv[0]);
      exit(0);
    }
)";
  if (!program.parameters.empty())
    os << "    const char *word = argv[i];\n"
          "    word += strncmp(word, \"--\", 2) == 0 ? 2 : strlen(word);\n";
  for (auto [parameter, least] : zip(program.parameters, minValues(program)))
    writeBranch(parameter, least, os);
  std::string expected;
  for (const RegionParameter &parameter : program.parameters)
    expected += (expected.empty() ? ", expected --" : ", --") +
                formatText(parameter.name) + "=VALUE";
  if (expected.empty())
    expected = ": the program has no parameters";
  os << "    fprintf(stderr,\n            \"error: unknown parameter '%s'\"\n"
     << "            " << stringLiteral(expected + "\n")
     << ",\n            argv[i]);\n"
     << "    exit(2);\n  }\n}\n";
}

void codegen::writeParameters(const RegionModel &program, raw_ostream &os) {
  writeVariables(program, os);
  auto ofIntegers = [](const RegionParameter &parameter) {
    return isInteger(parameter.type);
  };
  if (any_of(program.parameters, ofIntegers))
    os << integerText;
  if (!all_of(program.parameters, ofIntegers))
    os << realText;
  writeHelp(program, os);
  writeParser(program, os);
}
