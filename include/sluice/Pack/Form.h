//===- Form.h - The normal form of a data layout --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Packing any layout means copying blocks of bytes in a fixed order. A `Form`
// describes this order, as compactly as the layout allows: a block, loops of
// constant strides over a form, a form at listed offsets, runs of bytes.
// Layouts that copy the same bytes in the same order should have equal forms;
// kernels are selected, compiled and cached by form.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_PACK_FORM_H
#define SLUICE_PACK_FORM_H

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace farc {
class Datatype;
} // namespace farc

namespace sluice::pack {

/// Kinds of forms.
enum class FormKind : uint8_t {
  /// No bytes.
  Empty,
  /// `size` consecutive bytes from the origin on.
  Block,
  /// Nested loops of constant stride over one child.
  Strided,
  /// One child at each of `offsets`.
  Indexed,
  /// `lengths[i]` bytes at `offsets[i]`.
  Runs,
  /// `children[i]` at `offsets[i]`.
  Sequence,
  /// A user-defined Datatype, known only by the code it generates.
  Custom,
};

/// One loop of a strided form: iteration `i` starts at `i * stride` bytes.
struct Dimension {
  /// The number of iterations.
  int64_t count;
  /// The distance between iterations in bytes.
  int64_t stride;
  /// Equal in both.
  bool operator==(const Dimension &) const = default;
};

struct Form;
/// Forms are immutable, so layouts and threads share them.
using FormRef = std::shared_ptr<const Form>;

/// One node of a normal form. All offsets are in bytes from the origin at which
/// the parent places this form. A form's first byte in pack order lies at its
/// origin, unless it lists `offsets`. Packed bytes follow each other in the
/// order of loops, offsets and children.
struct Form {
  /// The kind of the form.
  FormKind kind = FormKind::Empty;
  /// Number of packed bytes.
  int64_t size = 0;
  /// The accessed bytes are within [low, high), relative to the origin.
  ///@{
  int64_t low = 0;
  int64_t high = 0;
  ///@}
  /// Strided: outermost loop first; every count is at least 2.
  std::vector<Dimension> dimensions;
  /// Indexed, Runs, Sequence: in pack order.
  std::vector<int64_t> offsets;
  /// Runs: each at least 1.
  std::vector<int64_t> lengths;
  /// Strided, Indexed: one. Sequence: as many as offsets. No child is Empty.
  std::vector<FormRef> children;
  /// Custom: a clone owned by this form.
  std::shared_ptr<const farc::Datatype> custom;
  /// Custom: unique among the custom forms of this process.
  uint64_t customSerial = 0;

  // Derived facts, computed by the algebra from the fields above.

  /// The end of the last byte in pack order, relative to the origin.
  int64_t tail = 0;
  /// The number of blocks of consecutive bytes that loops and lists describe;
  /// INT64_MAX if more. `size / runs` is their average length.
  int64_t runs = 0;
  /// The number of steps to walk the form: nested forms other than lists of
  /// runs, each counted as often as it is reached. At most `MaximumParts`.
  int64_t parts = 0;
  /// Runs, Sequence: the packed bytes before each entry.
  std::vector<int64_t> positions;
  /// Contains a custom form; only compiled kernels can pack it.
  bool hasCustom = false;

  /// Equal in all fields, children included.
  bool operator==(const Form &other) const;
};

/// The maximum number of parts of a layout. Forms share parts, so a few forms
/// can describe very many parts.
inline constexpr int64_t MaximumParts = int64_t(1) << 22;

/// A form and its origin, in bytes from the origin of the enclosing form.
struct PlacedForm {
  /// The position of the origin.
  int64_t offset = 0;
  /// The form.
  FormRef form;
};

/// A whole layout: the form of instance `k` has its origin at `k * extent +
/// offset` bytes from the buffer's address.
struct Layout {
  /// The origin of instance 0.
  int64_t offset = 0;
  /// The distance between instances.
  int64_t extent = 0;
  /// One instance.
  FormRef form;

  /// The number of packed bytes of an instance.
  int64_t size() const { return form->size; }
  /// Equal in all fields.
  bool operator==(const Layout &other) const;
};

// The algebra of forms: each function returns a form that is as simple as
// possible at reasonable cost (linear in the number of given offsets). Adjacent
// bytes are joined, equal distances become loops, loops of one iteration and
// empty parts vanish. The order of bytes never changes. Arithmetic that would
// overflow 64 bits throws farc::Error.

/// No bytes.
FormRef emptyForm();
/// `size` consecutive bytes.
FormRef blockForm(int64_t size);
/// The bytes that `type` packs with its own code: `size` bytes within [low,
/// high).
FormRef customForm(std::shared_ptr<const farc::Datatype> type, int64_t size,
                   int64_t low, int64_t high);
/// `count` times `form`, `stride` bytes apart.
PlacedForm repeat(const PlacedForm &form, int64_t count, int64_t stride);
/// `form` at each of `offsets`.
PlacedForm placeAt(const PlacedForm &form, std::span<const int64_t> offsets);
/// Parts one after another.
PlacedForm sequence(std::span<const PlacedForm> parts);

/// The same bytes in the same order for kernels, which prefer equal lengths
/// over fewer entries: long lists of runs whose lengths have common divisors
/// become lists of equal blocks. The result is not a normal form.
FormRef cutIntoEqualBlocks(const FormRef &form);

/// The form on one line for humans, e.g. `2 x 12 bytes every 20`; shortens long
/// lists and marks this. Not a cache key.
std::string toText(const Layout &layout);
/// A byte string that contains the whole form and is unique to the layout;
/// caches hash it.
std::string toKey(const Layout &layout);

} // namespace sluice::pack

#endif // SLUICE_PACK_FORM_H
