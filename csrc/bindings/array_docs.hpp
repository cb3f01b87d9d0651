#pragma once

/// Docstrings of Array, in NumPy's style; their examples are run by a test.
namespace metalcore::python::docs {

inline constexpr char array[] = R"(An n-dimensional array in device memory.

Made by `asarray`, `zeros`, `ones`, `full`, `empty` and `arange`. Arithmetic is queued on the device
and returns at once; reading a value waits, and raises what failed before it.

``+ - * /`` work element by element with NumPy's broadcasting, and in place. Data types are promoted
by the rules of the Python array API standard: a Python number takes the array's data type, and mixes
that the standard leaves undefined (integers with floats, booleans with numbers) raise `TypeError`.
Integers divide to float32. Integer arithmetic wraps around.

Examples
--------
>>> import metalcore as mc
>>> x = mc.arange(3, dtype="float32")
>>> ((x + 1) / 2).tolist()
[0.5, 1.0, 1.5]
)";

inline constexpr char fill[] = R"(Set every element to a value.

Parameters
----------
value : bool, int, float or complex
    It must fit the data type.

Raises
------
TypeError
    The value is of another kind: a float for an integer array.
OverflowError
    The integer is out of the data type's range.

Examples
--------
>>> import metalcore as mc
>>> x = mc.zeros((2, 2))
>>> x.fill(7)
>>> x.tolist()
[[7.0, 7.0], [7.0, 7.0]]
)";

inline constexpr char sum[] = R"(Sum over one, several or all axes.

Parameters
----------
axis : int or tuple of ints, optional
    The axes that are summed; all when None. Negative ones count from the last.
keepdims : bool, optional
    Keep the summed axes with extent 1.

Returns
-------
Array
    int64 for booleans and signed integers, uint64 for unsigned ones, else of the array's data type.
    Real floats are added in float32, pairwise; the sum of no elements is 0.

Raises
------
IndexError
    An axis is out of bounds.
ValueError
    An axis is given twice.

Examples
--------
>>> import metalcore as mc
>>> x = mc.asarray([[1, 2], [3, 4]])
>>> x.sum().item()
10
>>> x.sum(axis=0).tolist()
[4, 6]
)";

inline constexpr char reshape[] = R"(The same elements, in C order, in another shape.

Parameters
----------
shape : int or tuple of ints
    One extent may be -1: it follows from the others.

Returns
-------
Array
    A view where that is possible, else a copy.

Raises
------
ValueError
    The shape holds another number of elements.

Examples
--------
>>> import metalcore as mc
>>> mc.arange(6).reshape((2, -1)).tolist()
[[0, 1, 2], [3, 4, 5]]
)";

inline constexpr char astype[] = R"(The elements converted to another data type.

Floats are truncated towards zero on their way to integers; what an integer type cannot hold gives an
unspecified value. Integers keep their lowest bits.

Parameters
----------
dtype : DType, str, numpy.dtype or type
copy : bool, optional
    Copy also where the data type is the same already.

Returns
-------
Array

Raises
------
TypeError
    Metal has no such data type, or the elements are complex and the data type is not.

Examples
--------
>>> import metalcore as mc
>>> mc.asarray([0.5, -1.5, 2.0]).astype("int32").tolist()
[0, -1, 2]
)";

inline constexpr char item[] = R"(The value of an array of one element, as a Python number.

Waits for the device.

Raises
------
ValueError
    The array has not exactly one element.

Examples
--------
>>> import metalcore as mc
>>> mc.full((1, 1), 2.5).item()
2.5
)";

inline constexpr char tolist[] = R"(The elements as nested lists of Python numbers.

Waits for the device.

Examples
--------
>>> import metalcore as mc
>>> mc.zeros((2, 1), dtype="int8").tolist()
[[0], [0]]
)";

inline constexpr char copy[] = R"(A contiguous copy.

Examples
--------
>>> import metalcore as mc
>>> x = mc.arange(4)
>>> y = x[::2].copy()
>>> y.fill(9)
>>> x.tolist()
[0, 1, 2, 3]
)";

} // namespace metalcore::python::docs
