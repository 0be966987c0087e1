//===- hand.cpp - Runs one variant of the loops written by hand -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `hand VARIANT`, where VARIANT is plain, straight, avx512 or streaming.
// `hand VARIANT list` prints the rows it has, and which directions.
//
//===----------------------------------------------------------------------===//

#include "find_hand.h"
#include "rows.h"

using namespace bench;

namespace {

std::span<const Hand> loops;
const Hand *loop;
int64_t count;

std::span<const Hand> variant(const std::string &name) {
  if (name == "plain")
    return plainLoops();
  if (name == "straight")
    return straightLines();
  if (name == "avx512")
    return avx512Loops();
  if (name == "streaming")
    return streamingLoops();
  std::fprintf(stderr, "there is no variant '%s'\n", name.c_str());
  std::exit(2);
}

int list() {
  for (const Hand &hand : loops)
    std::printf("%s%s%s\n", hand.layout, hand.pack ? " pack" : "",
                hand.unpack ? " unpack" : "");
  return 0;
}

void prepare(const std::string &layout) {
  loop = &findHand(loops, layout);
  count = handCount(layout);
}

void pack(const std::byte *in, std::byte *out) { loop->pack(in, out, count); }
void unpack(const std::byte *in, std::byte *out) {
  loop->unpack(in, out, count);
}

} // namespace

int main(int argc, char **argv) {
  loops = variant(argc > 1 ? argv[1] : "plain");
  if (argc > 2 && std::string(argv[2]) == "list")
    return list();
  return servePacking({prepare, pack, unpack, [] {}});
}
