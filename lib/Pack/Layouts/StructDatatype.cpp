//===- StructDatatype.cpp - Blocks of different types ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The general constructor. A type that occurs several times among the members
// is cloned and examined only once, so that types repeatedly built from
// themselves stay cheap.
//
//===----------------------------------------------------------------------===//

#include "DatatypeArithmetic.h"
#include "DatatypeElements.h"
#include "ListText.h"
#include "sluice/Pack/IndexedDatatypes.h"

#include <unordered_map>

using namespace farc;
using namespace sluice::pack;
using sluice::concat;

StructDatatype::StructDatatype(int64_t count, const int64_t *blocklens,
                               const int64_t *displacements,
                               const Datatype *const *types) {
  Arithmetic compute("struct");
  compute.requireNotNegative(count, "the count");
  if (count > 0 && (!blocklens || !displacements || !types))
    compute.impossible("an array of members is null, but the count is ", count);
  std::unordered_map<const Datatype *, TypeRef> clones;
  std::vector<Member> list;
  list.reserve(size_t(count));
  for (int64_t i = 0; i != count; ++i) {
    if (!types[i])
      compute.impossible("the type of member ", i, " is null");
    compute.requireNotNegative(blocklens[i], "the length of member ", i);
    TypeRef &type = clones[types[i]];
    if (!type)
      type.reset(types[i]->clone());
    list.push_back({blocklens[i], displacements[i], type});
  }
  members = std::make_shared<const std::vector<Member>>(std::move(list));
  computeBounds();
}

void StructDatatype::computeBounds() {
  BoundsUnion all("struct");
  for (const Member &member : *members) {
    all.addDepth(*member.type);
    if (member.blocklen > 0)
      all.addBlock(*member.type, member.blocklen, member.displacement);
  }
  bounds = all.finish(true);
}

StructDatatype *StructDatatype::clone() const {
  return new StructDatatype(*this);
}

std::vector<const Datatype *> StructDatatype::getSubtypes() const {
  std::vector<const Datatype *> types;
  for (const Member &member : *members)
    types.push_back(member.type.get());
  return types;
}

Envelope StructDatatype::getEnvelope() const {
  return {STRUCT, getCount() + 1, getCount(), getCount()};
}

Contents StructDatatype::getContents() const {
  Contents contents;
  contents.integers.push_back(getCount());
  for (const Member &member : *members) {
    contents.integers.push_back(member.blocklen);
    contents.addresses.push_back(member.displacement);
    contents.datatypes.emplace_back(member.type->clone());
  }
  return contents;
}

std::string StructDatatype::toString(bool summary) const {
  // Types share others, but their texts do not.
  constexpr size_t longest = size_t(32) << 20;
  std::string out = "struct(";
  appendList(out, getCount(), summary, [&](std::string &text, int64_t i) {
    const Member &member = (*members)[size_t(i)];
    text += concat(member.displacement, ',', member.blocklen, '[',
                   member.type->toString(summary), ']');
    if (text.size() > longest)
      throw Error(Error::UNSUPPORTED,
                  "the text of the layout has more than 32 MiB");
  });
  return out + ')';
}

namespace {
/// The forms of structs within the requested type. Types share others, and only
/// structs have several subtypes: without this table, each path to a type would
/// be walked.
class KnownForms {
public:
  KnownForms() { ++levels(); }
  ~KnownForms() {
    if (--levels() == 0)
      map().clear();
  }
  KnownForms(const KnownForms &) = delete;
  KnownForms &operator=(const KnownForms &) = delete;
  struct Known {
    std::shared_ptr<const void> owner;
    PlacedForm form;
  };
  std::unordered_map<const void *, Known> &map() {
    static thread_local std::unordered_map<const void *, Known> forms;
    return forms;
  }

private:
  static int &levels() {
    static thread_local int number = 0;
    return number;
  }
};
} // namespace

PlacedForm StructDatatype::normalForm() const {
  KnownForms known;
  if (auto found = known.map().find(members.get()); found != known.map().end())
    return found->second.form;
  PlacedForm form = formOfMembers();
  known.map()[members.get()] = {members, form};
  return form;
}

PlacedForm StructDatatype::formOfMembers() const {
  std::unordered_map<const Datatype *, PlacedForm> forms;
  std::vector<PlacedForm> parts;
  parts.reserve(members->size());
  for (const Member &member : *members) {
    auto [form, isNew] = forms.try_emplace(member.type.get());
    if (isNew)
      form->second = member.type->normalForm();
    PlacedForm block =
        repeat(form->second, member.blocklen, member.type->getExtent());
    parts.push_back({block.offset + member.displacement, block.form});
  }
  return sequence(parts);
}

void StructDatatype::forEachElement(int64_t offset,
                                    const ElementVisitor &visit) const {
  for (const Member &member : *members)
    forEachElementOfBlock(*member.type, offset + member.displacement,
                          member.blocklen, visit);
}
