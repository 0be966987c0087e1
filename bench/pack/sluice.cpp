//===- sluice.cpp - DDT_Pack and DDT_Unpack -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `sluice compiled` compiles each layout when it commits it. `sluice
// ready-made` does not, and the driver sees to it that nothing is compiled in
// the background either.
//
//===----------------------------------------------------------------------===//

#include "rows.h"
#include "sluice_types.h"

#include <optional>

using namespace bench;

namespace {

bool compiles;
std::optional<SluiceTypes> types;
Instances<farc::Datatype *> layout;

void prepare(const std::string &name) {
  types.emplace();
  layout = makeLayout(*types, name);
  farc::DDT_Commit(layout.type, compiles);
}

void pack(const std::byte *in, std::byte *out) {
  farc::DDT_Pack(in, out, layout.type, layout.count);
}

void unpack(const std::byte *in, std::byte *out) {
  farc::DDT_Unpack(in, out, layout.type, layout.count);
}

} // namespace

int main(int argc, char **argv) {
  compiles = argc > 1 && std::string(argv[1]) == "compiled";
  farc::DDT_Init();
  const int status =
      servePacking({prepare, pack, unpack, [] { types.reset(); }});
  types.reset();
  farc::DDT_Finalize();
  return status;
}
