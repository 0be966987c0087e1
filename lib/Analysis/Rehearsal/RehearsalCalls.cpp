//===- RehearsalCalls.cpp - Functions of C and of the compiler ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of functions whose code is not in the program.
//
//===----------------------------------------------------------------------===//

#include "RehearsalRun.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/IntrinsicInst.h"

#include <bit>
#include <cmath>
#include <cstdlib>

using namespace llvm;
using namespace sluice;
using namespace sluice::rehearsal;

void RehearsalRun::give(Thread &thread, CallBase &call, FollowedNumber value) {
  if (isStopped || thread.frames.empty())
    return;
  Frame &frame = thread.frames.back();
  if (value.depends & OwnNumber)
    value.depends |= ByThread;
  if (!call.getType()->isVoidTy())
    frame.values[&call] = value;
  if (auto *invoke = dyn_cast<InvokeInst>(&call))
    enter(thread, invoke->getNormalDest());
  else
    ++frame.at;
}

bool RehearsalRun::call(Thread &thread, Frame &frame, CallBase &call) {
  Function *callee = call.getCalledFunction();
  if (!callee && !call.isInlineAsm()) {
    FollowedNumber target = valueOf(thread, call.getCalledOperand());
    if (target.depends)
      doubt("what it calls depends on its input, or on the order of threads");
    callee = functionAt(target.bits);
  }
  if (!callee) {
    stop("it calls what is not known");
    return true;
  }
  StringRef name = callee->getName();
  if (callee->isIntrinsic())
    return intrinsic(thread, call, name);
  if (callee->isDeclaration()) {
    if (name.starts_with("__kmpc_") || name.starts_with("omp_") ||
        name.starts_with("__tgt_"))
      return runtime(thread, frame, call, name);
    return library(thread, call, name);
  }
  SmallVector<FollowedNumber> arguments;
  for (const Use &argument : call.args())
    arguments.push_back(valueOf(thread, argument.get()));
  push(thread, *callee, arguments, &call);
  return true;
}

bool RehearsalRun::intrinsic(Thread &thread, CallBase &call, StringRef) {
  auto argument = [&](unsigned index) {
    return valueOf(thread, call.getArgOperand(index));
  };
  auto sizeAt = [&](unsigned index) {
    FollowedNumber size = argument(index);
    if (size.depends & ~ByThread)
      doubt("how much memory it uses depends on its input");
    return size.bits;
  };
  FollowedNumber value;
  Type *type = call.getType();
  switch (call.getIntrinsicID()) {
  case Intrinsic::lifetime_start:
  case Intrinsic::lifetime_end:
    if (FollowedObject *object = find(argument(call.arg_size() - 1).bits))
      endOf(*object, thread);
    break;
  case Intrinsic::memcpy:
  case Intrinsic::memmove:
    copy(thread, argument(0), argument(1), sizeAt(2), &call);
    break;
  case Intrinsic::memset:
    fill(thread, argument(0), argument(1), sizeAt(2), &call);
    break;
  case Intrinsic::threadlocal_address: {
    auto *variable = dyn_cast<GlobalVariable>(call.getArgOperand(0));
    if (!variable) {
      stop("it uses variables that are elsewhere");
      break;
    }
    value.bits = globalOf(thread, *variable, /*isThreads=*/true);
    // Any thread may run a task, so the copy is unknown.
    if (isParallel(thread) && unitOf(thread.strand)->unit == Unit::Task)
      value.depends |= Order;
    break;
  }
  case Intrinsic::smax:
  case Intrinsic::smin:
  case Intrinsic::umax:
  case Intrinsic::umin:
  case Intrinsic::abs: {
    unsigned width = type->getScalarSizeInBits();
    if (type->isVectorTy() || width > 64) {
      stop("it uses numbers of unusual types");
      break;
    }
    FollowedNumber left = argument(0);
    auto wide = [&](uint64_t bits) {
      return int64_t(bits << (64 - width)) >> (64 - width);
    };
    if (call.getIntrinsicID() == Intrinsic::abs) {
      value = left;
      if (wide(left.bits) < 0)
        value.bits = uint64_t(-wide(left.bits)) &
                     (width == 64 ? ~uint64_t(0) : (uint64_t(1) << width) - 1);
      break;
    }
    FollowedNumber right = argument(1);
    bool isSigned = call.getIntrinsicID() == Intrinsic::smax ||
                    call.getIntrinsicID() == Intrinsic::smin;
    bool isLess =
        isSigned ? wide(left.bits) < wide(right.bits) : left.bits < right.bits;
    bool wantsLess = call.getIntrinsicID() == Intrinsic::smin ||
                     call.getIntrinsicID() == Intrinsic::umin;
    value = isLess == wantsLess ? left : right;
    value.depends = madeOf(left.depends | right.depends);
    break;
  }
  case Intrinsic::assume:
  case Intrinsic::stackrestore:
  case Intrinsic::experimental_noalias_scope_decl:
  case Intrinsic::prefetch:
  case Intrinsic::invariant_end:
  case Intrinsic::donothing:
    break;
  case Intrinsic::stacksave:
  case Intrinsic::invariant_start:
    break;
  case Intrinsic::expect:
    value = argument(0);
    break;
  case Intrinsic::sqrt:
    return mathematics(thread, call, "sqrt");
  case Intrinsic::fabs:
    return mathematics(thread, call, "fabs");
  case Intrinsic::sin:
    return mathematics(thread, call, "sin");
  case Intrinsic::cos:
    return mathematics(thread, call, "cos");
  case Intrinsic::exp:
    return mathematics(thread, call, "exp");
  case Intrinsic::log:
    return mathematics(thread, call, "log");
  case Intrinsic::log2:
    return mathematics(thread, call, "log2");
  case Intrinsic::pow:
    return mathematics(thread, call, "pow");
  case Intrinsic::floor:
    return mathematics(thread, call, "floor");
  case Intrinsic::ceil:
    return mathematics(thread, call, "ceil");
  case Intrinsic::fmuladd: {
    FollowedNumber product =
        binary(Instruction::FMul, type, argument(0), argument(1));
    value = binary(Instruction::FAdd, type, product, argument(2));
    break;
  }
  default:
    stop("it uses '" + call.getCalledFunction()->getName().str() + "'");
  }
  give(thread, call, value);
  return true;
}

bool RehearsalRun::mathematics(Thread &thread, CallBase &call, StringRef name) {
  using One = double (*)(double);
  One function = StringSwitch<One>(name)
                     .Case("sqrt", std::sqrt)
                     .Case("fabs", std::fabs)
                     .Case("sin", std::sin)
                     .Case("cos", std::cos)
                     .Case("tan", std::tan)
                     .Case("atan", std::atan)
                     .Case("exp", std::exp)
                     .Case("log", std::log)
                     .Case("log2", std::log2)
                     .Case("floor", std::floor)
                     .Case("ceil", std::ceil)
                     .Default(nullptr);
  Type *type = call.getType();
  if ((!function && name != "pow") ||
      !(type->isFloatTy() || type->isDoubleTy())) {
    return false;
  }
  auto read = [&](unsigned index) {
    uint64_t bits = valueOf(thread, call.getArgOperand(index)).bits;
    return type->isFloatTy() ? double(std::bit_cast<float>(uint32_t(bits)))
                             : std::bit_cast<double>(bits);
  };
  double made = function ? function(read(0)) : std::pow(read(0), read(1));
  FollowedNumber value;
  value.bits = type->isFloatTy() ? std::bit_cast<uint32_t>(float(made))
                                 : std::bit_cast<uint64_t>(made);
  for (const Use &use : call.args())
    value.depends |= valueOf(thread, use.get()).depends;
  give(thread, call, value);
  return true;
}

uint64_t RehearsalRun::allocateHeap(Thread &thread, uint64_t size,
                                    const CallBase &call, bool isZero) {
  ++numHeap;
  uint64_t begin = allocate(size, "", nullptr);
  FollowedObject &object = objects[begin];
  if (!isZero)
    object.depends.assign(object.size, Input);
  // Until another thread learns its address.
  if (isParallel(thread) && isFixed(thread.strand)) {
    object.home = thread.strand->stack;
    object.made = &call;
  }
  return begin;
}

bool RehearsalRun::library(Thread &thread, CallBase &call, StringRef name) {
  auto argument = [&](unsigned index) {
    return valueOf(thread, call.getArgOperand(index));
  };
  auto sizeAt = [&](unsigned index) {
    FollowedNumber size = argument(index);
    if (size.depends & ~ByThread)
      doubt("how much memory it uses depends on its input");
    return size.bits;
  };
  unsigned numArguments = call.arg_size();
  FollowedNumber value;
  if (name == "malloc" || name == "_Znwm" || name == "_Znam" ||
      name == "calloc") {
    FollowedNumber size = argument(0);
    if (name == "calloc") {
      size.bits *= argument(1).bits;
      size.depends |= argument(1).depends;
    }
    if (size.depends)
      doubt("how much memory it uses depends on its input");
    value.bits = allocateHeap(thread, size.bits, call, name == "calloc");
  } else if (name == "posix_memalign") {
    store(thread, argument(0),
          {allocateHeap(thread, sizeAt(2), call, /*isZero=*/false)},
          PointerType::get(call.getContext(), 0), &call, /*isAtomic=*/false);
  } else if (name == "free" || name.starts_with("_ZdlPv") ||
             name.starts_with("_ZdaPv")) {
    if (argument(0).depends)
      doubt("which memory it gives back depends on its input");
    if (argument(0).bits)
      release(thread, argument(0).bits, &call);
  } else if (name == "memcpy" || name == "memmove") {
    copy(thread, argument(0), argument(1), sizeAt(2), &call);
    value = argument(0);
  } else if (name == "memset") {
    fill(thread, argument(0), argument(1), sizeAt(2), &call);
    value = argument(0);
  } else if (name == "exit" || name == "_exit") {
    // The program ends, so no other thread may run.
    if (isParallel(thread))
      doubt("a thread ends the program");
    if (!atExit.empty() && name == "exit")
      doubt("it goes on when its main function is over");
    isStopped = true;
    return true;
  } else if (name == "__cxa_atexit") {
    FollowedNumber target = argument(0);
    Function *function = functionAt(target.bits);
    if (target.depends || !function || isParallel(thread) || thread.numDoubts)
      doubt("it goes on when its main function is over");
    else if (!function->isDeclaration())
      atExit.push_back({function, argument(1)});
  } else if (name == "_ZNSt8ios_base4InitC1Ev" || name == "srand" ||
             name == "srandom" || name == "usleep" || name == "sleep" ||
             name == "fflush" || name == "sched_yield") {
    value = {};
  } else if (name == "rand" || name == "random" || name == "time" ||
             name == "clock" || name == "drand48") {
    if (name == "time" && argument(0).bits)
      doubt("it asks for the time");
    value.depends = Input;
    value.bits = name == "drand48" ? 0 : 1;
  } else if (name == "gettimeofday") {
    fill(thread, argument(0), {}, 16, &call);
    if (FollowedObject *object = find(argument(0).bits))
      object->depends.assign(object->size, Input);
  } else if (name == "printf" || name == "puts" || name == "putchar" ||
             name == "fprintf" || name == "fputs" || name == "fputc" ||
             name == "fwrite" || name.starts_with("_ZNSo") ||
             name.starts_with("_ZStls") || name == "perror") {
    // It reads the strings that it is given.
    for (unsigned i = 0; i != numArguments; ++i)
      if (call.getArgOperand(i)->getType()->isPointerTy())
        if (FollowedObject *object = find(argument(i).bits);
            object && !object->isConstant && !object->isForeign &&
            isParallel(thread))
          doubt("it prints a text that somebody may change");
    value = call.getType()->isPointerTy() && numArguments ? argument(0)
                                                          : FollowedNumber();
    value.depends |= Input;
    if (call.getType()->isPointerTy())
      value.depends = None;
  } else if (name == "atoi" || name == "atol" || name == "strtol" ||
             name == "atof") {
    value = {0, 0, Input};
  } else if (mathematics(thread, call,
                         name.ends_with("f") && call.getType()->isFloatTy()
                             ? name.drop_back()
                             : name)) {
    return true;
  } else if (name == "abs" || name == "labs") {
    value = argument(0);
    unsigned width = call.getType()->getIntegerBitWidth();
    if (value.bits >> (width - 1) & 1)
      value.bits = width == 64 ? -value.bits : uint32_t(-value.bits);
  } else {
    stop("it calls '" + name.str() + "'");
    return true;
  }
  give(thread, call, value);
  return true;
}
