//===- Exchange.cpp - Packed replacements of a call's buffers -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies between the program's buffer and the packed bytes, block by block.
//
//===----------------------------------------------------------------------===//

#include "Exchange.h"
#include "WireTypes.h"

#include <cstring>

using namespace sluice::mpi;

void Side::begin(const void *buffer) {
  clear();
  user = static_cast<char *>(const_cast<void *>(buffer));
}

void Side::clear() {
  blocks.clear();
  staging = StagingBuffer();
  total = 0;
  hasGap = false;
}

void Side::add(const TypeRef &type, int64_t count, int64_t offset) {
  int64_t bytes = count * type->knownPacking()->size;
  blocks.push_back({type, count, offset, bytes, total, false});
  total += bytes;
}

void Side::addPlain(int64_t bytes, int64_t offset) {
  blocks.push_back({nullptr, bytes, offset, bytes, total, false});
  total += bytes;
}

bool Side::allocate() {
  staging = StagingBuffer::of(total);
  return isUsed();
}

void Side::pack(size_t i) {
  const Block &b = blocks[i];
  const char *from = user + b.offset;
  char *to = data() + b.packedOffset;
  if (b.type)
    b.type->knownPacking()->packer->pack(from, b.count, to);
  else if (b.bytes)
    std::memcpy(to, from, size_t(b.bytes));
}

void Side::unpack(size_t i) {
  const Block &b = blocks[i];
  const char *from = data() + b.packedOffset;
  char *to = user + b.offset;
  if (b.type)
    b.type->knownPacking()->packer->unpack(from, to, b.count);
  else if (b.bytes)
    std::memcpy(to, from, size_t(b.bytes));
}

void Side::packAll() {
  for (size_t i = 0; i != blocks.size(); ++i)
    pack(i);
}

void Side::unpackAll() {
  for (size_t i = 0; i != blocks.size(); ++i)
    if (!blocks[i].isKept)
      unpack(i);
}

void Side::unpackFirst(int64_t bytes) {
  const Block &b = blocks[0];
  if (hasGap)
    closeGap(data(), total, bytes);
  if (bytes >= b.bytes) {
    unpack(0);
    return;
  }
  b.type->knownPacking()->packer->unpackPart(data(), 0, bytes, user + b.offset,
                                             b.count);
}
