//===- RehearsalQuestions.cpp - What threads ask the library --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls that ask for numbers of threads, levels and settings. Some answers are
// the same in each run; others depend on the number of threads.
//
//===----------------------------------------------------------------------===//

#include "RehearsalRun.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::rehearsal;

bool RehearsalRun::asking(Thread &thread, CallBase &call, StringRef name) {
  FollowedNumber value;
  if (name == "__kmpc_global_thread_num") {
    // Clang only passes this number on to the library.
    value.bits = thread.number;
  } else if (name == "omp_get_thread_num") {
    bool isAlone = thread.team->numThreads == 1 || thread.team->isLeague;
    value.bits = isAlone ? 0 : thread.number;
    if (!isAlone && thread.strand->unit != Unit::Thread)
      value.depends = Order;
    else if (!isAlone)
      value.depends = thread.team->isExact ? ByThread : OwnNumber;
  } else if (name == "omp_get_team_num" || name == "omp_get_num_teams") {
    const Strand *team = thread.strand;
    while (team && !team->phase->team->isLeague)
      team = team->phase->team->parent;
    bool isNumber = name == "omp_get_num_teams";
    if (team) {
      value.bits = isNumber ? team->phase->team->numThreads : team->thread - 1;
      value.depends = Input;
    } else {
      value.bits = isNumber;
    }
  } else if (name == "omp_get_num_threads") {
    bool isAlone = thread.team->numThreads == 1 || thread.team->isLeague;
    value.bits = isAlone ? 1 : thread.team->numThreads;
    value.depends = isAlone || thread.team->isExact ? None : Input;
  } else if (name == "omp_get_max_threads" || name == "omp_get_num_procs" ||
             name == "omp_get_thread_limit") {
    constexpr unsigned usual = 4;
    bool isSaid = name == "omp_get_max_threads" && thread.defaultThreads != 0 &&
                  thread.defaultThreads != Thread::openNumber;
    value.bits = isSaid ? thread.defaultThreads : usual;
    value.depends = Input;
  } else if (name == "omp_set_num_threads") {
    FollowedNumber wanted = valueOf(thread, call.getArgOperand(0));
    constexpr int32_t usual = 4;
    int32_t number = int32_t(wanted.bits);
    // It is unknown which thread has set it.
    if (isParallel(thread) && !isFixed(thread.strand))
      doubt("any thread may change how many threads its teams have");
    if (wanted.depends)
      thread.defaultThreads =
          !(wanted.depends & Order) && number == usual ? 0 : Thread::openNumber;
    else if (number > 0)
      thread.defaultThreads = unsigned(number);
  } else if (name == "omp_set_nested" || name == "omp_set_max_active_levels") {
    FollowedNumber wanted = valueOf(thread, call.getArgOperand(0));
    int32_t levels = int32_t(wanted.bits);
    if (isParallel(thread))
      doubt("threads change whether teams have teams");
    if (wanted.depends)
      mostLevels = 1;
    else if (name == "omp_set_nested")
      mostLevels = levels ? deepestTeam : 1;
    else if (levels >= 0)
      mostLevels = unsigned(levels);
  } else if (name == "omp_get_level") {
    value.bits = thread.team->numLevels;
  } else if (name == "omp_in_parallel" || name == "omp_get_active_level") {
    value.bits = name == "omp_in_parallel" ? thread.team->numActive != 0
                                           : thread.team->numActive;
    value.depends = thread.team->numLevels == 0 ? None : Input;
  } else if (name == "omp_get_wtime" || name == "omp_get_wtick" ||
             name == "omp_get_num_devices" || name == "omp_get_dynamic" ||
             name == "omp_get_nested" || name == "omp_get_default_device") {
    value.depends = Input;
  } else if (name == "omp_is_initial_device") {
    value.bits = 1;
  } else if (name == "omp_set_dynamic") {
    FollowedNumber wanted = valueOf(thread, call.getArgOperand(0));
    isDynamic |= wanted.depends != None || uint32_t(wanted.bits) != 0;
  } else if (name == "omp_set_schedule") {
    isScheduleSet = true;
  } else {
    return false;
  }
  give(thread, call, value);
  return true;
}
