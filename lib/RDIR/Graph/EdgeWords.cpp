//===- EdgeWords.cpp - Names of the kinds of edges ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sluice/RDIR/EdgeWords.h"

#include <iterator>

using namespace sluice::rdir;

const EdgeWords &sluice::rdir::wordsOf(EdgeKind kind) {
  static constexpr EdgeWords words[] = {
      {"read", "reads", "reads", "a Read"},
      {"discard", "discards", "discards", "a Discard"},
      {"write", "writes", "writes", "a Write"},
      {"reduce", "reduces", "reduces into", "a Reduce"},
      {"continue", "continues", "continues", "a Continues"},
      {"happens_before", "after", "comes before", "a HappensBefore"}};
  static_assert(std::size(words) == size_t(EdgeKind::HappensBefore) + 1);
  return words[size_t(kind)];
}
