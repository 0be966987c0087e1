"""Roots, partitions and variables of programs over regions."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

from ._region_numbers import check_name, list_text, numbers_of


def _names(first, last):
    """What elements name: fields, or computed coordinates."""
    if not isinstance(first, str):
        if last is not None:
            raise TypeError("ranges are named by fields")
        return list_text(first)
    text = f'"{check_name(first, "field")}"'
    if last is None:
        return text
    return text + (" to next" if last == "next" else
                   f' to "{check_name(last, "field")}"')


class Region:
    """A root, a partition or a variable; with colors and fields, as tasks access
    it. ``region[i + 1, k]`` is a color, ``region[function]`` the one that a
    function of the task gives, ``region.of("a", "b")`` some fields, and
    ``region.whole`` all colors together."""

    __iter__ = None  # colors have no order in which Python could take them

    def __init__(self, module, name, extents, root=None, color=(), fields=(),
                 is_whole=False, function=""):
        self._module, self._name, self._extents = module, name, extents
        self._root, self._color = root, tuple(color)
        self._fields, self._is_whole = tuple(fields), is_whole
        self._function = function

    def _with(self, **changed):
        kept = {"color": self._color, "fields": self._fields,
                "is_whole": self._is_whole, "function": self._function}
        return Region(self._module, self._name, self._extents, self._root,
                      **{**kept, **changed})

    def __getitem__(self, color):
        if self._root is None:
            raise TypeError(f"'{self}' has no colors, as it is no partition")
        if self._is_whole:
            raise TypeError(f"'{self}' has all colors, and cannot have one")
        if self._function:
            raise TypeError(f"'{self}' has a color already")
        if callable(color) or isinstance(color, str):
            if self._color:
                raise TypeError(f"'{self}' has a color already")
            return self._with(function=self._module._name_of(color))
        color = (*self._color, *numbers_of(color))
        if len(color) > len(self._extents):
            raise TypeError(f"a color of '{self._name}' has only "
                            f"{len(self._extents)} coordinates")
        return self._with(color=color)

    def of(self, *fields):
        """The same region with some of its fields."""
        if self._fields or not fields:
            raise TypeError(f"'{self}' has its fields already" if fields else
                            f"name the fields of '{self}'")
        return self._with(fields=[check_name(field, "field")
                                  for field in fields])

    @property
    def whole(self):
        """All colors together."""
        if self._color or self._function:
            raise TypeError(f"'{self}' is one color, and cannot be all")
        return self._with(is_whole=True)

    def __str__(self):
        return (f"@{self._name}" + (list_text(self._color) if self._color else "")
                + (f" {{{', '.join(self._fields)}}}" if self._fields else "")
                + (" whole" if self._is_whole else "")
                + (f" by @{self._function}" if self._function else ""))

    # Partitions.

    def _add(self, name, colors, rule, disjoint, complete, of=None):
        colors = numbers_of(colors)
        root = self._root or self._with(fields=())
        self._module._declare(
            name, "partition",
            f"rdir.partition @{name} of {of or root} {list_text(colors)} "
            f"{'disjoint' if disjoint else 'aliased'} "
            f"{'complete' if complete else 'incomplete'} by {rule}")
        return Region(self._module, name, colors, root)

    def _divided(self):
        """A root or a color, as what is divided."""
        if (self._fields or self._is_whole or self._function
                or (self._root and not self._color)):
            raise TypeError(f"'{self}' cannot be divided; name its root, or one "
                            f"color, as in {self._name}[0], without fields")
        return str(self)

    def _source(self, region=None):
        """All colors of a partition, as rules take them."""
        region = self._module._own(self if region is None else region)
        if (region._color or region._fields or region._is_whole
                or region._function):
            raise TypeError(f"the rule takes each color of '{region._name}', "
                            f"and cannot take '{region}'")
        return region

    def blocks(self, name, colors):
        """Equal blocks of a root or of one color."""
        return self._add(name, colors, "blocks", True, True, self._divided())

    def each(self, name, blocks, disjoint=False, complete=False):
        """Equal blocks of each color; its colors come first."""
        return self._add(name, [*self._extents, *numbers_of(blocks)],
                         f"blocks({self._source()})", disjoint, complete)

    def halo(self, name, width, axes=False, periodic=(), complete=True):
        """Each color, grown along all dimensions. ``periodic``: True, or the
        dimensions in which the first elements follow the last ones."""
        words = ", axes" if axes else ""
        if periodic is True:
            words += ", periodic"
        elif periodic is not False and (dimensions := numbers_of(periodic)):
            words += f", periodic {list_text(dimensions)}"
        return self._add(name, self._extents,
                         f"halo({self._source()}, {list_text(width)}{words})",
                         False, complete)

    def coloring(self, name, colors, function, disjoint=False, complete=False):
        """The elements that a function adds. One in Python gets the color and
        ``elements``: ``elements.add(begin, end)``, or the places of elements
        in an array."""
        function = self._module._name_of(function)
        return self._add(name, colors, f"coloring(@{function})", disjoint,
                         complete, self._divided())

    def by(self, name, colors, names, complete=False):
        """The color is a field's value, or computed from coordinates."""
        rule = "field" if isinstance(names, str) else "color"
        return self._add(name, colors, f"{rule}({_names(names, None)})", True,
                         complete, self._divided())

    def image(self, name, source, names, to=None, disjoint=False,
              complete=False):
        """What elements of ``source`` name in this root or color; ``to``: the
        field that ends ranges, or "next"."""
        source = self._source(source)
        return self._add(name, source._extents,
                         f"image({source}, {_names(names, to)})", disjoint,
                         complete, self._divided())

    def preimage(self, name, names, target, to=None, disjoint=False,
                 complete=False):
        """The elements of this root or color that name elements of
        ``target``."""
        target = self._source(target)
        return self._add(name, target._extents,
                         f"preimage({_names(names, to)}, {target})", disjoint,
                         complete, self._divided())

    def _set(self, name, kind, other, disjoint, complete):
        other = self._module._own(other)
        if other._fields or other._function:
            raise TypeError(f"sets are of elements with all their fields, not "
                            f"of '{other}'")
        return self._add(name, self._extents,
                         f"{kind}({self._source()}, {other})", disjoint,
                         complete)

    def union(self, name, other, disjoint=False, complete=False):
        """Color by color; or each color and one of ``other``, or all of it if
        that is ``whole``."""
        return self._set(name, "union", other, disjoint, complete)

    def intersection(self, name, other, disjoint=False, complete=False):
        """Like ``union``."""
        return self._set(name, "intersection", other, disjoint, complete)

    def difference(self, name, other, disjoint=False, complete=False):
        """Like ``union``."""
        return self._set(name, "difference", other, disjoint, complete)

    def cross(self, name, other, disjoint=False, complete=False):
        """What each two colors have in common."""
        other = self._source(other)
        return self._add(name, [*self._extents, *other._extents],
                         f"cross({self._source()}, {other})", disjoint,
                         complete)
