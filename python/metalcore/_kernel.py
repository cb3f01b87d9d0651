"""Metal Shading Language from source to a launch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from . import _core
from ._launch import Launch, size3

TYPE_CHECKING = False  # as typing has it, whose import would slow that of metalcore
if TYPE_CHECKING:
    from typing import Any

    from ._typing import Constants, GridSize, MathMode


class Kernel:
    """A kernel of a compiled library; calling it queues a launch.

    Get one from a `Library`: ``library.scale`` or ``library["scale"]``. Its pipeline is built by
    the first call with the same function constants, or by `prepare`.

    Examples
    --------
    >>> import metalcore as mc
    >>> library = mc.compile('''
    ... #include <metal_stdlib>
    ... kernel void scale(device float *x, constant float &factor,
    ...                   uint i [[thread_position_in_grid]]) {
    ...   x[i] *= factor;
    ... }''')
    >>> x = mc.arange(3, dtype="float32")
    >>> library.scale(x, 10, threads=3)
    >>> x.tolist()
    [0.0, 10.0, 20.0]
    """

    def __init__(self, library: _core.Library, name: str) -> None:
        self._library = library
        self._name = name
        self._launches: dict[tuple[tuple[str, object], ...], Launch] = {}

    @property
    def name(self) -> str:
        """The kernel's name."""
        return self._name

    @property
    def function_constants(self) -> list[_core.FunctionConstant]:
        """The function constants that the kernel depends on, by index.

        Each has a `name`, an `index`, a `type_name`, a `dtype` and says whether it `is_required`.

        Examples
        --------
        >>> import metalcore as mc
        >>> kernel = mc.compile('''
        ... constant int step [[function_constant(0)]];
        ... kernel void add(device int *x) { *x += step; }''').add
        >>> [(each.name, each.type_name, each.is_required) for each in kernel.function_constants]
        [('step', 'int', True)]
        """
        return self._library.function_constants(self._name)

    def prepare(self, *, constants: Constants | None = None) -> _core.Pipeline:
        """Build the pipeline now, if nobody did, and return it.

        Raises
        ------
        ValueError
            A function constant is missing, unknown or out of its type's range.
        PipelineError
            The pipeline could not be made.
        """
        return self._launch(constants).pipeline

    def __call__(
        self,
        *args: Any,
        threads: GridSize | None = None,
        group_size: GridSize | None = None,
        groups: GridSize | None = None,
        threadgroup_memory: int | Sequence[int] | None = None,
        constants: Constants | None = None,
    ) -> None:
        """Queue a launch. Arguments are checked against what the compiled kernel says of itself.

        Parameters
        ----------
        *args
            One for each buffer of the kernel, in the order of its parameters:

            - An `Array` of the pointee's data type. A vector pointee (``float4``) takes the
              vectors along the last axis: shape (n, 4). ``char *`` takes any data type. An array
              that the kernel only reads is copied where it is not contiguous.
            - A NumPy array, alike. What the kernel only reads is copied when the call is made.
              What it writes must be writable and contiguous, holds the result when the call
              returns, and so the call waits for the kernel.
            - For one value (``constant T &``): a number in the range of its type, a sequence of
              numbers for a vector.
            - For a struct: bytes or a NumPy scalar of the struct's size.
            - None for an argument that the function constants leave out.
        threads : int or tuple of up to three ints
            How many threads run, in x, y and z.
        group_size : int or tuple of up to three ints, optional
            Threads of a threadgroup; by default a size that suits kernel and grid.
        groups : int or tuple of up to three ints
            How many threadgroups run, in place of `threads`; needs `group_size`.
        threadgroup_memory : int or sequence of ints, optional
            Bytes for each threadgroup argument, in the order of the kernel's parameters.
        constants : mapping of str to bool, int or float, optional
            Values of function constants by name.

        Raises
        ------
        TypeError
            The number of arguments, a data type or a kind of value is wrong.
        ValueError
            A size, a shape, the grid or a function constant is wrong.
        OverflowError
            A number is out of its argument's range.
        LaunchError
            A limit of the pipeline is exceeded. What fails while the kernel runs is raised by
            `metalcore.synchronize` or by reading an array.
        """
        launch = self._launch(constants)
        launch(args, *self._grid(threads, group_size, groups), threadgroup_memory)

    def _launch(self, constants: Constants | None) -> Launch:
        key = tuple(sorted(constants.items())) if constants else ()
        # 1, 1.0 and True are equal keys, but not equal constants.
        typed = tuple((name, (type(value), value)) for name, value in key)
        launch = self._launches.get(typed)
        if launch is None:
            values = constant_values(dict(key))
            launch = Launch(self._library.pipeline(self._name, values))
            self._launches[typed] = launch
        return launch

    def _grid(
        self, threads: GridSize | None, group_size: GridSize | None, groups: GridSize | None
    ) -> tuple[tuple[int, int, int], tuple[int, int, int] | None]:
        group = None if group_size is None else size3("group_size", group_size)
        if (threads is None) == (groups is None):
            raise TypeError(f'Kernel "{self._name}" needs either threads or groups.')
        if threads is not None:
            return size3("threads", threads), group
        if group is None:
            raise TypeError(f'Kernel "{self._name}" needs group_size together with groups.')
        count = size3("groups", groups)
        return (count[0] * group[0], count[1] * group[1], count[2] * group[2]), group

    def __repr__(self) -> str:
        return f'<metalcore.Kernel "{self._name}">'


class Library:
    """Compiled kernels, as attributes and as items; made by `compile`.

    Examples
    --------
    >>> import metalcore as mc
    >>> library = mc.compile("kernel void one(device int *out) { *out = 1; }")
    >>> library.kernel_names
    ['one']
    >>> "two" in library
    False
    """

    def __init__(self, library: _core.Library) -> None:
        self._library = library
        self._kernels: dict[str, Kernel] = {}

    @property
    def kernel_names(self) -> list[str]:
        """Names of the kernels, in the order of their definition."""
        return self._library.kernel_names

    @property
    def warnings(self) -> str:
        """The compiler's warnings; empty when there were none."""
        return self._library.warnings

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name in self._library

    def __getitem__(self, name: str) -> Kernel:
        kernel = self._kernels.get(name)
        if kernel is None:
            if name not in self._library:
                raise KeyError(self._unknown(name))
            kernel = self._kernels.setdefault(name, Kernel(self._library, name))
        return kernel

    def __getattr__(self, name: str) -> Kernel:
        if name.startswith("__"):
            raise AttributeError(name)
        try:
            return self[name]
        except KeyError:
            raise AttributeError(self._unknown(name)) from None

    def __dir__(self) -> list[str]:
        return [*object.__dir__(self), *self.kernel_names]

    def __repr__(self) -> str:
        return f"<metalcore.Library: {', '.join(self._some(self.kernel_names)) or 'no kernels'}>"

    @staticmethod
    def _some(names: list[str]) -> list[str]:
        most = 8
        return names if len(names) <= most else [*names[:most], f"… ({len(names)} in all)"]

    def _unknown(self, name: str) -> str:
        names = self.kernel_names
        if len(names) <= 8:
            near = names
        else:
            from difflib import get_close_matches

            near = get_close_matches(name, names)
        if not names:
            return f'The library has no kernel "{name}"; it has none.'
        if near == names:
            return f'The library has no kernel "{name}"; it has: {", ".join(names)}.'
        hint = f"; near it are: {', '.join(near)}" if near else ""
        return f'The library has no kernel "{name}" among its {len(names)}{hint}.'


def constant_values(constants: Constants) -> dict[str, bool | int | float]:
    """Values of function constants as the native part takes them."""
    return {name: _constant(name, value) for name, value in constants.items()}


def _constant(name: str, value: object) -> bool | int | float:
    if isinstance(value, (bool, int, float)):
        return value
    number = value.item() if hasattr(value, "item") else None  # a NumPy scalar
    if isinstance(number, (bool, int, float)):
        return number
    kind = type(value).__name__
    raise TypeError(f'Function constant "{name}" must be a bool, int or float, not {kind}.')


def compile(
    source: str,
    *,
    macros: Mapping[str, str | int | float] | None = None,
    math_mode: MathMode | None = None,
    enable_logging: bool = False,
    headers: Mapping[str, str] | None = None,
    device: _core.Device | None = None,
) -> Library:
    """Compile Metal Shading Language.

    Waits for the compiler, without the GIL. The same request is compiled once in a process, however
    many threads ask.

    Parameters
    ----------
    source : str
    macros : mapping of str to str, int or float, optional
        Preprocessor macros.
    math_mode : {"safe", "relaxed", "fast"}, optional
        By default what the preference `math_mode` says.
    enable_logging : bool, optional
        Whether the functions of ``<metal_logging>`` write: to the logger ``"metalcore"`` where
        Python's logging is set up, else to stderr, at the latest when the program waits for the
        kernel. ``os_log_default.log()`` is a warning, ``log_debug()``, ``log_info()`` and
        ``log_error()`` are what they are called. Otherwise they do nothing.
    headers : mapping of str to str, optional
        Texts for ``#include``, by name: ``{"params.h": "struct Params { int n; };"}``. Errors in
        them name the header and its line.
    device : Device, optional

    Returns
    -------
    Library

    Raises
    ------
    CompileError
        The source was refused; `diagnostics` has the compiler's text.

    Examples
    --------
    >>> import metalcore as mc
    >>> library = mc.compile(
    ...     "kernel void set(device int *out) { *out = VALUE; }", macros={"VALUE": 42}
    ... )
    >>> out = mc.zeros(1, dtype="int32")
    >>> library.set(out, threads=1)
    >>> out.item()
    42
    """
    if not isinstance(source, str):
        raise TypeError(f"The source must be a str, not {type(source).__name__}.")
    mode = None
    if math_mode is not None:
        mode = _core.MathMode.__members__.get(math_mode)
        if mode is None:
            raise ValueError(f'math_mode must be "safe", "relaxed" or "fast", not {math_mode!r}.')
    target = _core.Device.default() if device is None else device
    texts = {name: _macro(value) for name, value in (macros or {}).items()}
    for name, text in (headers or {}).items():
        if not isinstance(name, str) or not isinstance(text, str):
            raise TypeError(f"A header must be a str with a str for its name: {name!r}.")
    return Library(target.compile(source, texts, mode, bool(enable_logging), dict(headers or {})))


def _macro(value: str | int | float) -> str:
    return str(int(value)) if isinstance(value, bool) else str(value)
