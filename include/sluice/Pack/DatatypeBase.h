//===- DatatypeBase.h - The base class of all data layouts ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The abstract class of LibPack's core interface, the error type of its
// functions, and the common base of its built-in classes. Programs include
// Datatype.h.
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

/// An invalid argument, arithmetic beyond 64 bits, or a call at the wrong time.
/// The message names the values.
class Error : public std::runtime_error {
public:
  /// Kinds of errors.
  enum Kind {
    ARGUMENT,
    OVERFLOW_64,
    NOT_COMMITTED,
    NO_COMPILER,
    TRUNCATED,
    UNSUPPORTED
  };
  /// An error of the given kind with the text `message`.
  Error(Kind kind, const std::string &message)
      : std::runtime_error(message), kind(kind) {}
  /// The kind of the error.
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

/// Orders of arrays in SUBARRAY and DARRAY. The enum can hold any int; the
/// constructors refuse other values.
enum Order : int { ORDER_C, ORDER_FORTRAN };
/// Distributions of DARRAY; the constructors refuse other values, too.
enum Distribution : int {
  DISTRIBUTE_NONE,
  DISTRIBUTE_BLOCK,
  DISTRIBUTE_CYCLIC
};
/// The distribution argument that lets the library choose the block size.
inline constexpr int64_t DISTRIBUTE_DFLT_DARG = -1;

class Datatype;

/// The arguments of a constructor, as MPI_Type_get_contents lists them. The
/// types are clones owned by this struct.
struct Contents {
  /// Counts, lengths and orders.
  std::vector<int64_t> integers;
  /// Displacements, strides and bounds in bytes.
  std::vector<int64_t> addresses;
  /// The component types, in the order of the constructor.
  std::vector<std::unique_ptr<Datatype>> datatypes;
};

/// The sizes of the lists that get_contents would return.
struct Envelope {
  /// The constructor of the type.
  DatatypeName combiner = PRIMITIVE;
  /// The numbers of integers, addresses and types in `Contents`.
  ///@{
  int64_t integers = 0;
  int64_t addresses = 0;
  int64_t datatypes = 0;
  ///@}
  /// Equal in all fields.
  bool operator==(const Envelope &) const = default;
};

/// Maximum nesting depth of types. All functions that walk a type recurse; this
/// limit prevents stack overflows.
inline constexpr int64_t MaximumDepth = 1000;

class PrimitiveDatatype;

/// Base of all layouts. Instances are immutable except for commit; different
/// threads may share one. A subclass outside this library overrides clone, the
/// sizes and bounds, and both codegen methods, and needs the JIT library.
class Datatype {
public:
  /// The directions to compile.
  enum CompilationType { PACK, UNPACK, PACK_UNPACK };

  /// For subclasses; an uncommitted type.
  Datatype();
  /// No call may be using the type.
  virtual ~Datatype();
  Datatype(const Datatype &) = delete;
  Datatype &operator=(const Datatype &) = delete;

  /// An uncommitted deep copy, owned by the caller.
  virtual Datatype *clone() const = 0;

  /// The number of bytes of one instance that are copied.
  virtual int64_t getSize() const = 0;
  /// The beginning and end of an instance, in bytes from its address, including
  /// gaps at the ends and the bounds of a resized type.
  ///@{
  virtual int64_t getLowerBound() const = 0;
  virtual int64_t getUpperBound() const = 0;
  ///@}
  /// The first byte, and the end of the last byte.
  ///@{
  virtual int64_t getTrueLowerBound() const = 0;
  virtual int64_t getTrueUpperBound() const = 0;
  ///@}
  /// The distance between instances in bytes.
  virtual int64_t getExtent() const {
    return getUpperBound() - getLowerBound();
  }
  /// From the first byte to the end of the last byte.
  virtual int64_t getTrueExtent() const {
    return getTrueUpperBound() - getTrueLowerBound();
  }
  /// The alignment to which the end of a struct with such a member is padded.
  virtual int64_t getAlignment() const { return 1; }
  /// Whether a resized type or an array has set the bounds. A type with such
  /// parts takes its bounds only from these parts, and has no padding (MPI 3.1,
  /// 4.1.6).
  virtual bool hasMarkedBounds() const { return false; }
  /// The nesting depth: 1 if there are no component types.
  virtual int64_t getDepth() const { return 1; }
  /// The constructor of the type.
  virtual DatatypeName getDatatypeName() const { return USER; }
  /// The component types, owned by this type.
  virtual std::vector<const Datatype *> getSubtypes() const { return {}; }
  /// The constructor of this type, and the numbers of integers, addresses and
  /// types that getContents returns. A user-defined class has none of them.
  virtual Envelope getEnvelope() const;
  /// The arguments of the constructor; none for a user-defined class.
  virtual Contents getContents() const;

  /// The textual form that `parseDatatypes` reads; a summary shortens long
  /// lists.
  virtual std::string toString(bool summary = false) const = 0;
  /// Writes the textual form and a newline to standard output.
  void print(bool summary = false) const;

  /// Emits LLVM IR at the insertion point of the function being compiled: code
  /// that packs (unpacks) `count` instances from `inbuf` to `outbuf`, without
  /// changing these three values. See sluice/PackJIT/Codegen.h.
  ///@{
  virtual void packCodegen(llvm::Value *inbuf, llvm::Value *count,
                           llvm::Value *outbuf) const;
  virtual void unpackCodegen(llvm::Value *inbuf, llvm::Value *count,
                             llvm::Value *outbuf) const;
  ///@}

  /// One instance in normal form. The default is a custom form, packed by the
  /// code that this class generates.
  virtual sluice::pack::PlacedForm normalForm() const;
  /// Receives the offset in bytes, the type and the number of a run of
  /// elements.
  using ElementVisitor =
      std::function<void(int64_t, const PrimitiveDatatype &, int64_t)>;
  /// Calls the visitor for runs of equal primitive elements in pack order: the
  /// type map. Used by external32.
  virtual void forEachElement(int64_t offset, const ElementVisitor &) const;

  /// LibPack's name for a synchronous commit; compiles both directions.
  void compile(CompilationType type = PACK_UNPACK);
  /// Null before commit. Its kernel() returns the current functions.
  const std::shared_ptr<sluice::pack::Packer> &getPacker() const {
    return packer;
  }

private:
  friend void DDT_Commit(Datatype *, bool);
  std::shared_ptr<sluice::pack::Packer> packer;
};

/// Properties of one instance of a built-in class, computed at construction.
struct Bounds {
  /// The results of the functions of Datatype with these names, in bytes.
  ///@{
  int64_t size = 0;
  int64_t lower = 0;
  int64_t upper = 0;
  int64_t trueLower = 0;
  int64_t trueUpper = 0;
  int64_t alignment = 1;
  ///@}
  /// The nesting depth.
  int64_t depth = 1;
  /// See Datatype::hasMarkedBounds.
  bool isMarked = false;
  /// Equal in all fields.
  bool operator==(const Bounds &) const = default;
};

/// Base of the classes of this library: bounds are looked up, and the compiler
/// of forms generates the code. A type and its clones share component types,
/// since these never change.
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
  /// Numbers shared by a type and its clones.
  using List = std::shared_ptr<const std::vector<int64_t>>;

  /// For subclasses, which compute `bounds`.
  BuiltinDatatype() = default;
  /// An uncommitted copy.
  BuiltinDatatype(const BuiltinDatatype &other)
      : Datatype(), bounds(other.bounds) {}

  /// The bounds that the functions above return.
  Bounds bounds;
};

/// Converts `count` numbers of any integer type to 64 bits, for constructors
/// that take arrays of int or long; null if there are no numbers to read.
template <typename Number>
std::vector<int64_t> widened(int64_t count, const Number *numbers) {
  if (count <= 0 || !numbers)
    return {};
  return std::vector<int64_t>(numbers, numbers + count);
}

} // namespace farc

#endif // SLUICE_PACK_DATATYPEBASE_H
