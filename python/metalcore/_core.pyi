"""The native part of metalcore. Import metalcore instead."""

from collections.abc import Callable, Mapping, Sequence
import enum
import pathlib
from typing import Any, Literal, overload

import metalcore._typing


def set_log_receiver(receiver: Callable[[str, str, float], object]) -> None:
    """
    Called with level, text and time (seconds since 1970) of each message, on Python's main thread.
    """

def deliver_log() -> None:
    """Hands over the messages that wait."""

def write_log(level: str, text: str) -> None:
    """Writes a message like those of the native part."""

def write_log_to_stderr(level: str, text: str) -> None: ...

class DType(enum.Enum):
    """A data type of array elements. Metal has no float64."""

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    bool = 0

    int8 = 1

    int16 = 2

    int32 = 3

    int64 = 4

    uint8 = 5

    uint16 = 6

    uint32 = 7

    uint64 = 8

    float16 = 9

    bfloat16 = 10

    float32 = 11

    complex64 = 12

    @property
    def itemsize(self) -> int:
        """Bytes of one element."""

def to_dtype(value: object) -> DType: ...

def promote(left: DType, right: DType) -> DType | None: ...

class StorageMode(enum.Enum):
    shared = 0

    private = 1

class MathMode(enum.Enum):
    safe = 0

    relaxed = 1

    fast = 2

class Device:
    """A Metal device."""

    @staticmethod
    def default() -> Device:
        """The default device."""

    @staticmethod
    def all() -> list[Device]:
        """Every device, the default first."""

    @property
    def name(self) -> str: ...

    @property
    def registry_id(self) -> int: ...

    @property
    def has_unified_memory(self) -> bool: ...

    @property
    def max_buffer_length(self) -> int:
        """Bytes."""

    @property
    def max_threadgroup_memory_length(self) -> int:
        """Bytes."""

    @property
    def max_threads_per_threadgroup(self) -> int: ...

    @property
    def current_allocated_size(self) -> int:
        """Bytes."""

    @property
    def recommended_max_working_set_size(self) -> int:
        """Bytes."""

    def compile(self, source: str, macros: Mapping[str, str], math_mode: MathMode | None, enable_logging: bool, headers: Mapping[str, str]) -> Library: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __repr__(self) -> str: ...

class Buffer:
    """Device memory, shared by the arrays that view it."""

    @property
    def length(self) -> int:
        """Bytes."""

    @property
    def storage_mode(self) -> StorageMode: ...

    @property
    def device(self) -> Device: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

class Event:
    """A 64-bit value that only grows, for queues and the host."""

    @property
    def value(self) -> int: ...

    def signal(self, value: int) -> None: ...

    def wait(self, value: int, timeout: float | None = None) -> bool:
        """
        Waits until the value is reached; False when `timeout` seconds passed first.
        """

class ArgumentKind(enum.Enum):
    buffer = 0

    threadgroup_memory = 1

class Access(enum.Enum):
    read_only = 0

    read_write = 1

    write_only = 2

class Argument:
    """One argument of a kernel, as reflected."""

    @property
    def name(self) -> str: ...

    @property
    def kind(self) -> ArgumentKind: ...

    @property
    def access(self) -> Access: ...

    @property
    def index(self) -> int:
        """n of [[buffer(n)]] or [[threadgroup(n)]]."""

    @property
    def type_name(self) -> str:
        """The pointee's, as Metal names it."""

    @property
    def dtype(self) -> DType | None:
        """Of a scalar or vector pointee, else None."""

    @property
    def vector_width(self) -> int: ...

    @property
    def type_size(self) -> int:
        """Bytes of one pointee."""

    @property
    def type_alignment(self) -> int:
        """Bytes."""

    @property
    def is_reference(self) -> bool:
        """One value, not an array."""

    @property
    def is_used(self) -> bool: ...

class Pipeline:
    """A kernel ready to launch."""

    @property
    def name(self) -> str: ...

    @property
    def arguments(self) -> list[Argument]: ...

    @property
    def max_total_threads_per_threadgroup(self) -> int: ...

    @property
    def thread_execution_width(self) -> int: ...

    @property
    def static_threadgroup_memory_length(self) -> int:
        """Bytes."""

    @property
    def device(self) -> Device: ...

class FunctionConstant:
    """A function constant that a kernel depends on."""

    @property
    def name(self) -> str: ...

    @property
    def index(self) -> int:
        """n of [[function_constant(n)]]."""

    @property
    def type_name(self) -> str:
        """As Metal names it."""

    @property
    def dtype(self) -> DType | None:
        """Of a scalar, else None."""

    @property
    def is_required(self) -> bool:
        """Without a value there is no pipeline."""

class Library:
    """Compiled kernels."""

    @property
    def kernel_names(self) -> list[str]: ...

    def __contains__(self, kernel: str) -> bool: ...

    def function_constants(self, kernel: str) -> list[FunctionConstant]: ...

    @property
    def warnings(self) -> str:
        """The compiler's warnings."""

    @property
    def device(self) -> Device: ...

    def pipeline(self, kernel: str, constants: Mapping[str, bool | int | int | float]) -> Pipeline: ...

class Queue:
    """An ordered list of work for a device."""

    @staticmethod
    def default(device: Device) -> Queue:
        """The queue on which arrays and kernels work."""

    def launch(self, pipeline: Pipeline, arguments: list[Array | bytes | int], threads: tuple[int, int, int], group_size: tuple[int, int, int] | None) -> None:
        """
        Queues a kernel; an integer is a length of threadgroup memory in bytes.
        """

    def signal(self, event: Event, value: int) -> None: ...

    def wait(self, event: Event, value: int) -> None: ...

    def synchronize(self) -> None: ...

    @property
    def device(self) -> Device: ...

def synchronize() -> None: ...

class Array:
    """
    An n-dimensional array in device memory.

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
    """

    @property
    def shape(self) -> tuple[int, ...]:
        """Extents of the dimensions."""

    @property
    def strides(self) -> tuple[int, ...]:
        """Bytes from one element to the next, by dimension."""

    @property
    def ndim(self) -> int:
        """Number of dimensions."""

    @property
    def size(self) -> int:
        """Number of elements."""

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""

    @property
    def itemsize(self) -> int:
        """Bytes of one element."""

    @property
    def dtype(self) -> DType:
        """Data type of the elements."""

    @property
    def device(self) -> Device:
        """Where the elements are."""

    @property
    def buffer(self) -> Buffer:
        """The memory that the array views."""

    @property
    def is_contiguous(self) -> bool:
        """C order without gaps."""

    @property
    def is_writable(self) -> bool:
        """No two elements share memory."""

    def fill(self, value: complex) -> None:
        """
        Set every element to a value.

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
        """

    def sum(self, axis: int | tuple[int, ...] | None = None, *, keepdims: bool = False) -> Array:
        """
        Sum over one, several or all axes.

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
        """

    def reshape(self, shape: int | tuple[int, ...]) -> Array:
        """
        The same elements, in C order, in another shape.

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
        """

    def astype(self, dtype: metalcore._typing.DTypeLike, *, copy: bool = True) -> Array:
        """
        The elements converted to another data type.

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
        """

    def copy(self) -> Array:
        """
        A contiguous copy.

        Examples
        --------
        >>> import metalcore as mc
        >>> x = mc.arange(4)
        >>> y = x[::2].copy()
        >>> y.fill(9)
        >>> x.tolist()
        [0, 1, 2, 3]
        """

    def item(self) -> bool | int | float | complex:
        """
        The value of an array of one element, as a Python number.

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
        """

    def tolist(self) -> Any:
        """
        The elements as nested lists of Python numbers.

        Waits for the device.

        Examples
        --------
        >>> import metalcore as mc
        >>> mc.zeros((2, 1), dtype="int8").tolist()
        [[0], [0]]
        """

    def __getitem__(self, key: metalcore._typing.IndexLike, /) -> Array:
        """A view: basic indexing with integers, slices, None and `...`."""

    def __setitem__(self, key: metalcore._typing.IndexLike, value: Array | complex, /) -> None: ...

    def __add__(self, other: Array | complex, /) -> Array: ...

    def __radd__(self, other: Array | complex, /) -> Array: ...

    def __iadd__(self, other: Array | complex, /) -> Array: ...

    def __sub__(self, other: Array | complex, /) -> Array: ...

    def __rsub__(self, other: Array | complex, /) -> Array: ...

    def __isub__(self, other: Array | complex, /) -> Array: ...

    def __mul__(self, other: Array | complex, /) -> Array: ...

    def __rmul__(self, other: Array | complex, /) -> Array: ...

    def __imul__(self, other: Array | complex, /) -> Array: ...

    def __truediv__(self, other: Array | complex, /) -> Array: ...

    def __rtruediv__(self, other: Array | complex, /) -> Array: ...

    def __itruediv__(self, other: Array | complex, /) -> Array: ...

    def __len__(self) -> int: ...

    def __bool__(self) -> bool: ...

    def __int__(self) -> int: ...

    def __float__(self) -> float: ...

    def __index__(self) -> int: ...

    def __complex__(self) -> complex: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __repr__(self) -> str: ...

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        """
        The elements as a NumPy array; without a copy where the storage is shared. Waits.
        """

    def __dlpack__(self, **options: Any) -> Any:
        """A DLPack capsule of the host's view of shared storage. Waits."""

    def __dlpack_device__(self) -> tuple[int, int]: ...

    __array_ufunc__: None = None

def empty(shape: int | Sequence[int], dtype: DType, device: Device | None) -> Array: ...

def full(shape: int | Sequence[int], value: complex, dtype: DType, device: Device | None) -> Array: ...

def arange(start: float, step: float, count: int, dtype: DType, device: Device | None) -> Array: ...

def contiguous(array: Array) -> Array:
    """A C-order copy; the array itself where it is contiguous."""

def reinterpret(array: Array, dtype: DType) -> Array:
    """The same bytes as another data type of the same size."""

def element_bytes(value: object, dtype: DType) -> bytes:
    """A number as one element."""

def is_scalar(value: object) -> bool: ...

def copy_from_host(host: object, device: Device | None) -> Array:
    """An array with a copy of C-contiguous host memory."""

def share_host(host: object, device: Device | None) -> Array | None:
    """
    An array in the host's memory, or None where that does not begin a page.
    """

def copy_to_host(array: Array, host: object) -> None:
    """Waits for the array and copies it into C-contiguous host memory."""

class WarmupStage:
    """One step of the warm-up."""

    @property
    def name(self) -> str: ...

    @property
    def seconds(self) -> float:
        """So far, while the stage runs."""

    @property
    def done(self) -> bool: ...

class WarmupReport:
    """How far the warm-up is and what it took."""

    @property
    def state(self) -> Literal['disabled', 'skipped', 'running', 'done', 'failed', 'cancelled']: ...

    @property
    def reason(self) -> str:
        """Why it did not end well; empty otherwise."""

    @property
    def error(self) -> str | None:
        """What made it fail, else None. Logged once."""

    @property
    def stages(self) -> list[WarmupStage]:
        """Those begun, in order."""

    @property
    def cpu_seconds(self) -> float:
        """CPU time of the warm-up's thread and the compile threads."""

    @property
    def pipelines_built(self) -> int:
        """In this process, by anybody."""

    @property
    def cache_hits(self) -> int:
        """Of the pipeline cache."""

    @property
    def cache_misses(self) -> int: ...

    @property
    def profile_built(self) -> int:
        """Pipelines that were replayed from the profile."""

    @property
    def profile_failed(self) -> int:
        """Those that could not be built."""

    @property
    def profile_blocked(self) -> int:
        """Those that were not tried, because they failed or crashed before."""

    @property
    def kernels_wanted(self) -> int:
        """Of the argument `kernels`, in all calls."""

    @property
    def kernels_done(self) -> int:
        """Of those, built or failed."""

    def __repr__(self) -> str: ...

class WarmupKernel:
    """A kernel to be built ahead of its first use."""

    @overload
    def __init__(self, name: str, constants: Mapping[str, bool | int | int | float], library: Library) -> None: ...

    @overload
    def __init__(self, name: str, constants: Mapping[str, bool | int | int | float], source: str) -> None: ...

class KernelBuilds:
    """Kernels that are being built."""

    def wait(self, timeout: float) -> bool:
        """Waits for all, `timeout` seconds at the most."""

    @property
    def wanted(self) -> int: ...

    @property
    def done(self) -> int:
        """Built or failed."""

    @property
    def failures(self) -> list[str]:
        """A sentence for each that failed."""

    def check(self) -> None:
        """Raises what the first that failed raised."""

def build_kernels(kernels: Sequence[WarmupKernel]) -> KernelBuilds:
    """Begins to build kernels, several at once."""

def read_warmup_profile(file: str) -> list[WarmupKernel]:
    """The kernels that a profile names."""

def warmup_profile_path() -> str:
    """Where this program's profile is kept; empty when none is."""

def begin_warmup() -> WarmupReport:
    """Starts the warm-up if nothing did, whatever the preferences say."""

def wait_for_warmup(seen: int, timeout: float) -> WarmupReport:
    """
    Waits until more than `seen` stages are done, the warm-up ends, or `timeout` seconds pass.
    """

def warmup_status() -> WarmupReport: ...

class Preference:
    """One preference and where it comes from."""

    @property
    def name(self) -> str: ...

    @property
    def value(self) -> bool | int | str:
        """As a file has it."""

    @property
    def source(self) -> str:
        """"environment", "default", or a file's path."""

    def __repr__(self) -> str: ...

def describe_preferences() -> list[Preference]: ...

def preference_warnings() -> list[str]: ...

def user_preferences_file() -> str: ...

def set_preference(name: str, value: str) -> None: ...

def unset_preference(name: str) -> bool: ...

class CacheStats:
    """What the cache on disk holds and what it was good for."""

    @property
    def disabled_reason(self) -> str:
        """Why the cache is not in use; empty where it is."""

    @property
    def files(self) -> int:
        """In the folder."""

    @property
    def bytes(self) -> int:
        """That the files take."""

    @property
    def max_size(self) -> int:
        """Bytes; the preference `cache_max_size`."""

    @property
    def hits(self) -> int:
        """Pipelines that this process loaded."""

    @property
    def misses(self) -> int:
        """Pipelines that this process looked for and of which nothing was there."""

    @property
    def damaged(self) -> int:
        """Pipelines whose file was damaged or made by another compiler."""

    @property
    def stored(self) -> int:
        """Pipelines that this process wrote."""

    @property
    def failed_stores(self) -> int:
        """Pipelines that could not be written: no space, or not allowed."""

    @property
    def pending(self) -> int:
        """Pipelines on their way to the disk."""

    def __repr__(self) -> str: ...

class CacheRemoved:
    """What was removed from the cache."""

    @property
    def files(self) -> int: ...

    @property
    def bytes(self) -> int: ...

    def __repr__(self) -> str: ...

def cache_stats() -> CacheStats: ...

def cache_path() -> pathlib.Path: ...

def clear_cache() -> CacheRemoved: ...

def prune_cache() -> CacheRemoved: ...

def wait_for_cache(timeout: float) -> bool:
    """
    Waits until what was built so far is on disk; False when `timeout` seconds were not enough.
    """

version: str = '0.1.0'

class Versions:
    """What this process uses."""

    @property
    def driver(self) -> str: ...

    @property
    def compiler(self) -> str: ...

def versions() -> Versions: ...
