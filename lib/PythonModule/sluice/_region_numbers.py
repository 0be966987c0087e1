"""Numbers in programs over regions: literals, and sums of names."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import math
import numbers
import operator
import re
import struct

import numpy

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.$-]*\Z")


def check_name(name, what):
    """The name, if it is one of the language."""
    if not isinstance(name, str) or not _NAME.match(name):
        raise ValueError(f"{name!r} is no name of a {what}")
    return name


def whole_number(value):
    """A whole number, or None. Nothing is rounded."""
    if isinstance(value, (bool, numpy.bool_)):
        return int(value)
    try:
        return operator.index(value)
    except TypeError:
        return None


def literal(value, kind=None):
    """A number as text, and its type: without ``kind``, that of whole numbers
    or that of all others."""
    whole = whole_number(value)
    if whole is None and not isinstance(value, numbers.Real):
        raise TypeError(f"expected a number, but got {value!r}")
    kind = kind or ("f64" if whole is None else "i64")
    bits = re.fullmatch(r"([if])(\d+)", kind)
    if not bits:
        raise ValueError(f"{kind!r} is no type of a number")
    if bits[1] == "i":
        if whole is None:
            raise TypeError(f"type {kind} needs a whole number, but got "
                            f"{value!r}")
        limit = 1 << max(int(bits[2]) - 1, 0)
        if not -limit <= whole < limit:
            raise OverflowError(f"type {kind} does not hold {whole}")
        return str(whole), kind
    number = float(value)
    if kind == "f32":
        with numpy.errstate(over="ignore"):
            single = numpy.float32(number)
        if math.isfinite(number) and not numpy.isfinite(single):
            raise OverflowError(f"type {kind} does not hold {number!r}")
    if not math.isfinite(number):
        form = {"f32": "fI", "f64": "dQ"}.get(kind)
        if not form:
            raise ValueError(f"type {kind} has no text for {number!r}")
        bits, = struct.unpack("<" + form[1], struct.pack("<" + form[0], number))
        return f"0x{bits:0{struct.calcsize(form[1]) * 2}X}", kind
    # The language wants a point before an exponent.
    return re.sub(r"^(-?\d+)e", r"\1.0e", repr(number)), kind


class Number:
    """A parameter, an iteration or a coordinate, and sums of these."""

    __array_ufunc__ = None  # arrays of NumPy are not to be made of sums

    def __init__(self, terms, constant=0, rest=""):
        self._terms = {name: factor for name, factor in terms.items() if factor}
        self._constant = constant
        self._rest = rest

    def _open(self):
        if self._rest:
            raise TypeError(f"what follows 'div' and 'mod' in '{self}' cannot "
                            "be part of a sum")
        return self

    def __add__(self, other):
        other = number_of(other)._open()
        terms = dict(self._open()._terms)
        for name, factor in other._terms.items():
            terms[name] = terms.get(name, 0) + factor
        return Number(terms, self._constant + other._constant)

    def __mul__(self, factor):
        if isinstance(factor, bool) or whole_number(factor) is None:
            raise TypeError(f"a number can be multiplied by an int, not by "
                            f"{factor!r}")
        factor = whole_number(factor)
        return Number({name: factor * of for name, of in
                       self._open()._terms.items()}, factor * self._constant)

    def __neg__(self):
        return self * -1

    def __sub__(self, other):
        return self + -number_of(other)

    def __rsub__(self, other):
        return number_of(other) - self

    def __floordiv__(self, divisor):
        return Number(self._open()._terms, self._constant,
                      f" div {_divisor(divisor)}")

    def __mod__(self, divisor):
        if " mod " in self._rest:
            self._open()
        return Number(self._terms, self._constant,
                      f"{self._rest} mod {_divisor(divisor)}")

    __radd__ = __add__
    __rmul__ = __mul__

    def __str__(self):
        text = ""
        for name, factor in self._terms.items():
            sign = (" - " if factor < 0 else " + ") if text else (
                "-" if factor == -1 else "")
            size = abs(factor) if text else factor
            text += sign + (name if abs(factor) == 1 else f"{size} * {name}")
        if not text:
            return f"{self._constant}{self._rest}"
        if self._constant:
            text += (f" {'-' if self._constant < 0 else '+'} "
                     f"{abs(self._constant)}")
        return text + self._rest

    __repr__ = __str__


def number_of(value):
    """A whole number or a sum, as a :class:`Number`."""
    if isinstance(value, Number):
        return value
    if isinstance(value, (bool, numpy.bool_)) or whole_number(value) is None:
        raise TypeError(f"expected a number, a parameter or an iteration, but "
                        f"got {value!r}")
    return Number({}, whole_number(value))


def _divisor(value):
    text = str(number_of(value)._open())
    if not re.fullmatch(r"\d+|@\S+", text):
        raise TypeError(f"what divides is a number or a parameter, not '{text}'")
    return text


#: Coordinates of the points of a launch, and of elements.
i, j, k = Number({"i": 1}), Number({"j": 1}), Number({"k": 1})


def numbers_of(values):
    """One number or several."""
    if isinstance(values, Number) or whole_number(values) is not None:
        values = [values]
    return [number_of(value) for value in values]


def list_text(values):
    """One number or several, in brackets."""
    return "[" + ", ".join(map(str, numbers_of(values))) + "]"


def constant_text(value):
    """A number, with its type if it is a literal."""
    if isinstance(value, Number):
        return str(value)
    return " : ".join(literal(value))
