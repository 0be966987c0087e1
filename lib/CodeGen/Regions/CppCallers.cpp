//===- CppCallers.cpp - Adapters from the runtime to user code ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runtime passes views to a task; the user's function takes pointers. A
// caller unpacks them, and stores or folds the function's result.
//
//===----------------------------------------------------------------------===//

#include "CppEmitter.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::codegen;

static std::string viewText(size_t argument, size_t field) {
  return ("views[" + Twine(argument) + "].fields[" + Twine(field) + "]").str();
}

static std::string scalarText(const RegionModel &program, size_t argument,
                              unsigned root) {
  return ("*static_cast<" + cTypeName(program.roots[root].fields[0].type) +
          " *>(" + viewText(argument, 0) + ")")
      .str();
}

/// The user's function, qualified if a local name of its caller would hide it.
static std::string calleeText(const std::string &function) {
  bool isHidden = function == "task" || function == "views" ||
                  function == "result" || function == "value";
  return (isHidden ? "::" : "") + function + "(";
}

/// The words of the call "f(task, ...)".
static std::vector<std::string> callWords(const RegionModel &program,
                                          const RegionStatement &statement) {
  std::vector<std::string> words{"task"};
  unsigned view = 0;
  for (const RegionArgument &argument : statement.arguments) {
    switch (argument.kind) {
    case RegionArgument::Iteration:
      llvm_unreachable("refused: see findSums");
    case RegionArgument::Constant:
      words.push_back(literalOf(argument.constant, argument.constantType));
      continue;
    case RegionArgument::Parameter:
      words.push_back(
          parameterVariable(program.parameters[argument.parameter]));
      continue;
    case RegionArgument::Scalar:
      if (isParameter(argument))
        words.push_back(scalarText(program, view, argument.root));
      break;
    case RegionArgument::Region:
      for (auto [i, index] : enumerate(argument.fields)) {
        const RegionField &field = program.roots[argument.root].fields[index];
        std::string isConst =
            argument.privilege == RegionPrivilege::Read ? "const " : "";
        std::string type = isConst + cTypeName(field.type).str();
        type += field.count == 1 ? " *"
                                 : " (*)[" + std::to_string(field.count) + "]";
        words.push_back("static_cast<" + type + ">(" + viewText(view, i) + ")");
      }
      words.push_back(("views[" + Twine(view) + "].domain").str());
    }
    ++view;
  }
  return words;
}

std::string CppEmitter::foldText(unsigned reduction, StringRef value) {
  const RegionReduction &operation = program.reductions[reduction];
  if (!operation.foldFunction.empty())
    return "";
  StringRef op = operation.op;
  if (op == "min" || op == "max")
    return ("std::" + op + "(result, " + value + ")").str();
  StringRef symbol = StringSwitch<StringRef>(op)
                         .Case("and", "&")
                         .Case("or", "|")
                         .Case("xor", "^")
                         .Default(op);
  return ("result " + symbol + " " + value).str();
}

/// The body of a caller, a line or several.
std::string CppEmitter::callText(const RegionStatement &statement) {
  std::vector<std::string> words = callWords(program, statement);
  const RegionArgument *result = nullptr;
  unsigned view = 0, resultView = 0;
  for (const RegionArgument &argument : statement.arguments) {
    if (argument.kind == RegionArgument::Constant ||
        argument.kind == RegionArgument::Parameter)
      continue;
    if (isResult(argument)) {
      result = &argument;
      resultView = view;
    }
    ++view;
  }
  std::string text, callee = calleeText(statement.function);
  raw_string_ostream out(text);
  if (!result) {
    writeList(out, "  " + callee, words, ");\n");
    return text;
  }
  std::string scalar = scalarText(program, resultView, result->root);
  if (!isFolded(*result)) {
    out << "  " << scalar << " =\n";
    writeList(out, "      " + callee, words, ");\n");
    return text;
  }
  StringRef type = cTypeName(program.roots[result->root].fields[0].type);
  const RegionReduction &reduction = program.reductions[result->reduction];
  out << "  " << type << " &result = " << scalar << ";\n";
  out << "  const " << type << " value =\n";
  writeList(out, "      " + callee, words, ");\n");
  if (reduction.foldFunction.empty())
    out << "  result = " << foldText(result->reduction, "value") << ";\n";
  else
    out << "  " << reduction.foldFunction << "(&result, &value);\n";
  return text;
}

std::string CppEmitter::uniqueName(const std::string &wanted) {
  std::string name = wanted;
  for (unsigned i = 2; !names.insert(name).second; ++i)
    name = wanted + "_" + std::to_string(i);
  return name;
}

std::string CppEmitter::callerOf(const RegionStatement &statement) {
  std::string text = callText(statement);
  std::string &name = callers[text];
  if (!name.empty())
    return name;
  name = uniqueName("call_" + statement.function);
  raw_string_ostream out(functions);
  out << '\n';
  writeList(
      out, "static void " + name + "(",
      {"const SluiceTask *task", "const SluiceView *views", "const void *"},
      ") {\n");
  out << text << "}\n";
  return name;
}

//===----------------------------------------------------------------------===//
// Projections
//===----------------------------------------------------------------------===//

/// The array of an affine projection.
std::string CppEmitter::matrixOf(const RegionArgument &argument,
                                 unsigned rank) {
  const RegionProjection &projection = argument.projection;
  std::vector<std::string> numbers;
  for (auto [row, offset] : enumerate(projection.offset)) {
    for (int64_t factor : ArrayRef(projection.matrix).slice(row * rank, rank))
      numbers.push_back(std::to_string(factor));
    numbers.push_back(std::to_string(offset));
  }
  const RegionPartition &partition = program.partitions[argument.partition];
  std::string &name = matrices[partition.name + ": " + join(numbers, ", ")];
  if (!name.empty())
    return name;
  name = uniqueName("map_" + identifier(partition.name));
  raw_string_ostream out(functions);
  out << '\n';
  writeList(out, "static const int64_t " + name + "[] = {", numbers, "};\n");
  return name;
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

std::string CppEmitter::reductionText(unsigned index) {
  const RegionReduction &reduction = program.reductions[index];
  if (reduction.foldFunction.empty())
    return ("{" + reductionKind(reduction) + ", nullptr, nullptr}").str();
  std::string &name = reductions[index];
  if (name.empty()) {
    name = uniqueName("fold_" + identifier(reduction.op)).substr(5);
    while (!names.insert("identity_" + name).second)
      name += '_';
    StringRef type = cTypeName(reduction.type);
    raw_string_ostream out(functions);
    out << "\nstatic const " << type << " identity_" << name << " = "
        << literalOf(reduction.identity, reduction.type) << ";\n"
        << "static void fold_" << name << "(void *into, const void *value) {\n";
    writeList(out, "  " + reduction.foldFunction + "(",
              {("static_cast<" + type + " *>(into)").str(),
               ("static_cast<const " + type + " *>(value)").str()},
              ");\n}\n");
  }
  return "{SLUICE_REDUCE_CUSTOM, &identity_" + name + ", fold_" + name + "}";
}
