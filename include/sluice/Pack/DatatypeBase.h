//===- DatatypeBase.h - What all data layouts offer -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The abstract class of LibPack's core interface, the error its functions
// throw, and what its built-in classes share. Programs include Datatype.h.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_PACK_DATATYPEBASE_H
#define SLUICE_PACK_DATATYPEBASE_H

#include "sluice/Pack/Form.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace llvm {
class Value;
} // namespace llvm

namespace sluice::pack {
class Packer;
} // namespace sluice::pack

namespace farc {

/// An impossible argument, arithmetic beyond 64 bits, or a call at the wrong
/// time. The message names the values.
class Error : public std::runtime_error {
public:
  /// What went wrong.
  enum Kind {
    ARGUMENT,
    OVERFLOW_64,
    NOT_COMMITTED,
    NO_COMPILER,
    TRUNCATED,
    UNSUPPORTED
  };
  /// An error of a kind, whose text is `message`.
  Error(Kind kind, const std::string &message)
      : std::runtime_error(message), kind(kind) {}
  /// Which kind it is.
  Kind getKind() const { return kind; }

private:
  Kind kind;
};

/// The constructors; USER is a class outside of this library.
enum DatatypeName : int {
  PRIMITIVE,
  CONTIGUOUS,
  VECTOR,
  HVECTOR,
  INDEXEDBLOCK,
  HINDEXED,
  STRUCT,
  RESIZED,
  INDEXED,
  HINDEXEDBLOCK,
  SUBARRAY,
  DARRAY,
  DUP,
  USER
};

/// Orders of arrays in SUBARRAY and DARRAY; any int is a value, and the
/// constructors refuse the others.
enum Order : int { ORDER_C, ORDER_FORTRAN };
/// Distributions of DARRAY, likewise.
enum Distribution : int {
  DISTRIBUTE_NONE,
  DISTRIBUTE_BLOCK,
  DISTRIBUTE_CYCLIC
};
/// The distribution argument that lets the library choose the block size.
inline constexpr int64_t DISTRIBUTE_DFLT_DARG = -1;

class Datatype;

/// What a constructor was given, as MPI_Type_get_contents lists it. The types
/// are clones owned by this struct.
struct Contents {
  /// Counts, lengths and orders.
  std::vector<int64_t> integers;
  /// Displacements, strides and bounds in bytes.
  std::vector<int64_t> addresses;
  /// The types below, in the order of the constructor.
  std::vector<std::unique_ptr<Datatype>> datatypes;
};

/// How many of each get_contents would give.
struct Envelope {
  /// What the type was made by.
  DatatypeName combiner = PRIMITIVE;
  /// How many numbers and types `Contents` has.
  ///@{
  int64_t integers = 0;
  int64_t addresses = 0;
  int64_t datatypes = 0;
  ///@}
  /// Equal in all fields.
  bool operator==(const Envelope &) const = default;
};

/// How deep types may be nested. Everything that walks a type recurses, and
/// this keeps any stack from overflowing.
inline constexpr int64_t MaximumDepth = 1000;

class PrimitiveDatatype;

/// Base of all layouts. Instances are immutable but for commit; different
/// threads may use one. A subclass outside this library overrides clone, the
/// sizes and bounds, and both codegen methods, and needs the JIT library.
class Datatype {
public:
  /// Which directions `compile` is for.
  enum CompilationType { PACK, UNPACK, PACK_UNPACK };

  /// For subclasses; a type without a commit.
  Datatype();
  /// No call may be using it.
  virtual ~Datatype();
  Datatype(const Datatype &) = delete;
  Datatype &operator=(const Datatype &) = delete;

  /// A deep copy, not committed, owned by the caller.
  virtual Datatype *clone() const = 0;

  /// The bytes of one instance that are copied.
  virtual int64_t getSize() const = 0;
  /// Where an instance begins and ends, in bytes from its address, with gaps at
  /// the ends and what a resized type says.
  ///@{
  virtual int64_t getLowerBound() const = 0;
  virtual int64_t getUpperBound() const = 0;
  ///@}
  /// Where its first byte lies, and its last one ends.
  ///@{
  virtual int64_t getTrueLowerBound() const = 0;
  virtual int64_t getTrueUpperBound() const = 0;
  ///@}
  /// From one instance to the next, in bytes.
  virtual int64_t getExtent() const {
    return getUpperBound() - getLowerBound();
  }
  /// From the first byte to the end of the last one.
  virtual int64_t getTrueExtent() const {
    return getTrueUpperBound() - getTrueLowerBound();
  }
  /// What the end of a struct that has such a member is padded to.
  virtual int64_t getAlignment() const { return 1; }
  /// Whether a resized type or an array has set the bounds. A type with such
  /// parts has the bounds of these alone, and no padding (MPI 3.1, 4.1.6).
  virtual bool hasMarkedBounds() const { return false; }
  /// How many types are nested: 1 if there is none below this one.
  virtual int64_t getDepth() const { return 1; }
  /// What the type was made by.
  virtual DatatypeName getDatatypeName() const { return USER; }
  /// Lent; live as long as this type.
  virtual std::vector<const Datatype *> getSubtypes() const { return {}; }
  /// How many integers, addresses and types getContents gives, and what this
  /// type was made by. A type of a user's own class has none of them.
  virtual Envelope getEnvelope() const;
  /// The arguments that it was made with; none for a user's own class.
  virtual Contents getContents() const;

  /// The textual form that `parseDatatypes` reads; a summary cuts long lists.
  virtual std::string toString(bool summary = false) const = 0;
  /// Writes the textual form and a new line to the standard output.
  void print(bool summary = false) const;

  /// Emits LLVM IR at the insertion point of the function being compiled: code
  /// that packs (unpacks) `count` instances from `inbuf` to `outbuf`, and
  /// changes none of the three values. See sluice/PackJIT/Codegen.h.
  ///@{
  virtual void packCodegen(llvm::Value *inbuf, llvm::Value *count,
                           llvm::Value *outbuf) const;
  virtual void unpackCodegen(llvm::Value *inbuf, llvm::Value *count,
                             llvm::Value *outbuf) const;
  ///@}

  /// One instance in normal form. The default is a custom form that is packed
  /// by the code this class generates.
  virtual sluice::pack::PlacedForm normalForm() const;
  /// Gets the offset in bytes, the type and the number of a run of elements.
  using ElementVisitor =
      std::function<void(int64_t, const PrimitiveDatatype &, int64_t)>;
  /// Calls the visitor for runs of equal primitive elements in pack order: the
  /// type map. Used by external32.
  virtual void forEachElement(int64_t offset, const ElementVisitor &) const;

  /// LibPack's name for a synchronous commit; both directions are compiled.
  void compile(CompilationType type = PACK_UNPACK);
  /// Null before commit. Its kernel() has the functions that serve now.
  const std::shared_ptr<sluice::pack::Packer> &getPacker() const {
    return packer;
  }

private:
  friend void DDT_Commit(Datatype *, bool);
  std::shared_ptr<sluice::pack::Packer> packer;
};

/// What a built-in class knows about one instance, computed when it is built.
struct Bounds {
  /// What the functions of Datatype with such names give, in bytes.
  ///@{
  int64_t size = 0;
  int64_t lower = 0;
  int64_t upper = 0;
  int64_t trueLower = 0;
  int64_t trueUpper = 0;
  int64_t alignment = 1;
  ///@}
  /// How many types are nested.
  int64_t depth = 1;
  /// See Datatype::hasMarkedBounds.
  bool isMarked = false;
  /// Equal in all fields.
  bool operator==(const Bounds &) const = default;
};

/// Base of the classes of this library: bounds by look-up, code by the
/// compiler of forms. Types below are shared between a type and its clones,
/// since none of them ever changes.
class BuiltinDatatype : public Datatype {
public:
  int64_t getSize() const override { return bounds.size; }
  int64_t getLowerBound() const override { return bounds.lower; }
  int64_t getUpperBound() const override { return bounds.upper; }
  int64_t getTrueLowerBound() const override { return bounds.trueLower; }
  int64_t getTrueUpperBound() const override { return bounds.trueUpper; }
  int64_t getAlignment() const override { return bounds.alignment; }
  bool hasMarkedBounds() const override { return bounds.isMarked; }
  int64_t getDepth() const override { return bounds.depth; }
  void packCodegen(llvm::Value *inbuf, llvm::Value *count,
                   llvm::Value *outbuf) const override;
  void unpackCodegen(llvm::Value *inbuf, llvm::Value *count,
                     llvm::Value *outbuf) const override;

protected:
  /// A type that a type and its clones share.
  using TypeRef = std::shared_ptr<const Datatype>;
  /// Numbers that they share.
  using List = std::shared_ptr<const std::vector<int64_t>>;

  /// For subclasses, which compute `bounds`.
  BuiltinDatatype() = default;
  /// A copy, not committed.
  BuiltinDatatype(const BuiltinDatatype &other)
      : Datatype(), bounds(other.bounds) {}

  /// What the functions above look up.
  Bounds bounds;
};

/// `count` numbers of any integer type as 64-bit ones, for constructors that
/// are given arrays of int or long; null if there are none to read.
template <typename Number>
std::vector<int64_t> widened(int64_t count, const Number *numbers) {
  if (count <= 0 || !numbers)
    return {};
  return std::vector<int64_t>(numbers, numbers + count);
}

} // namespace farc

#endif // SLUICE_PACK_DATATYPEBASE_H
