//===- FormInterpreter.cpp - Packing by walking the form ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The readable definition of the semantics of forms, and the kernel for layouts
// without a faster one.
//
//===----------------------------------------------------------------------===//

#include "../Form/CheckedArithmetic.h"
#include "../Form/FormBuilding.h"
#include "sluice/Pack/Kernel.h"

#include <cstring>

using namespace sluice::pack;

static void packByForm(const std::byte *in, int64_t count, std::byte *out,
                       const void *context) {
  const auto &layout = *static_cast<const Layout *>(context);
  for (int64_t i = 0; i != count; ++i)
    forEachRun(*layout.form, i * layout.extent + layout.offset,
               [&](int64_t offset, int64_t length) {
                 std::memcpy(out, addressAt(in, offset), size_t(length));
                 out += length;
               });
}

static void unpackByForm(const std::byte *in, int64_t count, std::byte *out,
                         const void *context) {
  const auto &layout = *static_cast<const Layout *>(context);
  for (int64_t i = 0; i != count; ++i)
    forEachRun(*layout.form, i * layout.extent + layout.offset,
               [&](int64_t offset, int64_t length) {
                 std::memcpy(addressAt(out, offset), in, size_t(length));
                 in += length;
               });
}

Kernel sluice::pack::interpretedKernel(const Layout &layout) {
  Kernel kernel;
  if (layout.form->hasCustom) {
    kernel.name = "custom code, not compiled yet";
    return kernel;
  }
  kernel.pack = packByForm;
  kernel.unpack = unpackByForm;
  kernel.context = std::make_shared<Layout>(layout);
  kernel.name = "interpreter";
  return kernel;
}
