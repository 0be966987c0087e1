//===- pack.cpp - A C++ program that packs with the installed library -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Commits a layout synchronously. With the argument "compiled" the compiler
// that was installed beside the library must have been found.
//
//===----------------------------------------------------------------------===//

#include <sluice/Pack/Datatype.h>
#include <sluice/Pack/Packer.h>

#include <cstdio>
#include <cstring>

static bool packs(farc::Datatype &layout) {
  int in[10], out[6] = {};
  const int expected[6] = {0, 1, 2, 5, 6, 7};
  for (int i = 0; i != 10; ++i)
    in[i] = i;
  farc::DDT_Pack(in, out, &layout, 1);
  return memcmp(out, expected, sizeof out) == 0;
}

int main(int argc, char **argv) {
  bool mustBeCompiled = argc > 1 && strcmp(argv[1], "compiled") == 0;
  farc::DDT_Init();
  farc::PrimitiveDatatype element(farc::PrimitiveDatatype::INT);
  farc::VectorDatatype layout(2, 3, 5, &element);
  farc::DDT_Commit(&layout, true);
  const sluice::pack::Kernel &kernel = layout.getPacker()->kernel();
  bool isCompiled = kernel.origin == sluice::pack::KernelOrigin::Compiled;
  if (mustBeCompiled && !isCompiled) {
    fprintf(stderr, "the compiler was not found; '%s' serves\n",
            kernel.name.c_str());
    return 1;
  }
  return packs(layout) ? 0 : 1;
}
