//===- StarPUDeclarations.cpp - Roots, scalars, operators for StarPU ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Roots become registered memory, scalars too; operators of reductions become
// codelets.
//
//===----------------------------------------------------------------------===//

#include "StarPUEmitter.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::codegen;

void StarPUEmitter::writeRoot(unsigned index) {
  const RegionRoot &root = program.roots[index];
  std::vector<std::string> fields;
  for (const RegionField &field : root.fields) {
    fields.push_back(("{" + stringLiteral(field.name) + ", " +
                      elementTypeName(field.type) + ", " + Twine(field.count) +
                      "}")
                         .str());
  }
  os << '\n';
  writeList(os, "static const SluiceField fields_" + roots[index] + "[] = {",
            fields, "};\n");
  writeList(os, "static SluiceRoot " + roots[index] + " = {",
            {".name = " + stringLiteral(root.name),
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
            {".name = " + stringLiteral(root.name), ".value = &" + value,
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

void StarPUEmitter::writeReduction(unsigned index) {
  const RegionReduction &reduction = program.reductions[index];
  const std::string &name = reductions[index];
  StringRef type = cTypeName(reduction.type);
  std::string kind = ("{" + reductionKind(reduction) + ", NULL, NULL}").str();
  if (!reduction.foldFunction.empty()) {
    os << "\nstatic const " << type << " identity_" << name << " = "
       << literalOf(reduction.identity, reduction.type) << ";\n";
    writeList(os, "static void fold_" + name + "(",
              {"void *into", "const void *value"}, ") {\n");
    os << "  " << reduction.foldFunction << "(into, value);\n}\n";
    kind = ("{" + reductionKind(reduction) + ", &identity_" + name + ", fold_" +
            name + "}")
               .str();
  }
  os << '\n';
  writeList(os, "static const SluiceOperator " + name + " = {",
            {kind, elementTypeName(reduction.type).str()}, "};\n");
}

/// The codelets that StarPU calls to reduce a scalar from the copies of
/// workers.
void StarPUEmitter::writeReductionCodelets(unsigned index) {
  const std::string &name = reductions[index];
  StringRef type = cTypeName(program.reductions[index].type);
  const char *argument = "(void *)STARPU_VARIABLE_GET_PTR(buffers[";
  os << "\nstatic void runInit_" << name
     << "(void *buffers[], void *argument) {\n  (void)argument;\n"
     << "  sluiceReset(&" << name << ", " << argument
     << "0]), 1);\n}\n\nstatic void runRedux_" << name
     << "(void *buffers[], void *argument) {\n  (void)argument;\n  " << type
     << " value = *(const " << type
     << " *)STARPU_VARIABLE_GET_PTR(buffers[1]);\n";
  writeList(os, "  sluiceFold(",
            {"&" + name, std::string(argument) + "0])", "&value", "1"},
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
    if (!options.hasRanks && any_of(reductionOfScalar, [&](const auto &entry) {
          return entry.second == i;
        }))
      writeReductionCodelets(i);
  }
}
