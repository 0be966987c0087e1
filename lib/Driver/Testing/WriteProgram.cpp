//===- WriteProgram.cpp - Small region modules as files -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WriteProgram.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::rdir;
using namespace sluice::rdir::oracle;
using codegen::RegionArgument;
using codegen::RegionPrivilege;
using codegen::RegionStatement;

//===----------------------------------------------------------------------===//
// The module
//===----------------------------------------------------------------------===//

void oracle::writeModule(const SmallProgram &program, raw_ostream &os) {
  const SmallForest &forest = program.forest;
  os << forest.declarations << "rdir.graph @begin {\n";
  std::vector<std::string> versions;
  for (const SmallForest::Root &root : forest.roots) {
    std::string data =
        (root.isScalar ? "rdir.scalar @" : "rdir.region @") + root.name;
    os << "  %" << root.name << "0 = " << data << "\n  %" << root.name
       << "1 = " << data << "\n  rdir.host @fill_" << root.name << " discards(%"
       << root.name << "0) writes(%" << root.name << "1)\n";
    versions.push_back("%" + root.name);
  }
  os << "}\n" << graphText(forest, program.graph) << "rdir.graph @end {\n";
  for (const SmallForest::Root &root : forest.roots)
    os << "  %" << root.name << " = "
       << (root.isScalar ? "rdir.scalar @" : "rdir.region @") << root.name
       << " initial\n";
  os << "  rdir.host @compare reads(" << join(versions, ", ") << ")\n}\n";
}

//===----------------------------------------------------------------------===//
// Functions of tasks
//===----------------------------------------------------------------------===//

static std::string numbersText(ArrayRef<int64_t> numbers) {
  return "{" +
         join(map_range(numbers,
                        [](int64_t number) {
                          // The least number has no literal.
                          return "int64_t(" + std::to_string(uint64_t(number)) +
                                 "u)";
                        }),
              ", ") +
         "}";
}

static void writeLeaf(const std::string &name, const Leaf &leaf,
                      raw_ostream &os) {
  os << "static Leaf leaf_" << name << "(" << numbersText(leaf.path) << ", "
     << numbersText(leaf.iterations) << ", " << leaf.turns.size() << ", {";
  for (const LeafEdge &edge : leaf.edges) {
    os << "\n  {'" << edge.kind << "', " << edge.number << ", {";
    for (const std::vector<LeafPlace> &places : edge.byPoint) {
      os << "{";
      for (const LeafPlace &place : places)
        os << "{" << place.slot << ", " << place.index << ", " << place.place
           << "}, ";
      os << "}, ";
    }
    os << "}},";
  }
  os << "});\n";
}

/// The value of a result before the function folds into it.
static std::string firstResult(const RegionArgument &argument,
                               const codegen::RegionModel &program) {
  if (argument.reduction == codegen::noIndex ||
      program.reductions[argument.reduction].op == "+")
    return "0";
  return "INT64_MIN";
}

static void writeFunction(const RegionStatement &statement,
                          const codegen::RegionModel &program,
                          raw_ostream &os) {
  std::string slots, before, result;
  std::vector<std::string> parameters{"const SluiceTask *task"};
  for (auto [i, argument] : enumerate(statement.arguments)) {
    std::string name = "a" + std::to_string(i);
    bool isRead = argument.privilege == RegionPrivilege::Read;
    if (argument.kind == RegionArgument::Scalar) {
      bool isValue = isRead || argument.privilege == RegionPrivilege::ReadWrite;
      if (isValue)
        parameters.push_back("int64_t " + name);
      slots += isValue ? "&" + name + ", " : "nullptr, ";
      slots += isRead ? "nullptr, " : "&result, ";
      if (!isRead)
        result = firstResult(argument, program);
      continue;
    }
    for (unsigned field : argument.fields) {
      std::string pointer = name + "_" + std::to_string(field);
      parameters.push_back((isRead ? "const int64_t *" : "int64_t *") +
                           pointer);
      slots += "const_cast<int64_t *>(" + pointer + "), ";
    }
    parameters.push_back("const SluiceDomain *");
  }
  const std::string &name = statement.function;
  os << (result.empty() ? "void " : "int64_t ") << name << "("
     << join(parameters, ", ") << ") {\n";
  if (!result.empty())
    os << "  int64_t result = " << result << ";\n";
  os << "  int64_t *const slots[] = {" << slots << "nullptr};\n  leaf_" << name
     << ".run(*task, slots);\n"
     << (result.empty() ? "" : "  return result;\n") << "}\n";
}

static void writeFunctions(ArrayRef<RegionStatement> statements,
                           const codegen::RegionModel &program,
                           const std::map<std::string, LeafFunction> &functions,
                           raw_ostream &os) {
  for (const RegionStatement &statement : statements) {
    if (statement.kind == RegionStatement::Task) {
      writeLeaf(statement.function, *functions.at(statement.function).leaf, os);
      writeFunction(statement, program, os);
    }
    writeFunctions(statement.body, program, functions, os);
  }
}

//===----------------------------------------------------------------------===//
// Functions of the test
//===----------------------------------------------------------------------===//

/// Calls `visit` with the name of each array of numbers, the function's
/// parameter for it, its first place and its length.
static void forEachArray(
    const SmallForest::Root &root,
    function_ref<void(std::string name, uint32_t first, uint32_t count)>
        visit) {
  uint32_t first = root.firstElement * SmallForest::numFields;
  for (uint32_t field = 0; field < SmallForest::numFields; ++field)
    visit(root.name + std::to_string(field), first + field, root.numElements);
}

static void writeFill(const SmallForest::Root &root, raw_ostream &os) {
  if (root.isScalar) {
    os << "int64_t fill_" << root.name
       << "(const SluiceTask *) { return firstNumber("
       << root.firstElement * SmallForest::numFields << "); }\n";
    return;
  }
  std::string parameters, body;
  forEachArray(root, [&](std::string name, uint32_t first, uint32_t count) {
    parameters += "int64_t *" + name + ", ";
    body += "  for (uint32_t i = 0; i < " + std::to_string(count) +
            "; ++i)\n    " + name + "[i] = firstNumber(" +
            std::to_string(first) + " + " +
            std::to_string(SmallForest::numFields) + " * i);\n";
  });
  os << "void fill_" << root.name << "(const SluiceTask *, " << parameters
     << "const SluiceDomain *) {\n"
     << body << "}\n";
}

static void writeCompare(const SmallProgram &program, raw_ostream &os) {
  os << "static const int64_t expected[] = " << numbersText(program.expected())
     << ";\nstatic void check(const int64_t *numbers, uint32_t first, uint32_t "
        "count) {\n  for (uint32_t i = 0; i < count; ++i)\n    if (numbers[i] "
        "!= expected[first + "
     << SmallForest::numFields
     << " * i]) {\n      std::printf(\"place %u differs\\n\", first + "
     << SmallForest::numFields << " * i);\n      std::exit(1);\n    }\n}\n";
  std::string parameters, body;
  for (const SmallForest::Root &root : program.forest.roots) {
    if (root.isScalar) {
      parameters += ", int64_t " + root.name;
      body += "  check(&" + root.name + ", " +
              std::to_string(root.firstElement * SmallForest::numFields) +
              ", 1);\n";
      continue;
    }
    forEachArray(root, [&](std::string name, uint32_t first, uint32_t count) {
      parameters += ", const int64_t *" + name;
      body += "  check(" + name + ", " + std::to_string(first) + ", " +
              std::to_string(count) + ");\n";
    });
    parameters += ", const SluiceDomain *";
  }
  os << "void compare(const SluiceTask *" << parameters << ") {\n"
     << body << "  std::puts(\"as the graph means\");\n}\n";
}

static void writeColoring(const SmallForest &forest, raw_ostream &os) {
  os << "void f(const int64_t *color, SluiceColoring *elements) {\n";
  const SmallRegion &partition = forest.regions[forest.find("@i")];
  for (auto [color, region] : enumerate(partition.colors))
    for (uint32_t element : forest.regions[region].elements)
      os << "  if (*color == " << color << ")\n    elements->add(elements, "
         << element << ", " << element + 1 << ");\n";
  os << "}\n";
}

void oracle::writeTasks(const SmallProgram &program, StringRef name,
                        raw_ostream &os) {
  os << "// Run with --n=" << program.count << ".\n#include \"" << name
     << ".rdir.h\"\n#include \"Leaf.h\"\n\n#include <cstdio>\n"
        "#include <cstdlib>\n\nusing namespace sluice::rdir::oracle;\n\n";
  writeColoring(program.forest, os);
  for (const SmallForest::Root &root : program.forest.roots)
    writeFill(root, os);
  std::map<std::string, LeafFunction> functions = program.functions();
  for (const codegen::RegionGraph &graph : program.program->graphs)
    writeFunctions(graph.statements, *program.program, functions, os);
  writeCompare(program, os);
}
