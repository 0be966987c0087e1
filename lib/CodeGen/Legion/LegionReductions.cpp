//===- LegionReductions.cpp - Reduction operators of the Legion program ---===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Legion provides and registers the built-in operators. The user's operators,
// and operators on fields with several values per element, become classes.
//
//===----------------------------------------------------------------------===//

#include "LegionEmitter.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::codegen;
using namespace sluice::codegen::legion;

static std::string builtIn(const RegionReduction &reduction) {
  StringRef name = StringSwitch<StringRef>(reduction.op)
                       .Case("+", "Sum")
                       .Case("*", "Prod")
                       .Case("min", "Min")
                       .Case("max", "Max")
                       .Case("and", "And")
                       .Case("or", "Or")
                       .Default("Xor");
  return (name + "Reduction<" + cTypeName(reduction.type) + ">").str();
}

/// The class of a user's operator, with `id` for Legion.
static void writeClass(const RegionReduction &reduction, StringRef name,
                       unsigned id, raw_ostream &out) {
  StringRef type = cTypeName(reduction.type);
  const std::string &fold = reduction.foldFunction;
  out << "\n/// The operator '" << commentText(reduction.op) << "'.\nstruct "
      << name << " {\n  using LHS = " << type << ";\n  using RHS = " << type
      << ";\n  static constexpr ReductionOpID REDOP_ID = " << id
      << ";\n  static constexpr RHS identity = "
      << literalOf(reduction.identity, reduction.type)
      << ";\n\n  template <bool isExclusive> static void fold(RHS &into, RHS "
         "value) {\n    if (isExclusive)\n      ::"
      << fold
      << "(&into, &value);\n    else\n      foldAtomically(into, value, "
      << "::" << fold
      << ");\n  }\n  template <bool isExclusive> static void apply(LHS &into, "
         "RHS value) {\n    fold<isExclusive>(into, value);\n  }\n};\n";
}

/// The class for `count` values of one type.
std::string LegionEmitter::reductionOf(unsigned index, unsigned count) {
  const RegionReduction &reduction = program.reductions[index];
  bool isBuiltIn = reduction.foldFunction.empty();
  if (isBuiltIn && count == 1)
    return builtIn(reduction);
  std::string key = ("reduction " + Twine(index) + " " + Twine(count)).str();
  if (auto found = known.find(key); found != known.end())
    return found->second;
  std::string one = isBuiltIn ? builtIn(reduction) : "";
  if (!isBuiltIn && count > 1)
    one = reductionOf(index, 1);
  std::string word = isBuiltIn ? StringRef(one).split('R').first.lower()
                               : identifier(reduction.op);
  raw_string_ostream out(reductions);
  std::string name = unique("reduction_" + word);
  if (count == 1) {
    use(Helper::FoldAtomically);
    writeClass(reduction, name, ++numReductions, out);
  } else {
    use(Helper::ArrayReduction);
    out << "\n/// " << count << " values at a time.\n";
    writeList(out, "using " + name + " = ArrayReduction<",
              {one, std::to_string(count), std::to_string(++numReductions)},
              ">;\n");
  }
  registrations +=
      "  " + callText(2, "Runtime::register_reduction_op<" + name + ">(",
                      {name + "::REDOP_ID"}, ");\n");
  return known[key] = name;
}

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

/// The id of the task that folds one scalar into another.
std::string LegionEmitter::foldTaskOf(unsigned index) {
  const RegionReduction &reduction = program.reductions[index];
  std::string &id = known[("fold " + Twine(index)).str()];
  if (!id.empty())
    return id;
  use(Helper::FoldTask);
  std::string name = reductionOf(index, 1);
  std::string word = reduction.foldFunction.empty()
                         ? StringRef(name).split('R').first.str()
                         : reduction.op;
  id = unique("FOLD_" + macroName(word) + "_" +
              macroName(cTypeName(reduction.type)) + "_TASK_ID");
  taskIds.push_back(id);
  registrations +=
      "  " +
      callText(2,
               ("Runtime::preregister_task_variant<" +
                cTypeName(reduction.type) + ", fold_task<" + name + ">>(")
                   .str(),
               {"leaf(" + id + ", \"fold\")", "\"fold\""}, ");\n");
  return id;
}

/// "scalar = fold(ID, scalar, value);".
std::string LegionEmitter::foldText(unsigned indent,
                                    const RegionArgument &scalar,
                                    StringRef value) {
  const std::string &name = regionNames[scalar.root];
  return assignText(indent, name, "fold(",
                    {foldTaskOf(scalar.reduction), name, value.str()}, ");\n");
}
