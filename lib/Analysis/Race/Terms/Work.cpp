//===- Work.cpp - A limit of the arithmetic for one question --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One counter a thread, which limits put lower.
//
//===----------------------------------------------------------------------===//

#include "Work.h"

#include <algorithm>

using namespace sluice::races;

static thread_local int64_t workLeft = INT64_MAX;

WorkLimit::WorkLimit(int64_t most)
    : most(std::min(most, workLeft)), outer(workLeft) {
  workLeft = this->most;
}

WorkLimit::~WorkLimit() { workLeft = outer - spent(); }

int64_t WorkLimit::spent() const { return most - workLeft; }

bool WorkLimit::isReached() { return workLeft <= 0; }

bool sluice::races::takeWork(int64_t amount) {
  // Not far below 0, however much is asked for.
  if (workLeft <= 0)
    return false;
  workLeft -= amount;
  return workLeft > 0;
}
