//===- LeafState.cpp - State of kernels outside of their arguments --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds variables where code uses their addresses, also in functions that are
// only reached through tables of pointers. Memory behind pointers in variables
// may be any memory that such pointers can point to: it has a single common
// name.
//
//===----------------------------------------------------------------------===//

#include "sluice/Analysis/LeafState.h"
#include "sluice/Analysis/LeafAtomics.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/GlobalAlias.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

using namespace llvm;
using namespace sluice;

static MemoryUseKinds &operator|=(MemoryUseKinds &a, MemoryUseKinds b) {
  a.isRead |= b.isRead;
  a.isWritten |= b.isWritten;
  return a;
}

/// The state of C library functions that persists between calls and that C
/// kernels would see; empty if there is none.
static StringRef libraryStateOf(StringRef function) {
  return StringSwitch<StringRef>(function)
      .Cases({"rand", "srand", "random", "srandom", "initstate", "setstate"},
             "rand")
      .Cases({"drand48", "lrand48", "mrand48", "srand48", "seed48", "lcong48"},
             "drand48")
      .Case("strtok", "strtok")
      .Cases({"localtime", "gmtime", "asctime", "ctime"}, "localtime")
      .Cases({"mktime", "tzset", "strftime"}, "localtime")
      .Cases({"setenv", "putenv", "unsetenv", "clearenv"}, "setenv")
      .Cases({"getenv", "secure_getenv"}, "setenv")
      .Cases({"lgamma", "lgammaf", "lgammal"}, "lgamma")
      .Cases({"mblen", "mbtowc", "wctomb", "mbrlen"}, "mbtowc")
      .Case("strerror", "strerror")
      .Case("setlocale", "setlocale")
      .Default("");
}

/// Excludes type information of C++, and variables that exist only for their
/// address.
static bool isMutable(const GlobalVariable &variable) {
  StringRef name = variable.getName();
  return !variable.isConstant() && !name.starts_with("llvm.") &&
         !name.starts_with("_ZTV") && !name.starts_with("_ZTI") &&
         !name.starts_with("_ZTS") && name != "__dso_handle";
}

/// True for the C library's own streams, whose memory belongs to no kernel.
static bool isStream(const GlobalVariable &variable) {
  StringRef name = variable.getName();
  return variable.isDeclaration() &&
         (name == "stdin" || name == "stdout" || name == "stderr");
}

static bool holdsPointers(const Type *type) {
  if (type->isPtrOrPtrVectorTy())
    return true;
  return any_of(type->subtypes(), holdsPointers);
}

static bool looksThrough(const Instruction &instruction) {
  return isa<GetElementPtrInst, PHINode, SelectInst, BitCastInst,
             AddrSpaceCastInst>(instruction) &&
         instruction.getType()->isPointerTy();
}

namespace {
/// The uses of memory whose address is given; looks into functions that receive
/// it.
class AddressUses {
public:
  MemoryUseKinds of(const Instruction &user, const Use &use);
  /// True if `use` may store the address where other code finds it.
  bool escapes(const Instruction &user, const Use &use);

private:
  struct Facts {
    MemoryUseKinds kinds;
    bool escapes = false;
  };
  Facts parameter(const Argument &argument);
  Facts look(const Argument &argument);
  void follow(const Value &address, Facts &facts,
              SmallPtrSetImpl<const Value *> &seen);
  Facts factsOf(const Instruction &user, const Use &use);

  DenseMap<const Argument *, Facts> known;
  /// Arguments with completely known uses, and those currently being examined.
  SmallPtrSet<const Argument *, 16> isKnown, round;
  bool hasGrown = false;
};
} // namespace

AddressUses::Facts AddressUses::factsOf(const Instruction &user,
                                        const Use &use) {
  constexpr MemoryUseKinds both{.isRead = true, .isWritten = true};
  if (isa<LoadInst>(user))
    return {{.isRead = true}, false};
  if (const auto *store = dyn_cast<StoreInst>(&user))
    return use.get() == store->getValueOperand() &&
                   use.getOperandNo() != store->getPointerOperandIndex()
               ? Facts{both, true}
               : Facts{{.isWritten = true}, false};
  if (isa<MemTransferInst>(user))
    return use.getOperandNo() == 1 ? Facts{{.isRead = true}, false}
                                   : Facts{{.isWritten = true}, false};
  if (isa<MemIntrinsic>(user))
    return {{.isWritten = true}, false};
  if (isa<ICmpInst>(user) || user.isLifetimeStartOrEnd())
    return {};
  if (isa<AtomicRMWInst>(user) || isa<AtomicCmpXchgInst>(user))
    return {both, use.getOperandNo() != 0};
  if (std::optional<HPVMAtomic> atomic = hpvmAtomicOf(user))
    return {{atomic->isRead, atomic->isWritten}, false};
  const auto *call = dyn_cast<CallBase>(&user);
  if (!call || !call->isArgOperand(&use))
    return {both, true};
  unsigned number = call->getArgOperandNo(&use);
  const Function *callee = call->getCalledFunction();
  if (callee && !callee->isDeclaration() && !callee->isInterposable() &&
      number < callee->arg_size())
    return parameter(*callee->getArg(number));
  bool isRead = call->onlyReadsMemory(number);
  return {{.isRead = true, .isWritten = !isRead},
          !call->doesNotCapture(number)};
}

/// Mutually recursive functions are examined again until nothing is added.
AddressUses::Facts AddressUses::parameter(const Argument &argument) {
  if (isKnown.contains(&argument))
    return known.lookup(&argument);
  if (!round.empty())
    return look(argument);
  do {
    hasGrown = false;
    round.clear();
    look(argument);
  } while (hasGrown);
  isKnown.insert(round.begin(), round.end());
  round.clear();
  return known.lookup(&argument);
}

/// Once in a round.
AddressUses::Facts AddressUses::look(const Argument &argument) {
  if (!round.insert(&argument).second)
    return known.lookup(&argument);
  Facts facts;
  SmallPtrSet<const Value *, 8> seen;
  follow(argument, facts, seen);
  Facts &all = known[&argument];
  hasGrown |= (facts.kinds.isRead && !all.kinds.isRead) ||
              (facts.kinds.isWritten && !all.kinds.isWritten) ||
              (facts.escapes && !all.escapes);
  all.kinds |= facts.kinds;
  all.escapes |= facts.escapes;
  return all;
}

void AddressUses::follow(const Value &address, Facts &facts,
                         SmallPtrSetImpl<const Value *> &seen) {
  if (!seen.insert(&address).second)
    return;
  for (const Use &use : address.uses()) {
    const auto &user = *cast<Instruction>(use.getUser());
    if (looksThrough(user)) {
      follow(user, facts, seen);
      continue;
    }
    Facts added = factsOf(user, use);
    facts.kinds |= added.kinds;
    facts.escapes |= added.escapes;
  }
}

MemoryUseKinds AddressUses::of(const Instruction &user, const Use &use) {
  return factsOf(user, use).kinds;
}

bool AddressUses::escapes(const Instruction &user, const Use &use) {
  return factsOf(user, use).escapes;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// Adds all variables that `constant` names, directly or through initial values
/// of variables; functions go to `functions`.
static void addNamed(const Constant &constant,
                     SetVector<const Function *> &functions,
                     SetVector<const GlobalVariable *> &variables) {
  SmallVector<const Constant *> open{&constant};
  SmallPtrSet<const Constant *, 8> seen;
  while (!open.empty()) {
    const Constant *next = open.pop_back_val();
    if (!seen.insert(next).second)
      continue;
    if (const auto *function = dyn_cast<Function>(next)) {
      functions.insert(function);
      continue;
    }
    if (const auto *variable = dyn_cast<GlobalVariable>(next))
      variables.insert(variable);
    for (const Use &operand : next->operands())
      if (const auto *inner = dyn_cast<Constant>(operand.get()))
        open.push_back(inner);
  }
}

namespace {
class StateFinder {
public:
  StateFinder(const Function &kernel, const std::set<std::string> &escaping)
      : kernel(kernel), escaping(escaping) {}

  LeafState run();

private:
  void reach();
  void visit(const Instruction &instruction);
  void use(const GlobalVariable &variable, MemoryUseKinds kinds);
  void reachBehind(const Value &address, MemoryUseKinds kinds);
  void addMemoryBehind();

  const Function &kernel;
  const std::set<std::string> &escaping;
  SetVector<const Function *> functions;
  SetVector<const GlobalVariable *> variables;
  AddressUses addresses;
  LeafState state;
  /// The kernel read a variable; read a variable with pointers; accessed memory
  /// through a pointer that was loaded or made from a number; wrote through
  /// such a pointer.
  bool readsVariable = false, hasPointers = false;
  bool isBehind = false, writesBehind = false;
};
} // namespace

void StateFinder::reach() {
  functions.insert(&kernel);
  for (unsigned i = 0; i != functions.size(); ++i)
    for (const Instruction &instruction : instructions(*functions[i]))
      for (const Use &operand : instruction.operands())
        if (const auto *constant = dyn_cast<Constant>(operand.get()))
          addNamed(*constant, functions, variables);
}

void StateFinder::use(const GlobalVariable &variable, MemoryUseKinds kinds) {
  if (!isMutable(variable) || (!kinds.isRead && !kinds.isWritten))
    return;
  if (variable.isThreadLocal()) {
    state.ofThread.insert(variable.getName().str());
    return;
  }
  state.variables[variable.getName().str()] |= kinds;
  if (!kinds.isRead || isStream(variable))
    return;
  readsVariable = true;
  hasPointers |= holdsPointers(variable.getValueType());
}

/// True for a pointer that was loaded from a variable.
static bool isFromVariable(const Value &object) {
  const auto *load = dyn_cast<LoadInst>(&object);
  if (!load)
    return false;
  SmallVector<const Value *> objects;
  getUnderlyingObjects(load->getPointerOperand(), objects, nullptr,
                       /*MaxLookup=*/0);
  return any_of(objects, [](const Value *from) {
    const auto *variable = dyn_cast<GlobalVariable>(from);
    return variable && isMutable(*variable);
  });
}

/// Memory that the kernel received, and its own memory, is not state.
void StateFinder::reachBehind(const Value &address, MemoryUseKinds kinds) {
  SmallVector<const Value *> objects;
  getUnderlyingObjects(&address, objects, nullptr, /*MaxLookup=*/0);
  for (const Value *object : objects) {
    const auto *argument = dyn_cast<Argument>(object);
    if (isa<AllocaInst, GlobalVariable, GlobalAlias, ConstantData>(object) ||
        isNoAliasCall(object) || (argument && argument->getParent() == &kernel))
      continue;
    isBehind |= isa<IntToPtrInst>(object) || isFromVariable(*object);
    writesBehind |= kinds.isWritten;
  }
}

void StateFinder::visit(const Instruction &instruction) {
  if (const auto *call = dyn_cast<CallBase>(&instruction)) {
    const Function *callee = call->getCalledFunction();
    StringRef kept = callee && callee->isDeclaration()
                         ? libraryStateOf(callee->getName())
                         : "";
    if (!kept.empty())
      state.library.insert(kept.str());
  }
  // Such instructions are followed at their uses.
  if (looksThrough(instruction))
    return;
  for (const Use &operand : instruction.operands()) {
    if (isa<Function>(operand->stripPointerCasts()))
      continue; // whose code is visited
    if (!operand->getType()->isPtrOrPtrVectorTy()) {
      // An address as a number, or as one of several.
      SetVector<const GlobalVariable *> named;
      SetVector<const Function *> none;
      if (isa<ConstantExpr, ConstantAggregate>(operand.get()))
        addNamed(*cast<Constant>(operand.get()), none, named);
      for (const GlobalVariable *variable : named)
        use(*variable, {.isRead = true, .isWritten = true});
      continue;
    }
    MemoryUseKinds kinds = addresses.of(instruction, operand);
    reachBehind(*operand.get(), kinds);
    SmallVector<const Value *> objects;
    getUnderlyingObjects(operand.get(), objects, nullptr, /*MaxLookup=*/0);
    for (const Value *object : objects) {
      if (const auto *alias = dyn_cast<GlobalAlias>(object))
        object = alias->getAliaseeObject();
      if (const auto *address = dyn_cast<IntrinsicInst>(object);
          address &&
          address->getIntrinsicID() == Intrinsic::threadlocal_address)
        object = address->getArgOperand(0);
      if (const auto *variable = dyn_cast_or_null<GlobalVariable>(object))
        use(*variable, kinds);
    }
  }
}

/// Adds the targets of pointers in variables: variables whose addresses are
/// stored somewhere, and memory without a name. Variables with a non-pointer
/// type, such as unions, may contain pointers as well.
void StateFinder::addMemoryBehind() {
  if (!hasPointers && !(readsVariable && isBehind))
    return;
  MemoryUseKinds kinds{.isRead = true, .isWritten = writesBehind};
  state.memory |= kinds;
  for (const std::string &name : escaping)
    state.variables[name] |= kinds;
}

LeafState StateFinder::run() {
  reach();
  for (const Function *function : functions)
    for (const Instruction &instruction : instructions(*function))
      visit(instruction);
  // Constants that contain addresses of variables: users of the tables may
  // follow them.
  for (const GlobalVariable *variable : variables)
    if (variable->hasInitializer()) {
      SetVector<const Function *> none;
      SetVector<const GlobalVariable *> inside;
      addNamed(*variable->getInitializer(), none, inside);
      for (const GlobalVariable *pointee : inside)
        use(*pointee, {.isRead = true, .isWritten = true});
    }
  addMemoryBehind();
  return std::move(state);
}

/// Front ends keep parameters and variables in memory, where they look like
/// addresses that any code may have.
static void promoteLocals(Function &function) {
  SmallVector<AllocaInst *> slots;
  for (Instruction &instruction : function.getEntryBlock())
    if (auto *slot = dyn_cast<AllocaInst>(&instruction);
        slot && isAllocaPromotable(slot))
      slots.push_back(slot);
  if (slots.empty())
    return;
  removeUnreachableBlocks(function);
  DominatorTree tree(function);
  PromoteMemToReg(slots, tree);
}

LeafStates::LeafStates(const Module &original) : code(CloneModule(original)) {
  for (Function &function : *code)
    if (!function.isDeclaration())
      promoteLocals(function);
  AddressUses addresses;
  for (const GlobalVariable &variable : code->globals()) {
    if (!isMutable(variable) || variable.isThreadLocal())
      continue;
    SmallVector<const Value *> open{&variable};
    SmallPtrSet<const Value *, 8> seen;
    while (!open.empty()) {
      const Value *address = open.pop_back_val();
      if (!seen.insert(address).second)
        continue;
      for (const Use &use : address->uses()) {
        const auto *user = dyn_cast<Instruction>(use.getUser());
        bool isAddress = isa<ConstantExpr, GlobalAlias>(use.getUser()) ||
                         (user && looksThrough(*user));
        if (isAddress)
          open.push_back(use.getUser());
        else if (!user || addresses.escapes(*user, use))
          escaping.insert(variable.getName().str());
      }
    }
  }
}

LeafState LeafStates::of(const Function &kernel) const {
  return StateFinder(*code->getFunction(kernel.getName()), escaping).run();
}
