//===- CallChecks.cpp - Calls that a generated function would reject ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A generated function begins with checks of its arguments: whether the buffers
// hold all elements that it will access and have the right strides, and whether
// scalars are in their ranges. This file evaluates these checks on the lowered
// code, without running it, with the known facts of a call:
//   1. lets and queries of buffers become constants where they are known;
//   2. a check whose condition folds to false is a violation of the call;
//   3. unknown values are no violation, and loops are not entered.
//
//===----------------------------------------------------------------------===//

#include "Generator.h"

#include <sstream>

using namespace Halide;
using namespace Halide::Internal;
using namespace sluice;
using namespace sluice::halide;

namespace {

/// Replaces known values by constants.
class Known : public IRMutator {
public:
  Known(const LoweredFunc &function, const KnownCall &call);

  Expr fold(const Expr &expression) { return simplify(mutate(expression)); }
  /// The value of a let, if it folds to a constant.
  void define(const std::string &name, const Expr &value) {
    Expr folded = fold(value);
    if (is_const(folded))
      constants[name] = folded;
    else
      constants.erase(name);
  }

private:
  using IRMutator::visit;
  Expr visit(const Variable *variable) override {
    auto constant = constants.find(variable->name);
    return constant == constants.end() ? Expr(variable) : constant->second;
  }
  Expr visit(const Internal::Call *call) override;
  Expr queryBuffer(const Internal::Call *call, const KnownArgument &buffer);

  std::map<std::string, Expr> constants;
  std::map<std::string, const KnownArgument *> buffers;
};

/// Visits the checks in the order in which they run.
class GeneratorChecker : public IRVisitor {
public:
  explicit GeneratorChecker(Known &known) : known(known) {}
  Violation violation;

private:
  using IRVisitor::visit;
  void visit(const Block *block) override {
    block->first.accept(this);
    if (violation.error.empty())
      block->rest.accept(this);
  }
  void visit(const LetStmt *let) override {
    known.define(let->name, let->value);
    let->body.accept(this);
  }
  void visit(const IfThenElse *branch) override {
    Expr condition = known.fold(branch->condition);
    if (is_const_one(condition))
      branch->then_case.accept(this);
    else if (is_const_zero(condition) && branch->else_case.defined())
      branch->else_case.accept(this);
  }
  void visit(const AssertStmt *check) override {
    if (is_const_zero(known.fold(check->condition)))
      record(known.fold(check->message));
  }
  void visit(const ProducerConsumer *) override {}
  void visit(const Allocate *) override {}
  void visit(const For *) override {}
  void visit(const Fork *) override {}
  void record(const Expr &message);

  Known &known;
};

} // namespace

Known::Known(const LoweredFunc &function, const KnownCall &call) {
  for (size_t i = 0; i != call.size(); ++i) {
    const LoweredArgument &argument = function.args[i];
    if (argument.is_buffer()) {
      buffers[argument.name + ".buffer"] = &call[i];
      continue;
    }
    if (call[i].value.empty() || argument.type.is_handle())
      continue;
    std::istringstream stream(call[i].value);
    if (argument.type.is_float()) {
      double value = 0;
      stream >> value;
      constants[argument.name] = make_const(argument.type, value);
    } else if (argument.type.is_uint()) {
      uint64_t value = 0;
      stream >> value;
      constants[argument.name] = make_const(argument.type, value);
    } else {
      int64_t value = 0;
      stream >> value;
      constants[argument.name] = make_const(argument.type, value);
    }
  }
}

Expr Known::queryBuffer(const Internal::Call *call,
                        const KnownArgument &buffer) {
  if (call->is_intrinsic() || call->args.empty())
    return Expr();
  if (call->name == Internal::Call::buffer_is_bounds_query)
    return make_zero(call->type);
  if (call->args.size() != 2)
    return Expr();
  const int64_t *dimension = as_const_int(call->args[1]);
  if (!dimension || *dimension < 0 ||
      *dimension >= int64_t(buffer.extents.size()))
    return Expr();
  auto number = [&](int64_t value) {
    return value < 0 ? Expr() : make_const(call->type, value);
  };
  if (call->name == Internal::Call::buffer_get_min)
    return make_zero(call->type);
  if (call->name == Internal::Call::buffer_get_extent)
    return number(buffer.extents[*dimension]);
  if (call->name == Internal::Call::buffer_get_stride)
    return number(buffer.strides[*dimension]);
  return Expr();
}

Expr Known::visit(const Internal::Call *call) {
  if (!call->args.empty())
    if (const auto *variable = call->args[0].as<Variable>()) {
      auto buffer = buffers.find(variable->name);
      if (buffer != buffers.end())
        if (Expr value = queryBuffer(call, *buffer->second); value.defined())
          return value;
    }
  return IRMutator::visit(call);
}

void GeneratorChecker::record(const Expr &message) {
  const auto *call = message.as<Internal::Call>();
  if (!call)
    return;
  const std::string prefix = "halide_error_";
  violation.error = call->name.rfind(prefix, 0) == 0
                        ? call->name.substr(prefix.size())
                        : call->name;
  for (const Expr &detail : call->args) {
    std::ostringstream text;
    if (const int64_t *number = as_const_int(detail))
      text << *number;
    else if (const uint64_t *number = as_const_uint(detail))
      text << *number;
    else if (const auto *string = detail.as<StringImm>())
      text << string->value;
    else
      text << detail;
    violation.details.push_back(text.str());
  }
}

Violation halide::checkCall(const LoweredFunc &function,
                            const KnownCall &call) {
  if (call.size() != function.args.size())
    return {};
  for (size_t i = 0; i != call.size(); ++i)
    if (function.args[i].is_buffer() &&
        call[i].extents.size() != size_t(function.args[i].dimensions) &&
        !call[i].extents.empty())
      return {};
  Known known(function, call);
  GeneratorChecker checker(known);
  function.body.accept(&checker);
  return checker.violation;
}
