//===- Signatures.cpp - The C functions behind tasks ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// sluice-c/Tasks.h states the rules: what a function is given for each of its
// arguments, in the order of the task's ports.
//
//===----------------------------------------------------------------------===//

#include "Source.h"
#include "sluice/RDIR/FunctionNames.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::codegen;

bool codegen::isView(const RegionArgument &argument) {
  return argument.kind == RegionArgument::Region ||
         argument.kind == RegionArgument::Scalar;
}

bool codegen::isResult(const RegionArgument &argument) {
  return argument.kind == RegionArgument::Scalar &&
         argument.privilege != RegionPrivilege::Read;
}

bool codegen::isFolded(const RegionArgument &argument) {
  return isResult(argument) && argument.reduction != noIndex;
}

bool codegen::isParameter(const RegionArgument &argument) {
  return argument.kind != RegionArgument::Scalar ||
         argument.privilege == RegionPrivilege::Read ||
         argument.privilege == RegionPrivilege::ReadWrite;
}

namespace {
/// Gives every parameter of a function a name of its own.
class SignatureMaker {
public:
  explicit SignatureMaker(const RegionModel &program) : program(program) {
    names.insert(headerGuard(program));
    add("const SluiceTask *@", "task");
  }

  CDeclaration make(const RegionStatement &statement);

private:
  std::string unique(StringRef wanted) {
    std::string base = identifier(wanted);
    if (rdir::isKeptForImplementations(base) ||
        StringRef(base).starts_with_insensitive("sluice"))
      base = "the_" + base;
    std::string name = base;
    for (unsigned i = 2;
         rdir::isReservedWord(name) || !names.insert(name).second; ++i)
      name = base + std::to_string(i);
    return name;
  }
  void add(std::string type, StringRef name) {
    signature.parameters.push_back({std::move(type), unique(name)});
  }
  void addRegion(const RegionArgument &argument);
  void addArgument(const RegionArgument &argument);

  const RegionModel &program;
  StringSet<> names;
  CDeclaration signature;
};
} // namespace

void SignatureMaker::addRegion(const RegionArgument &argument) {
  const RegionRoot &root = program.roots[argument.root];
  std::string base = unique(argument.partition == noIndex
                                ? root.name
                                : program.partitions[argument.partition].name);
  std::string isConst =
      argument.privilege == RegionPrivilege::Read ? "const " : "";
  for (unsigned index : argument.fields) {
    const RegionField &field = root.fields[index];
    std::string type = isConst + cTypeName(field.type).str();
    type +=
        field.count == 1 ? " *@" : " (*@)[" + std::to_string(field.count) + "]";
    add(type, base + "_" + field.name);
  }
  signature.parameters.push_back({"const SluiceDomain *@", base});
}

void SignatureMaker::addArgument(const RegionArgument &argument) {
  if (isResult(argument))
    signature.result =
        cTypeName(program.roots[argument.root].fields[0].type).str();
  if (!isParameter(argument))
    return;
  switch (argument.kind) {
  case RegionArgument::Region:
    return addRegion(argument);
  case RegionArgument::Scalar: {
    const RegionRoot &root = program.roots[argument.root];
    return add(cTypeName(root.fields[0].type).str() + " @", root.name);
  }
  case RegionArgument::Constant:
    return add(cTypeName(argument.constantType).str() + " @", "constant");
  case RegionArgument::Parameter: {
    const RegionParameter &parameter = program.parameters[argument.parameter];
    return add(cTypeName(parameter.type).str() + " @", parameter.name);
  }
  case RegionArgument::Iteration:
    return add("int64_t @", "iteration");
  }
}

CDeclaration SignatureMaker::make(const RegionStatement &statement) {
  signature.result = "void";
  for (const RegionArgument &argument : statement.arguments)
    addArgument(argument);
  return std::move(signature);
}

CDeclaration codegen::signatureOf(const RegionModel &program,
                                  const RegionStatement &statement) {
  return SignatureMaker(program).make(statement);
}

bool codegen::haveEqualTypes(const CDeclaration &a, const CDeclaration &b) {
  return a.result == b.result && a.parameters.size() == b.parameters.size() &&
         all_of(zip(a.parameters, b.parameters), [](const auto &pair) {
           return std::get<0>(pair).type == std::get<1>(pair).type;
         });
}

void codegen::writeDeclaration(raw_ostream &os, StringRef name,
                               const CDeclaration &signature) {
  std::vector<std::string> words;
  for (const DeclaredParameter &parameter : signature.parameters) {
    auto [before, after] = StringRef(parameter.type).split('@');
    words.push_back((before + parameter.name + after).str());
  }
  writeList(os, (signature.result + " " + name + "(").str(), words, ")");
}

//===----------------------------------------------------------------------===//
// All functions of a program
//===----------------------------------------------------------------------===//

namespace {
/// Lists each function once.
class FunctionLister {
public:
  explicit FunctionLister(const RegionModel &program) : program(program) {}

  std::vector<RegionFunction> run() {
    for (const RegionReduction &reduction : program.reductions)
      if (!reduction.foldFunction.empty()) {
        std::string type = cTypeName(reduction.type).str();
        add(reduction.foldFunction, "reduction operator", reduction.location,
            "void " + reduction.foldFunction + "(" + type + " *into, const " +
                type + " *value)",
            2);
      }
    for (const RegionPartition &partition : program.partitions)
      if (partition.kind == PartitionKind::Coloring)
        add(partition.function, "coloring", partition.location,
            "void " + partition.function +
                "(const int64_t *color, SluiceColoring *elements)",
            2);
    forEachStatement(program, [&](const RegionStatement &statement) {
      addStatement(statement);
    });
    return std::move(functions);
  }

private:
  void add(const std::string &name, StringRef role,
           std::optional<mlir::Location> location, std::string declaration,
           unsigned numArguments) {
    if (!program.pythonFunctions.contains(name) && known.insert(name).second)
      functions.push_back(
          {name, role.str(), std::move(declaration), location, numArguments});
  }
  void addStatement(const RegionStatement &statement) {
    for (const RegionArgument &argument : statement.arguments)
      if (argument.projection.kind == RegionProjection::Function)
        add(argument.projection.function, "projection", statement.location,
            "int64_t " + argument.projection.function +
                "(const SluiceTask *task)",
            1);
    if (statement.kind != RegionStatement::Task &&
        statement.kind != RegionStatement::Host)
      return;
    std::string declaration;
    raw_string_ostream os(declaration);
    writeDeclaration(os, statement.function, signatureOf(program, statement));
    add(statement.function,
        statement.kind == RegionStatement::Task ? "task" : "host statement",
        statement.location, declaration,
        1 + unsigned(count_if(statement.arguments, isParameter)));
  }

  const RegionModel &program;
  StringSet<> known;
  std::vector<RegionFunction> functions;
};
} // namespace

std::vector<RegionFunction> codegen::functionsOf(const RegionModel &program) {
  return FunctionLister(program).run();
}
