//===- Declarations.cpp - Roots, scalars, operators for StarPU ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::codegen;

void StarPUEmitter::writeRoot(unsigned index) {
  const RegionRoot &root = program.roots[index];
  std::vector<std::string> fields;
  for (const RegionField &field : root.fields) {
    std::string size = "sizeof(" + cTypeName(field.type).str() + ")";
    std::string element =
        field.count == 1 ? size : std::to_string(field.count) + " * " + size;
    fields.push_back("{\"" + field.name + "\", " + element + ", " + size + "}");
  }
  os << '\n';
  writeList(os, "static const SluiceField fields_" + roots[index] + "[] = {",
            fields, "};\n");
  writeList(os, "static SluiceRoot " + roots[index] + " = {",
            {".name = \"" + root.name + "\"",
             ".rank = " + std::to_string(root.extents.size()),
             ".numFields = " + std::to_string(root.fields.size()),
             ".fields = fields_" + roots[index]},
            "};\n");
}

void StarPUEmitter::writeScalar(unsigned index) {
  const RegionRoot &root = program.roots[index];
  std::string value = "value_" + roots[index];
  os << "\nstatic " << cTypeName(root.fields[0].type) << ' ' << value << " = "
     << literalOf(root.initial, root.fields[0].type) << ";\n";
  writeList(os, "static SluiceScalar " + roots[index] + " = {",
            {".name = \"" + root.name + "\"", ".value = &" + value,
             ".size = sizeof(" + value + ")"},
            "};\n");
}

void StarPUEmitter::writeRoots() {
  writeTitle("Roots and scalars");
  for (unsigned i = 0; i != program.roots.size(); ++i)
    if (program.roots[i].isScalar)
      writeScalar(i);
    else
      writeRoot(i);
}

/// The identity of a built-in operator.
static std::string identityOf(const RegionReduction &reduction) {
  if (!reduction.foldFunction.empty())
    return literalOf(reduction.identity, reduction.type);
  bool isMin = reduction.op == "min", isMax = reduction.op == "max";
  if ((isMin || isMax) && !isInteger(reduction.type))
    return isMin ? "INFINITY" : "-INFINITY";
  if (isMin || isMax)
    return cTypeName(reduction.type).drop_back(2).upper() +
           (isMin ? "_MAX" : "_MIN");
  return StringSwitch<std::string>(reduction.op)
      .Case("*", "1")
      .Case("and", "-1")
      .Default("0");
}

/// The statement that folds values[i] into at[i].
static std::string foldOf(const RegionReduction &reduction) {
  if (!reduction.foldFunction.empty())
    return reduction.foldFunction + "(&at[i], &from[i]);";
  if (reduction.op == "min")
    return "at[i] = from[i] < at[i] ? from[i] : at[i];";
  if (reduction.op == "max")
    return "at[i] = at[i] < from[i] ? from[i] : at[i];";
  return "at[i] " +
         StringSwitch<std::string>(reduction.op)
             .Case("and", "&=")
             .Case("or", "|=")
             .Case("xor", "^=")
             .Default(reduction.op + "=") +
         " from[i];";
}

void StarPUEmitter::writeReduction(unsigned index) {
  const RegionReduction &reduction = program.reductions[index];
  const std::string &name = reductions[index];
  StringRef type = cTypeName(reduction.type);
  const char *loop = "  for (int64_t i = 0; i < count; ++i)\n    ";
  os << "\nstatic void clear_" << name << "(void *values, int64_t count) {\n  "
     << type << " *at = values;\n"
     << loop << "at[i] = " << identityOf(reduction) << ";\n}\n";
  writeList(os, "\nstatic void fold_" + name + "(",
            {"void *into", "const void *values", "int64_t count"}, ") {\n");
  os << "  " << type << " *at = into;\n  const " << type << " *from = values;\n"
     << loop << foldOf(reduction) << "\n}\n\n";
  writeList(os, "static const SluiceReduction " + name + " = {",
            {".clear = clear_" + name, ".fold = fold_" + name}, "};\n");
}

/// What StarPU calls for a scalar: on copies of workers.
void StarPUEmitter::writeReductionCodelets(unsigned index) {
  const std::string &name = reductions[index];
  const char *argument = "(void *)STARPU_VARIABLE_GET_PTR(buffers[";
  os << "\nstatic void runInit_" << name
     << "(void *buffers[], void *argument) {\n  (void)argument;\n  clear_"
     << name << "(" << argument << "0]), 1);\n}\n\nstatic void runRedux_"
     << name << "(void *buffers[], void *argument) {\n  (void)argument;\n";
  writeList(os, "  fold_" + name + "(",
            {std::string(argument) + "0])", std::string(argument) + "1])", "1"},
            ");\n}\n");
  os << "\nstatic struct starpu_codelet init_" << name << " = {\n"
     << "    .cpu_funcs = {runInit_" << name << "},\n    .nbuffers = 1,\n"
     << "    .modes = {STARPU_W},\n    .name = \"init\"};\n"
     << "static struct starpu_codelet redux_" << name << " = {\n"
     << "    .cpu_funcs = {runRedux_" << name << "},\n    .nbuffers = 2,\n"
     << "    .modes = {STARPU_RW, STARPU_R},\n"
     << "    .name = \"redux\"};\n";
}

void StarPUEmitter::writeReductions() {
  if (program.reductions.empty())
    return;
  writeTitle("Reductions");
  for (unsigned i = 0; i != program.reductions.size(); ++i) {
    writeReduction(i);
    if (any_of(reductionOfScalar,
               [&](const auto &entry) { return entry.second == i; }))
      writeReductionCodelets(i);
  }
}
