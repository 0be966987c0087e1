//===- Variant.cpp - The function table of one instruction set ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled once per instruction set, like the functions it lists.
//
//===----------------------------------------------------------------------===//

#include "Variant.h"

#define SLUICE_PACK_TEXT_OF(name) #name
#define SLUICE_PACK_TEXT(name) SLUICE_PACK_TEXT_OF(name)
#define SLUICE_PACK_JOINED_OF(a, b) a##b
#define SLUICE_PACK_JOINED(a, b) SLUICE_PACK_JOINED_OF(a, b)

namespace sluice::pack::kernels {

namespace variant = SLUICE_PACK_VARIANT;

const FunctionTable SLUICE_PACK_JOINED(SLUICE_PACK_VARIANT, Functions) = {
    .name = SLUICE_PACK_TEXT(SLUICE_PACK_VARIANT),
    .copy = variant::copy,
    .bytes = {variant::bytes, variant::bytes},
    .blocks = variant::blocks,
    .blockLines = variant::blockLines,
    .rows = variant::rows,
    .tiles = variant::tiles,
    .indexed = variant::indexed,
    .runs = variant::runs,
    .storeLines = variant::storeLines,
    .fenceLines = variant::fenceLines,
};

} // namespace sluice::pack::kernels
