//===- LegionRoots.cpp - Index spaces, field spaces, regions --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every root becomes a region whose fields are filled with zero, as in Sluice's
// own runtime, so that no code reads unwritten values. A scalar becomes a
// future.
//
//===----------------------------------------------------------------------===//

#include "LegionEmitter.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::codegen;
using namespace sluice::codegen::legion;

void LegionEmitter::writeRoot(unsigned index, raw_ostream &out) {
  const RegionRoot &root = program.roots[index];
  const std::string &region = regionNames[index];
  if (root.isScalar) {
    out << "    " << region << " = Future::from_value<"
        << cTypeName(root.fields[0].type) << ">("
        << literalOf(root.initial, root.fields[0].type) << ");\n";
    return;
  }
  use(Helper::Box);
  out << "    {\n"
      << assignText(
             6, "const IndexSpace elements", "runtime->create_index_space(",
             {"ctx", "box<" + std::to_string(root.extents.size()) + ">(" +
                         extentsText(program, root.extents) + ")"},
             ");\n")
      << "      const FieldSpace fields = runtime->create_field_space(ctx);\n"
      << "      FieldAllocator allocator =\n"
         "          runtime->create_field_allocator(ctx, fields);\n";
  for (auto [field, name] : zip(root.fields, fieldNames[index]))
    out << "      "
        << callText(6, "allocator.allocate_field(",
                    {"sizeof(" + valueType(field) + ")", name}, ");\n");
  out << assignText(6, region, "runtime->create_logical_region(",
                    {"ctx", "elements", "fields"}, ");\n");
  for (auto [field, name] : zip(root.fields, fieldNames[index]))
    writeList(out, "      runtime->fill_field(",
              {"ctx", region, region, name, valueType(field) + "{}"}, ");\n");
  out << "    }\n";
}

void LegionEmitter::writeRoots(raw_ostream &out) {
  out << "\n  void createRegions() {\n";
  for (unsigned root = 0; root != program.roots.size(); ++root)
    writeRoot(root, out);
  out << "  }\n";
}
