//===- SerialEdges.cpp - The edges of rule R* -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every pair that the rule names.
//
//===----------------------------------------------------------------------===//

#include "SerialNaive.h"

using namespace sluice::rdir;

SerializationEdges sluice::rdir::serializationEdges(const Graph &graph) {
  return naiveSerializationEdges(graph);
}
