//===- Tree.cpp - A root graph as a tree of uses --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function may be the body of several nodes, with different arguments each
// time. The race check analyses each use separately, so this file expands the
// root graph into a tree of uses.
//
//===----------------------------------------------------------------------===//

#include "Tree.h"
#include "../Terms/Polynomial.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace sluice;
using namespace sluice::races;
using dfg::GraphOp;
using dfg::KernelOp;
using dfg::NodeOp;

/// The width of an integer; indices have 64 bits.
static unsigned widthOf(Type type) {
  return type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
}

std::string TreeNode::name() const {
  if (!op)
    return dfg::displayName(GraphOp(graph).getSymName());
  return dfg::displayName(NodeOp(op).getDisplayName());
}

std::string TreeNode::path() const {
  return parent ? parent->path() + "/" + name() : name();
}

const TreeNode *TreeNode::ancestorAt(unsigned level) const {
  const TreeNode *node = this;
  while (node->depth > level + 1)
    node = node->parent;
  return node;
}

bool TreeNode::isReplicated() const {
  return llvm::any_of(extents, [](const std::optional<Polynomial> &extent) {
    return !extent || extent->asConstant() != 1;
  });
}

std::optional<Polynomial> TreeNode::extent(unsigned dimension) const {
  return dimension < extents.size() ? extents[dimension] : Polynomial(1);
}

Tree::Tree(GraphOp root, LeafCode &code)
    : code(code), top(std::make_unique<TreeNode>()) {
  top->graph = root;
  for (unsigned i = 0, e = root.getInputTypes().size(); i != e; ++i) {
    Input input;
    if (isa<LLVM::LLVMPointerType>(root.getInputTypes()[i])) {
      input.targets.push_back({{MemoryObject::Kind::Argument, i, nullptr, ""}});
    } else if (root.getInputTypes()[i].isIntOrIndex()) {
      Symbol symbol;
      symbol.kind = Symbol::Kind::Argument;
      symbol.index = i;
      symbol.bits = std::min(widthOf(root.getInputTypes()[i]), 64u);
      input.value = Polynomial::of(symbol);
    }
    top->inputs.push_back(std::move(input));
  }
  addChildren(*top);
}

void Tree::addChildren(TreeNode &scope) {
  // A graph that contains itself has no tree.
  for (const TreeNode *node = scope.parent; node; node = node->parent)
    if (node->graph == scope.graph)
      return;
  for (NodeOp op : scope.graph.getBody().front().getOps<NodeOp>()) {
    auto child = std::make_unique<TreeNode>();
    child->op = op;
    child->parent = &scope;
    child->number = scope.children.size();
    child->depth = scope.depth + 1;
    scope.childOf[op] = child.get();
    scope.children.push_back(std::move(child));
    TreeNode &node = *scope.children.back();
    for (Value extent : op.getExtents())
      node.extents.push_back(resolveNumber(extent, scope));
    addInputs(node);
    Operation *callee = op.resolveCallee();
    if (auto graph = dyn_cast_or_null<GraphOp>(callee)) {
      node.graph = graph;
      addChildren(node);
    } else if (auto kernel = dyn_cast_or_null<KernelOp>(callee)) {
      node.kernel = kernel;
      node.effects = code.effectsOf(kernel.getCodeName());
      // Code that does not match its kernel is reported when it is compiled.
      if (!node.effects || node.effects->numParameters != node.inputs.size())
        node.effects = declaredEffects(kernel);
      allLeaves.push_back(&node);
    }
  }
}

/// For a leaf without code, the accesses that its ports declare.
const LeafEffects *Tree::declaredEffects(KernelOp kernel) {
  auto effects = std::make_unique<LeafEffects>();
  for (unsigned i = 0, e = kernel.getInputTypes().size(); i != e; ++i)
    for (bool isWrite : {false, true}) {
      dfg::Access port = kernel.getInputAccess(i);
      if (isWrite ? !dfg::writes(port) : !dfg::reads(port))
        continue;
      LeafAccess access;
      access.memory = {LeafMemory::Kind::Parameter, i, ""};
      access.isWrite = isWrite;
      access.size = 0;
      access.reason = "its code is not here";
      effects->accesses.push_back(std::move(access));
    }
  for (Type type : kernel.getOutputTypes()) {
    effects->values.emplace_back();
    effects->outputs.emplace_back();
    if (isa<LLVM::LLVMPointerType>(type))
      effects->outputs.back().emplace_back();
  }
  declared.push_back(std::move(effects));
  return declared.back().get();
}

void Tree::addInputs(TreeNode &node) {
  for (auto [index, value] : llvm::enumerate(node.op.getInputs()))
    node.inputs.push_back(
        resolve(value, *node.parent,
                node.op.isOneToOne(index) && !node.op.getExtents().empty()));
}

Input Tree::resolve(Value value, const TreeNode &scope, bool isOneToOne) {
  Input input;
  if (auto argument = dyn_cast<BlockArgument>(value))
    return scope.inputs[argument.getArgNumber()];
  if (auto use = value.getDefiningOp<dfg::UseDatasetOp>()) {
    if (value == use.getAddress())
      input.targets.push_back(
          {{MemoryObject::Kind::Dataset, 0, nullptr, use.getDataset().str()}});
    return input;
  }
  if (auto source = value.getDefiningOp<NodeOp>()) {
    if (const TreeNode *child = scope.childOf.lookup(source))
      return resolveOutput(*child, cast<OpResult>(value).getResultNumber(),
                           scope.depth + (isOneToOne ? 1 : 0));
    return input;
  }
  if (value.getType().isIntOrIndex())
    input.value = resolveNumber(value, scope);
  return input;
}

/// Output `output` of `child`, which has a different value for each id of the
/// outermost `levels` levels.
Input Tree::resolveOutput(const TreeNode &child, unsigned output,
                          unsigned levels) {
  Input input;
  if (output >= NodeOp(child.op).getNumPorts())
    return input;
  Type type = child.op->getResult(output).getType();
  auto limit = [&](PointerTarget target) {
    target.levels = std::min(target.levels, levels);
    input.targets.push_back(std::move(target));
  };
  if (child.graph) {
    GraphOp graph = child.graph;
    Input inner = resolve(graph.getOutputOp().getValues()[output], child,
                          /*isOneToOne=*/false);
    llvm::for_each(inner.targets, limit);
  } else if (child.effects && output < child.effects->outputs.size()) {
    for (const LeafMemory &memory : child.effects->outputs[output]) {
      if (memory.kind == LeafMemory::Kind::Malloc)
        limit({{MemoryObject::Kind::Malloc, memory.index, &child, ""}, levels});
      else if (memory.kind == LeafMemory::Kind::Parameter)
        llvm::for_each(child.inputs[memory.index].targets, limit);
      else if (memory.kind == LeafMemory::Kind::Global)
        limit({{MemoryObject::Kind::Global, 0, nullptr, memory.name}, 0});
      else
        limit({});
    }
    if (const auto &value = child.effects->values[output])
      input.value = value->substitute([&](const Symbol &symbol) {
        return child.inputs[symbol.index].value;
      });
    // An output that differs between instances is not the same as the output on
    // another edge.
    if (input.value && (!input.value->isValid() ||
                        input.value->containsAny([&](const Symbol &symbol) {
                          return symbol.levels > levels;
                        })))
      input.value.reset();
  }
  if (!input.value && type.isIntOrIndex()) {
    Symbol symbol;
    symbol.kind = Symbol::Kind::Output;
    symbol.owner = &child;
    symbol.index = output;
    symbol.levels = levels;
    symbol.bits = std::min(widthOf(type), 64u);
    input.value = Polynomial::of(symbol);
  }
  return input;
}

/// The dividend if the value is the quotient of a non-negative value by a
/// constant.
static Value dividendOf(Value value, int64_t &divisor) {
  Operation *op = value.getDefiningOp();
  llvm::APInt constant;
  if (!op || !isa<arith::DivUIOp, arith::DivSIOp>(op) ||
      !matchPattern(op->getOperand(1), m_ConstantInt(&constant)) ||
      !constant.isStrictlyPositive())
    return {};
  divisor = constant.getSExtValue();
  return op->getOperand(0);
}

/// A 64-bit number that is not negative, whether signed or unsigned.
static bool isWidened(Value value) {
  llvm::APInt constant;
  return value.getDefiningOp<arith::ExtUIOp>() ||
         (matchPattern(value, m_ConstantInt(&constant)) &&
          constant.isNonNegative());
}

static bool isUnsigned(arith::CmpIPredicate predicate) {
  return predicate == arith::CmpIPredicate::ult ||
         predicate == arith::CmpIPredicate::ule ||
         predicate == arith::CmpIPredicate::ugt ||
         predicate == arith::CmpIPredicate::uge;
}

/// An extent that may be empty: `n > 0 ? n : 0`, as well as `a < b ? (b - a -
/// 1) / c + 1 : 0` for a loop with steps.
std::optional<Polynomial> Tree::resolveMaximum(Operation *op,
                                               const TreeNode &scope) {
  if (isa<arith::MaxSIOp>(op)) {
    std::optional<Polynomial> a = resolveNumber(op->getOperand(0), scope);
    std::optional<Polynomial> b = resolveNumber(op->getOperand(1), scope);
    if (!a || !b)
      return std::nullopt;
    return maximum(*a, *b);
  }
  auto select = dyn_cast<arith::SelectOp>(op);
  auto compare = select ? select.getCondition().getDefiningOp<arith::CmpIOp>()
                        : arith::CmpIOp();
  llvm::APInt zero;
  if (!compare || !matchPattern(select.getFalseValue(), m_ConstantInt(&zero)) ||
      !zero.isZero())
    return std::nullopt;
  std::optional<Polynomial> left = resolveNumber(compare.getLhs(), scope);
  std::optional<Polynomial> right = resolveNumber(compare.getRhs(), scope);
  if (!left || !right)
    return std::nullopt;
  // The condition states that this is at least 1. Unsigned comparisons are
  // treated alike: a number beyond 2^63 would make an extent that no launch
  // accepts, unless it is divided.
  Polynomial room;
  switch (compare.getPredicate()) {
  case arith::CmpIPredicate::slt:
  case arith::CmpIPredicate::ult:
    room = *right - *left;
    break;
  case arith::CmpIPredicate::sle:
  case arith::CmpIPredicate::ule:
    room = *right - *left + 1;
    break;
  case arith::CmpIPredicate::sgt:
  case arith::CmpIPredicate::ugt:
    room = *left - *right;
    break;
  case arith::CmpIPredicate::sge:
  case arith::CmpIPredicate::uge:
    room = *left - *right + 1;
    break;
  default:
    return std::nullopt;
  }
  // Quotients of values that are not negative where the condition holds.
  Value count = select.getTrueValue();
  int64_t divisor = 1;
  llvm::APInt one;
  if (auto sum = count.getDefiningOp<arith::AddIOp>();
      sum && matchPattern(sum.getRhs(), m_ConstantInt(&one)) && one.isOne())
    if (Value dividend = dividendOf(sum.getLhs(), divisor)) {
      std::optional<Polynomial> value = resolveNumber(dividend, scope);
      const bool mayBeBeyond =
          isUnsigned(compare.getPredicate()) &&
          !(isWidened(compare.getLhs()) && isWidened(compare.getRhs()));
      if (!value || !(*value == room - 1) || mayBeBeyond)
        return std::nullopt;
      return maximum(divide(*value, divisor) + 1, 0);
    }
  std::optional<Polynomial> value = resolveNumber(count, scope);
  if (!value || !(*value == room))
    return std::nullopt;
  return maximum(*value, 0);
}

/// The divisor of a quotient or remainder; a right shift is a quotient.
static std::optional<int64_t> divisorOf(Operation *op) {
  llvm::APInt constant;
  if (!isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp,
           arith::ShRSIOp, arith::ShRUIOp>(op) ||
      !matchPattern(op->getOperand(1), m_ConstantInt(&constant)) ||
      !constant.isSignedIntN(62))
    return std::nullopt;
  int64_t number = constant.getSExtValue();
  if (!isa<arith::ShRSIOp, arith::ShRUIOp>(op))
    return number > 0 ? std::optional(number) : std::nullopt;
  return number >= 0 && number < 62 ? std::optional(int64_t(1) << number)
                                    : std::nullopt;
}

std::optional<Polynomial> Tree::resolveQuotient(Operation *op,
                                                const TreeNode &scope) {
  std::optional<int64_t> divisor = divisorOf(op);
  std::optional<Polynomial> value =
      divisor ? resolveNumber(op->getOperand(0), scope) : std::nullopt;
  if (!value)
    return std::nullopt;
  unsigned width = widthOf(op->getOperand(0).getType());
  if (isa<arith::DivUIOp, arith::RemUIOp, arith::ShRUIOp>(op) && width < 64)
    value = wrap(*value, width, /*isSigned=*/false);
  Polynomial quotient = isa<arith::DivSIOp, arith::RemSIOp>(op)
                            ? truncatedQuotient(*value, *divisor)
                            : divide(*value, *divisor);
  return isa<arith::RemSIOp, arith::RemUIOp>(op)
             ? *value - quotient * Polynomial(*divisor)
             : quotient;
}

std::optional<Polynomial> Tree::resolveNumber(Value value,
                                              const TreeNode &scope) {
  llvm::APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return Polynomial(constant.getSExtValue());
  Operation *op = value.getDefiningOp();
  if (!op || isa<NodeOp>(op))
    return resolve(value, scope, /*isOneToOne=*/false).value;
  auto operand = [&](unsigned index) {
    return resolveNumber(op->getOperand(index), scope);
  };
  if (isa<arith::ExtSIOp, arith::IndexCastOp>(op))
    return operand(0);
  if (isa<arith::ExtUIOp, arith::TruncIOp>(op)) {
    bool isSigned = isa<arith::TruncIOp>(op);
    Type narrow =
        isSigned ? op->getResult(0).getType() : op->getOperand(0).getType();
    std::optional<Polynomial> number = operand(0);
    if (number)
      number = wrap(*number, widthOf(narrow), isSigned);
    return number && number->isValid() ? number : std::nullopt;
  }
  if (std::optional<Polynomial> larger = resolveMaximum(op, scope);
      larger && larger->isValid())
    return larger;
  if (std::optional<Polynomial> ratio = resolveQuotient(op, scope);
      ratio && ratio->isValid())
    return ratio;
  if (isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op)) {
    std::optional<Polynomial> a = operand(0), b = operand(1);
    if (!a || !b)
      return std::nullopt;
    return isa<arith::AddIOp>(op)   ? *a + *b
           : isa<arith::SubIOp>(op) ? *a - *b
                                    : *a * *b;
  }
  // An unknown number that is the same for all instances of the nodes in this
  // scope.
  Symbol symbol;
  symbol.kind = Symbol::Kind::Output;
  symbol.owner = op;
  symbol.levels = scope.depth;
  return Polynomial::of(symbol);
}

//===----------------------------------------------------------------------===//
// All graphs of a program
//===----------------------------------------------------------------------===//

std::vector<GraphOp> races::rootsOf(ModuleOp graphs) {
  llvm::SmallPtrSet<Operation *, 8> used;
  graphs.walk([&](NodeOp node) { used.insert(node.resolveCallee()); });
  std::vector<GraphOp> roots;
  for (GraphOp graph : graphs.getOps<GraphOp>())
    if (!used.contains(graph))
      roots.push_back(graph);
  return roots;
}

LeafCode::Leaves races::leavesOf(ModuleOp graphs) {
  LeafCode::Leaves leaves;
  for (KernelOp kernel : graphs.getOps<KernelOp>())
    leaves[kernel.getCodeName().str()];
  graphs.walk([&](NodeOp node) {
    if (auto kernel = dyn_cast_or_null<KernelOp>(node.resolveCallee()))
      for (unsigned i = 0, e = node.getInputs().size(); i != e; ++i)
        if (node.isOneToOne(i))
          leaves[kernel.getCodeName().str()].push_back(i);
  });
  return leaves;
}
