//===- ProgramFields.cpp - Fields that a program does not distinguish -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The mask of each argument splits the classes that it overlaps partly.
//
//===----------------------------------------------------------------------===//

#include "ProgramFields.h"

#include <algorithm>

using namespace sluice::rdir;

/// Splits the classes so that `mask` is a union of some of them.
static void refine(std::vector<FieldMask> &classes, FieldMask mask) {
  if (std::find(classes.begin(), classes.end(), mask) != classes.end())
    return;
  FieldMask rest = mask;
  for (size_t i = 0, e = classes.size(); i != e; ++i) {
    FieldMask common = classes[i] & mask, other = classes[i] & ~mask;
    rest &= ~common;
    if (!common || !other)
      continue;
    classes[i] = common;
    classes.push_back(other);
  }
  if (rest)
    classes.push_back(rest);
}

RootFieldClasses::RootFieldClasses(const SequentialProgram &program)
    : isJoined(program.forest->hasConstraints()) {
  for (const ProgramTask &task : program.tasks)
    for (const ProgramArgument &argument : task.arguments)
      refine(classes[groupOf(program.forest->root(argument.region))],
             argument.fields);
  for (auto &[root, masks] : classes)
    std::sort(masks.begin(), masks.end());
}

std::span<const FieldMask> RootFieldClasses::classesOf(RegionIndex root) const {
  auto it = classes.find(groupOf(root));
  if (it == classes.end())
    return {};
  return it->second;
}
