//===- MeetingText.h - Names of instances that meet -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages name instances by their ids, and by the variables of the program
// that count them.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_ANALYSIS_RACE_MEETINGTEXT_H
#define SLUICE_LIB_ANALYSIS_RACE_MEETINGTEXT_H

#include "Graph/Tree.h"

namespace sluice::races {

/// "instances (0, 1) and (0, 0)", or "instance (0) of 'blur' and instance (1)
/// of 'sharpen'". `values` are those of the ids; ids of the first `equalLevels`
/// levels are equal.
std::string spellMeeting(const TreeNode &first, const TreeNode &second,
                         unsigned equalLevels,
                         const std::map<Symbol, int64_t> &values);

} // namespace sluice::races

#endif // SLUICE_LIB_ANALYSIS_RACE_MEETINGTEXT_H
