//===- RehearsalDirectives.cpp - What directives say ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Clang's code does not show some of the guarantees of OpenMP, because it is
// the same with and without them. The directives in the source show them.
//
//===----------------------------------------------------------------------===//

#include "sluice/Analysis/Rehearsal.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;
using namespace sluice;

/// A directive as the preprocessor reads it: continued lines are joined, and
/// comments, also of several lines, become blanks. None if it contains strings.
static std::optional<std::string> joinLines(ArrayRef<StringRef> lines) {
  std::string text;
  for (StringRef line : lines) {
    StringRef here = line.rtrim();
    bool goesOn = here.consume_back("\\");
    text += here.str();
    if (goesOn)
      continue;
    text += '\n';
    std::string words;
    bool isOpen = false;
    for (size_t at = 0; at < text.size(); ++at) {
      StringRef rest = StringRef(text).drop_front(at);
      if (rest.starts_with("\"") || rest.starts_with("'"))
        return std::nullopt;
      if (rest.starts_with("//")) {
        // A comment up to the end of the directive's line.
        words += ' ';
        break;
      }
      if (rest.starts_with("/*")) {
        size_t end = rest.find("*/", 2);
        isOpen = end == StringRef::npos;
        if (isOpen)
          break;
        words += ' ';
        at += end + 1;
        continue;
      }
      words += text[at];
    }
    if (!isOpen)
      return words;
  }
  return std::nullopt;
}

std::optional<std::string>
sluice::rehearsal::directiveAt(const SourcePlace &loop) {
  auto buffer = MemoryBuffer::getFile(loop.file, /*IsText=*/true);
  if (!loop.isKnown() || !buffer)
    return std::nullopt;
  SmallVector<StringRef> lines;
  (*buffer)->getBuffer().split(lines, '\n');
  if (loop.line == 0 || loop.line > lines.size())
    return std::nullopt;
  // A macro or '_Pragma' may stand for the directive.
  StringRef first = lines[loop.line - 1];
  if (!first.ltrim().starts_with("#") ||
      (loop.column != 0 && first.find('#') + 1 != loop.column))
    return std::nullopt;
  std::optional<std::string> text =
      joinLines(ArrayRef(lines).drop_front(loop.line - 1));
  if (!text)
    return std::nullopt;
  // All other words may be macros.
  static const StringSet<> words = {
      "pragma",  "omp",      "simd",         "for",      "parallel",
      "safelen", "private",  "lastprivate",  "linear",   "reduction",
      "aligned", "collapse", "firstprivate", "shared",   "num_threads",
      "default", "schedule", "nowait",       "teams",    "distribute",
      "target",  "taskloop", "if",           "order",    "nontemporal",
      "ordered", "sections", "allocate",     "proc_bind"};
  int depth = 0;
  std::string word, outer = " ";
  for (char letter : *text + " ") {
    if (isAlnum(letter) || letter == '_') {
      word += letter;
      continue;
    }
    if (!word.empty() && depth == 0) {
      if (!words.contains(word))
        return std::nullopt;
      outer += word + " ";
    }
    word.clear();
    depth += (letter == '(') - (letter == ')');
  }
  if (!StringRef(outer).starts_with(" pragma omp "))
    return std::nullopt;
  return outer;
}

bool sluice::rehearsal::isScanStart(const BasicBlock &block) {
  return block.getName().starts_with("omp.outer.log.scan.body");
}

/// True if only the first thread reaches a block, directly after the test of
/// its number.
static bool isOfFirstThread(const BasicBlock &block) {
  const BasicBlock *question = block.getSinglePredecessor();
  return question && any_of(*question, [](const Instruction &instruction) {
           const auto *call = dyn_cast<CallBase>(&instruction);
           const Function *callee = call ? call->getCalledFunction() : nullptr;
           return callee && (callee->getName() == "__kmpc_master" ||
                             callee->getName() == "__kmpc_masked");
         });
}

rehearsal::ScanKind sluice::rehearsal::scanOf(const Function &function) {
  auto kind = ScanKind::None;
  for (const BasicBlock &block : function) {
    if (!isScanStart(block))
      continue;
    bool isShared = any_of(predecessors(&block), [](const BasicBlock *before) {
      return isOfFirstThread(*before);
    });
    kind = std::max(kind, isShared ? ScanKind::Shared : ScanKind::Wrong);
  }
  return kind;
}

StringRef sluice::rehearsal::reasonOf(ScanKind scan) {
  return scan == ScanKind::Wrong
             ? "clang compiles 'scan' in 'omp for' wrongly for several "
               "threads: use 'omp parallel for'"
             : "iterations may depend on each other around 'scan'";
}

int64_t
sluice::rehearsal::chunkOf(uint64_t schedule, std::optional<int64_t> length,
                           const std::optional<std::string> &directive) {
  // Clang's numbers of schedules; `ordered` adds 32.
  constexpr uint64_t ofChunks = 33, inTurn = 35, guided = 36, inOrder = 32,
                     ofTeams = 91;
  // Upper bits state whether chunks may run in any order.
  schedule &= 0xffff;
  if (schedule > 2 * inOrder && schedule != ofTeams)
    schedule -= inOrder;
  if (schedule != ofChunks && schedule != inTurn && schedule != guided &&
      schedule != ofTeams)
    return 1;
  // With these words, iterations of a chunk may run at the same time.
  StringRef words = directive ? StringRef(*directive) : "";
  if (words.contains(" simd ") || words.contains(" order ") ||
      (schedule == ofTeams && words.contains(" parallel ")))
    return 1;
  if (!length)
    return 0;
  int64_t number = std::max<int64_t>(*length, 1);
  return schedule == guided && number > 1 ? -number : number;
}

/// A member of clang's description of the place of a call; null if there is
/// none.
static const Constant *memberOfPlace(const CallBase &call, unsigned index) {
  const auto *place = dyn_cast<GlobalVariable>(call.getArgOperand(0));
  return place && place->hasInitializer()
             ? place->getInitializer()->getAggregateElement(index)
             : nullptr;
}

std::optional<std::string>
sluice::rehearsal::directiveOf(const Instruction &instruction,
                               SourcePlace place) {
  // A call of the library has the place of its directive: "file;f;3;1;;".
  const auto *call = dyn_cast<CallBase>(&instruction);
  constexpr unsigned textOf = 4;
  const auto *text =
      call && call->arg_size() > 1 &&
              isa<GlobalVariable>(call->getArgOperand(0))
          ? dyn_cast_or_null<GlobalVariable>(memberOfPlace(*call, textOf))
          : nullptr;
  const auto *data =
      text && text->hasInitializer()
          ? dyn_cast<ConstantDataSequential>(text->getInitializer())
          : nullptr;
  if (data && data->isCString()) {
    SmallVector<StringRef> parts;
    data->getAsCString().split(parts, ';');
    unsigned line = 0, column = 0;
    // Line and column stand between the function's name and two empty parts.
    size_t number = parts.size();
    if (number >= 6 && !parts[number - 4].getAsInteger(10, line) &&
        !parts[number - 3].getAsInteger(10, column) && line != 0) {
      place.line = line;
      place.column = column;
    }
  }
  return directiveAt(place);
}

/// False if no code tests whether its thread ran the last iteration of a loop.
static bool mayHaveLast(const CallBase &start, StringRef name) {
  return !name.starts_with("__kmpc_for_static_init_") ||
         any_of(start.getArgOperand(3)->users(),
                [](const User *user) { return isa<LoadInst>(user); });
}

const CallBase *sluice::rehearsal::loopOfBarrier(const CallBase &barrier) {
  constexpr unsigned flagsOf = 1, textOf = 4;
  const auto *flags =
      dyn_cast_or_null<ConstantInt>(memberOfPlace(barrier, flagsOf));
  constexpr uint64_t isWritten = 0x20;
  if (flags && (flags->getZExtValue() & isWritten))
    return nullptr;
  SmallPtrSet<const BasicBlock *, 8> seen;
  SmallVector<BasicBlock::const_iterator> ways = {
      std::next(barrier.getIterator())};
  while (!ways.empty()) {
    BasicBlock::const_iterator at = ways.pop_back_val();
    const BasicBlock &block = *at->getParent();
    const CallBase *next = nullptr;
    StringRef name;
    for (; at != block.end() && !next; ++at) {
      const auto *call = dyn_cast<CallBase>(&*at);
      const Function *callee = call ? call->getCalledFunction() : nullptr;
      name = callee ? callee->getName() : "";
      if (name.starts_with("__kmpc_") && name != "__kmpc_global_thread_num")
        next = call;
    }
    if (!next) {
      for (const BasicBlock *follower : successors(&block))
        if (seen.insert(follower).second)
          ways.push_back(follower->begin());
      continue;
    }
    // Other calls belong to other directives, or end their loop.
    bool isStart = name.starts_with("__kmpc_for_static_init_") ||
                   name.starts_with("__kmpc_dispatch_init_");
    if (isStart && mayHaveLast(*next, name) &&
        memberOfPlace(barrier, textOf) == memberOfPlace(*next, textOf) &&
        DominatorTree(const_cast<Function &>(*barrier.getFunction()))
            .dominates(&barrier, next))
      return next;
  }
  return nullptr;
}
