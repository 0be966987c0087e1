//===- CodeHash.cpp - Hashing the code of a module ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Halide's printer shows code to people: it rounds constants and omits types.
// This one writes everything that the code generator looks at. So equal text
// means equal objects, and an edit elsewhere in a meta-program recompiles
// nothing.
//
//===----------------------------------------------------------------------===//

#include "Generator.h"
#include "sluice/Base/Hash.h"

#include <cstring>
#include <sstream>

using namespace Halide;
using namespace Halide::Internal;
using namespace sluice;

namespace {

/// Writes the type of each expression before the expression.
template <typename Base, typename... Nodes> class Typed : public Base {
public:
  using Base::Base;

protected:
  using Base::visit;
};

template <typename Base, typename Node, typename... Rest>
class Typed<Base, Node, Rest...> : public Typed<Base, Rest...> {
public:
  using Typed<Base, Rest...>::Typed;

protected:
  using Typed<Base, Rest...>::visit;
  void visit(const Node *node) override {
    this->stream << '<' << node->type << '>';
    Typed<Base, Rest...>::visit(node);
  }
};

using TypedPrinter =
    Typed<IRPrinter, IntImm, UIntImm, StringImm, Cast, Variable, Add, Sub, Mul,
          Div, Mod, Min, Max, EQ, NE, LT, LE, GT, GE, And, Or, Not, Select,
          Ramp, Broadcast, Let, Shuffle, VectorReduce>;

class ExactPrinter : public TypedPrinter {
public:
  using TypedPrinter::TypedPrinter;

private:
  using TypedPrinter::visit;
  void visit(const FloatImm *node) override {
    uint64_t bits;
    memcpy(&bits, &node->value, sizeof bits);
    stream << '<' << node->type << '>' << bits;
  }
  void visit(const Load *node) override {
    stream << '<' << node->type << '>';
    printAlignment(node->alignment);
    TypedPrinter::visit(node);
  }
  void visit(const Internal::Store *node) override {
    printAlignment(node->alignment);
    TypedPrinter::visit(node);
  }
  void visit(const Call *node) override {
    stream << '<' << node->type << ' ' << int(node->call_type) << '>';
    TypedPrinter::visit(node);
  }
  void visit(const For *node) override {
    stream << '<' << int(node->for_type) << ' ' << int(node->device_api) << '>';
    TypedPrinter::visit(node);
  }
  void visit(const Allocate *node) override {
    stream << '<' << node->type << ' ' << int(node->memory_type) << ' '
           << node->free_function << '>';
    TypedPrinter::visit(node);
  }
  void printAlignment(const ModulusRemainder &alignment) {
    stream << '<' << alignment.modulus << ' ' << alignment.remainder << '>';
  }
};

} // namespace

static void addBuffer(ContentHash &hash, const Halide::Buffer<> &buffer) {
  std::ostringstream text;
  text << buffer.name() << ' ' << buffer.type();
  for (int i = 0; i != buffer.dimensions(); ++i)
    text << ' ' << buffer.dim(i).min() << ' ' << buffer.dim(i).extent() << ' '
         << buffer.dim(i).stride();
  hash.add(text.str());
  hash.add({reinterpret_cast<const char *>(buffer.raw_buffer()->begin()),
            buffer.size_in_bytes()});
}

static void addFunction(ContentHash &hash, const LoweredFunc &function) {
  std::ostringstream text;
  text << function.name << ' ' << int(function.linkage) << ' '
       << int(function.name_mangling) << '\n';
  for (const LoweredArgument &argument : function.args)
    text << argument.name << ' ' << int(argument.kind) << ' ' << argument.type
         << ' ' << int(argument.dimensions) << ' ' << argument.alignment.modulus
         << ' ' << argument.alignment.remainder << '\n';
  ExactPrinter printer(text);
  printer.print(function.body);
  hash.add(text.str());
}

static void addModule(ContentHash &hash, const Module &module) {
  hash.add(module.name()).add(module.target().to_string());
  hash.add(module.any_strict_float());
  for (const Halide::Buffer<> &buffer : module.buffers())
    addBuffer(hash, buffer);
  for (const LoweredFunc &function : module.functions())
    addFunction(hash, function);
  for (const ExternalCode &code : module.external_code()) {
    const auto &bytes = code.contents();
    hash.add({reinterpret_cast<const char *>(bytes.data()), bytes.size()});
  }
  for (const Module &part : module.submodules())
    addModule(hash, part);
}

std::string halide::hashCode(const Module &module) {
  ContentHash hash;
  hash.add("code 1");
  addModule(hash, module);
  return hash.text();
}
