//===- Variants.cpp - Functions that Legion calls for a task --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Legion passes mapped regions and futures to a task; the user's function takes
// pointers, bounds and values. A variant unpacks them and returns the result.
//
//===----------------------------------------------------------------------===//

#include "LegionEmitter.h"
#include "llvm/ADT/STLExtras.h"

#include <map>

using namespace llvm;
using namespace sluice;
using namespace sluice::codegen;
using namespace sluice::codegen::legion;

/// "const double", or "float[4]".
static std::string pointeeText(const RegionArgument &argument,
                               const RegionField &field) {
  std::string text =
      argument.privilege == RegionPrivilege::Read ? "const " : "";
  text += cTypeName(field.type).str();
  if (field.count != 1)
    text += "[" + std::to_string(field.count) + "]";
  return text;
}

/// Writes a view of every region, and returns the words of the call of the
/// user's function. `regions`: an array of mapped regions, indexed by
/// requirement.
std::vector<std::string>
LegionEmitter::writeViews(const RegionStatement &statement, StringRef regions,
                          unsigned indent, raw_ostream &out) {
  std::vector<std::string> words{"&self"};
  unsigned requirement = 0, future = 0;
  for (const RegionArgument &argument : statement.arguments) {
    const RegionRoot *root =
        argument.root == noIndex ? nullptr : &program.roots[argument.root];
    switch (argument.kind) {
    case RegionArgument::Iteration:
      llvm_unreachable("refused: see findSums");
    case RegionArgument::Constant:
      words.push_back(literalOf(argument.constant, argument.constantType));
      break;
    case RegionArgument::Parameter:
      words.push_back(
          parameterVariable(program.parameters[argument.parameter]));
      break;
    case RegionArgument::Scalar:
      if (isParameter(argument))
        words.push_back("task->futures[" + std::to_string(future++) +
                        "].get_result<" +
                        cTypeName(root->fields[0].type).str() + ">()");
      break;
    case RegionArgument::Region: {
      use(Helper::RegionView);
      std::string rank = std::to_string(root->extents.size());
      std::string view = "region" + std::to_string(requirement);
      std::map<unsigned, unsigned> regionOf;
      std::vector<Requirement> parts = requirementsOf(program, argument);
      for (auto [i, part] : enumerate(parts))
        for (unsigned field : part.fields)
          regionOf[field] = requirement + i;
      writeList(out,
                std::string(indent, ' ') + "const RegionView<" + rank + "> " +
                    view + "(",
                {(regions + "[" + Twine(requirement) + "]").str(),
                 fieldNames[argument.root][parts[0].fields[0]],
                 extentsText(program, root->extents)},
                ");\n");
      for (unsigned field : argument.fields) {
        std::string word = view + ".field<" +
                           pointeeText(argument, root->fields[field]) + ">(" +
                           fieldNames[argument.root][field];
        if (regionOf[field] != requirement)
          word += (", " + regions + "[" + Twine(regionOf[field]) + "]").str();
        words.push_back(word + ")");
      }
      words.push_back("&" + view + ".domain");
      requirement += parts.size();
    }
    }
  }
  return words;
}

/// The id of the task that calls the statement's function.
std::string LegionEmitter::variantOf(const RegionStatement &statement) {
  std::string body;
  raw_string_ostream text(body);
  std::string result = signatureOf(program, statement).result;
  std::vector<std::string> words = writeViews(statement, "regions", 2, text);
  writeList(text,
            std::string(result == "void" ? "  " : "  return ") +
                "::" + statement.function + "(",
            words, ");\n");
  std::string &id = known["variant " + result + body];
  if (!id.empty())
    return id;
  use(Helper::Task);
  std::string name = unique(identifier(statement.function) + "_task");
  id = unique(StringRef(name).upper() + "_ID");
  taskIds.push_back(id);
  raw_string_ostream out(variants);
  out << '\n';
  bool hasRegions = StringRef(body).contains("regions[");
  writeList(out, result + " " + name + "(",
            {"const Task *task",
             std::string("const std::vector<PhysicalRegion> &") +
                 (hasRegions ? "regions" : ""),
             "Context", "Runtime *"},
            ") {\n");
  out << "  const SluiceTask self = selfOf(task);\n" << body << "}\n";
  std::string types = result == "void" ? name : result + ", " + name;
  registrations +=
      "  " + callText(2, "Runtime::preregister_task_variant<" + types + ">(",
                      {"leaf(" + id + ", \"" + statement.function + "\")",
                       "\"" + statement.function + "\""},
                      ");\n");
  return id;
}
