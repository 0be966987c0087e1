//===- Form.h - The normal form of a data layout --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// However a layout was built, packing it is copying blocks of bytes in a fixed
// order. A `Form` says which, as compactly as the layout allows: a block, loops
// of constant strides over a form, a form at listed places, runs of bytes.
// Layouts that copy the same bytes in the same order should have equal forms;
// kernels are chosen, compiled and cached by form.
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

/// What a form is.
enum class FormKind : uint8_t {
  /// No bytes.
  Empty,
  /// `size` consecutive bytes that begin at the origin.
  Block,
  /// Nested loops of constant stride over one child.
  Strided,
  /// One child at each of `offsets`.
  Indexed,
  /// `lengths[i]` bytes at `offsets[i]`.
  Runs,
  /// `children[i]` at `offsets[i]`.
  Sequence,
  /// A user's own Datatype, known only by the code it generates.
  Custom,
};

/// One loop of a strided form: iteration `i` works at `i * stride` bytes.
struct Dimension {
  /// How often it runs.
  int64_t count;
  /// From one iteration to the next, in bytes.
  int64_t stride;
  /// Equal in both.
  bool operator==(const Dimension &) const = default;
};

struct Form;
/// Forms never change once built, so layouts and threads share them.
using FormRef = std::shared_ptr<const Form>;

/// One node of a normal form. All offsets are in bytes from the origin the
/// parent places this form at; a form's first byte in pack order lies at its
/// origin unless it lists `offsets`. Packed bytes follow each other in the
/// order of loops, places and children.
struct Form {
  /// What it is.
  FormKind kind = FormKind::Empty;
  /// Packed bytes.
  int64_t size = 0;
  /// The touched bytes are within [low, high), relative to the origin.
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
  /// Strided, Indexed: one. Sequence: as many as offsets. None is Empty.
  std::vector<FormRef> children;
  /// Custom: a clone owned by this form.
  std::shared_ptr<const farc::Datatype> custom;
  /// Custom: differs for each custom form that this process makes.
  uint64_t customSerial = 0;

  // Facts the algebra derives from the fields above.

  /// Where the last byte in pack order ends, relative to the origin.
  int64_t tail = 0;
  /// Blocks of consecutive bytes, counted where loops and lists name them;
  /// INT64_MAX if more. `size / runs` says how long they are on average.
  int64_t runs = 0;
  /// Forms within that are no lists of runs, each counted as often as it is
  /// reached: walking the form takes so many steps. At most `MaximumParts`.
  int64_t parts = 0;
  /// Runs, Sequence: the packed bytes before each entry.
  std::vector<int64_t> positions;
  /// A custom form is in here; only compiled kernels can pack it.
  bool hasCustom = false;

  /// Equal in all fields, children included.
  bool operator==(const Form &other) const;
};

/// Forms share parts, so few of them can stand for very many; no layout has
/// more parts than this.
inline constexpr int64_t MaximumParts = int64_t(1) << 22;

/// A form and where its origin lies, in bytes from its surroundings' origin.
struct PlacedForm {
  /// Where the origin is.
  int64_t offset = 0;
  /// What is there.
  FormRef form;
};

/// A whole layout: instance `k` has its form's origin at
/// `k * extent + offset` bytes from the buffer's address.
struct Layout {
  /// Where the origin of instance 0 is.
  int64_t offset = 0;
  /// From one instance to the next.
  int64_t extent = 0;
  /// One instance.
  FormRef form;

  /// The packed bytes of an instance.
  int64_t size() const { return form->size; }
  /// Equal in all fields.
  bool operator==(const Layout &other) const;
};

// The algebra of forms: each returns a form that is as simple as it can be
// made at reasonable cost (linear in the places given). Adjacent bytes join,
// equal distances become loops, loops of one iteration and empty parts vanish.
// No order of bytes changes, and arithmetic that would overflow 64 bits throws
// farc::Error.

/// No bytes.
FormRef emptyForm();
/// `size` consecutive bytes.
FormRef blockForm(int64_t size);
/// What `type` packs by its own code: `size` bytes within [low, high).
FormRef customForm(std::shared_ptr<const farc::Datatype> type, int64_t size,
                   int64_t low, int64_t high);
/// `count` times `form`, `stride` bytes apart.
PlacedForm repeat(const PlacedForm &form, int64_t count, int64_t stride);
/// `form` at each of `offsets`.
PlacedForm placeAt(const PlacedForm &form, std::span<const int64_t> offsets);
/// Parts one after another.
PlacedForm sequence(std::span<const PlacedForm> parts);

/// The same bytes in the same order for kernels, to which equal lengths are
/// worth more than few entries: long lists of runs whose lengths have common
/// divisors become lists of equal blocks. Not a normal form any more.
FormRef cutIntoEqualBlocks(const FormRef &form);

/// The form on one line for readers, e.g. `2 x 12 bytes every 20`; long lists
/// are cut and say so. Not a cache key.
std::string toText(const Layout &layout);
/// All of the form as bytes that differ when layouts do: what caches hash.
std::string toKey(const Layout &layout);

} // namespace sluice::pack

#endif // SLUICE_PACK_FORM_H
