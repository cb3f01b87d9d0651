"""From a kernel's call to what the queue takes, checked against the kernel's reflection."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from . import _core
from ._core import Access, Argument, ArgumentKind, Array, DType, Pipeline

TYPE_CHECKING = False  # as typing has it, whose import would slow that of metalcore
if TYPE_CHECKING:
    from typing import Any

    import numpy as np

    NumpyArray = np.ndarray[Any, np.dtype[Any]]

Size3 = tuple[int, int, int]

# What Queue::launch copies at the most; larger values travel in a buffer.
_MOST_BYTES = 4096

# Pointees that stand for raw memory in Metal code.
_RAW_TYPES = {"char", "void"}


def size3(name: str, value: object) -> Size3:
    """One to three extents, filled up with 1."""
    extents = (value,) if hasattr(value, "__index__") else value
    if not isinstance(extents, Sequence) or not 1 <= len(extents) <= 3:
        raise TypeError(f"{name} must be an integer or up to three of them, not {value!r}.")
    sizes = [1, 1, 1]
    for axis, extent in enumerate(extents):
        if isinstance(extent, bool) or not hasattr(extent, "__index__"):
            raise TypeError(f"{name} must be an integer or up to three of them, not {value!r}.")
        sizes[axis] = extent.__index__()
        if sizes[axis] < 0:
            raise ValueError(f"{name} ({value}) has a negative extent.")
    return sizes[0], sizes[1], sizes[2]


def _is_numpy(value: object) -> bool:
    numpy = sys.modules.get("numpy")  # nobody has an array of a module that is not loaded
    return numpy is not None and isinstance(value, numpy.ndarray)


class _Memory:
    """The device's bytes of a NumPy array. Holds it, so that no other comes to its address."""

    def __init__(self, host: NumpyArray, device: _core.Device, *, written: bool) -> None:
        from . import _exchange

        shared = _exchange.share(host, device) if written else None
        self.host = host
        self.array = _exchange.upload(host, device) if shared is None else shared
        self.is_shared = shared is not None
        self.is_written = written

    def finish(self) -> None:
        """Brings what the kernel wrote to the host."""
        if self.is_written and not self.is_shared:
            _core.copy_to_host(self.array, self.host)


class _Call:
    """What one call keeps until the kernel has ended."""

    def __init__(self, device: _core.Device) -> None:
        self.device = device
        self._memories: dict[tuple[int, int], _Memory] = {}

    def host_array(self, host: NumpyArray, *, written: bool) -> Array:
        """The device's bytes of a NumPy array; the same for all arguments with the same memory."""
        import numpy as np

        raw = host.reshape(-1).view(np.uint8)
        key = (raw.__array_interface__["data"][0], raw.nbytes)
        memory = self._memories.get(key)
        if memory is None:
            memory = self._memories[key] = _Memory(raw, self.device, written=written)
        elif written:
            memory.host = raw  # the writable view of it
            memory.is_written = True
        return memory.array

    def finish(self) -> None:
        """Waits for the kernel if the host is to see what it wrote."""
        if any(memory.is_written for memory in self._memories.values()):
            _core.Queue.default(self.device).synchronize()
            for memory in self._memories.values():
                memory.finish()


class Parameter:
    """One buffer argument of a kernel: turns what a caller passes into what is bound."""

    def __init__(self, argument: Argument, kernel: str) -> None:
        self._argument = argument
        self._place = f'Argument "{argument.name}" of kernel "{kernel}"'
        self._written = argument.access != Access.read_only
        self._is_raw = argument.type_name in _RAW_TYPES or argument.type_size == 0
        self._dtype = argument.dtype

    def bind(self, value: Any, call: _Call) -> Array | bytes:
        """What Queue.launch takes for the value."""
        if isinstance(value, Array):
            return self._bind_array(value)
        if _is_numpy(value):
            return self._bind_numpy(value, call)
        if value is None and not self._argument.is_used:
            return self._bind_nothing(call)
        if self._written:
            raise TypeError(f"{self._place} is written: pass an array, not {_kind(value)}.")
        if _core.is_scalar(value) or isinstance(value, (list, tuple)):
            return self._bind_numbers(value)
        return self._bind_bytes(value, call)

    def _bind_nothing(self, call: _Call) -> Array | bytes:
        """Something of the right size, which the kernel does not look at."""
        import numpy as np

        return call.host_array(np.zeros(max(1, self._argument.type_size), np.uint8), written=False)

    def _bind_array(self, array: Array) -> Array:
        self._check(array.dtype, array.shape, array.nbytes)
        if array.is_contiguous:
            if self._written and not array.is_writable:
                raise ValueError(f"{self._place} is written, but its array is a broadcast view.")
            return array
        if self._written:
            raise ValueError(f"{self._place} is written, so its array must be contiguous.")
        return _core.contiguous(array)

    def _bind_numpy(self, host: NumpyArray, call: _Call) -> Array | bytes:
        import numpy as np

        if host.dtype.fields is not None or host.dtype.kind == "V":
            return self._bind_structures(host, call)
        self._check(_core.to_dtype(host.dtype), host.shape, host.nbytes)
        if self._written:
            if not host.flags.writeable:
                raise ValueError(f"{self._place} is written, but its NumPy array is read-only.")
            if not host.flags.c_contiguous:
                raise ValueError(
                    f"{self._place} is written, so its NumPy array must be contiguous."
                )
            if not host.dtype.isnative:
                raise ValueError(f"{self._place} is written, but its NumPy array is byte-swapped.")
        elif not host.dtype.isnative:
            host = host.astype(host.dtype.newbyteorder("="))
        if not host.flags.c_contiguous:
            host = np.ascontiguousarray(host)
        return call.host_array(host, written=self._written)

    def _bind_structures(self, host: NumpyArray, call: _Call) -> Array | bytes:
        """A NumPy array of records: the bytes are what counts."""
        import numpy as np

        size = self._argument.type_size
        if not self._is_raw and host.dtype.itemsize != size:
            raise ValueError(
                f"{self._place} has elements of {size} bytes ({self._argument.type_name}), but the "
                f"NumPy array's have {host.dtype.itemsize}."
            )
        if self._written and not (host.flags.writeable and host.flags.c_contiguous):
            raise ValueError(
                f"{self._place} is written: its array must be writable and contiguous."
            )
        return call.host_array(np.ascontiguousarray(host), written=self._written)

    def _bind_numbers(self, value: Any) -> bytes:
        argument = self._argument
        if not argument.is_reference:
            raise TypeError(f"{self._place} is an array of {argument.type_name}, not one value.")
        if self._dtype is None:
            raise TypeError(
                f"{self._place} is a {argument.type_name}: pass bytes or a NumPy scalar of "
                f"{argument.type_size} bytes, not {_kind(value)}."
            )
        numbers = value if isinstance(value, (list, tuple)) else (value,)
        if len(numbers) != argument.vector_width:
            plural = "" if argument.vector_width == 1 else "s"
            raise ValueError(
                f"{self._place} is a {argument.type_name} of {argument.vector_width} "
                f"number{plural}; {len(numbers)} were given."
            )
        try:
            packed = b"".join([_core.element_bytes(number, self._dtype) for number in numbers])
        except (OverflowError, TypeError) as error:
            raise type(error)(f"{self._place} is a {argument.type_name}: {error}") from None
        return packed.ljust(argument.type_size, b"\0")  # float3 takes the space of float4

    def _bind_bytes(self, value: Any, call: _Call) -> Array | bytes:
        argument = self._argument
        try:
            data = bytes(memoryview(value))
        except TypeError:
            raise TypeError(
                f"{self._place} takes an array, a number or bytes, not {_kind(value)}."
            ) from None
        size = argument.type_size
        if argument.is_reference and len(data) != size:
            raise ValueError(
                f"{self._place} is a {argument.type_name} of {size} bytes; {len(data)} were given."
            )
        if not data or (size and len(data) % size):
            raise ValueError(
                f"{self._place} has elements of {size} bytes ({argument.type_name}); {len(data)} "
                "bytes were given."
            )
        if len(data) <= _MOST_BYTES:
            return data
        import numpy as np

        return call.host_array(np.frombuffer(data, np.uint8), written=False)

    def _check(self, dtype: DType, shape: tuple[int, ...], nbytes: int) -> None:
        """Refuses an array that does not hold what the kernel expects."""
        argument = self._argument
        if argument.is_reference and nbytes < argument.type_size:
            raise ValueError(
                f"{self._place} is a {argument.type_name} of {argument.type_size} bytes, but its "
                f"array has {nbytes}."
            )
        if self._is_raw:
            return
        if self._dtype is None:
            if nbytes % argument.type_size:
                raise ValueError(
                    f"{self._place} has elements of {argument.type_size} bytes "
                    f"({argument.type_name}), but its array has {nbytes} bytes."
                )
            return
        if dtype == DType.complex64 and self._dtype == DType.float32:
            if argument.vector_width == 2:  # real and imaginary part
                return
        if dtype != self._dtype:
            raise TypeError(
                f"{self._place} is of {argument.type_name}, which takes {self._dtype}, but its "
                f"array is of {dtype}."
            )
        if argument.vector_width > 1:
            width = argument.type_size // dtype.itemsize  # 4 for float3, 3 for packed_float3
            if not shape or shape[-1] != width:
                raise ValueError(
                    f"{self._place} is of {argument.type_name}, which takes {width} {dtype} along "
                    f"the last axis, but its array has shape {shape}."
                )


class Launch:
    """A pipeline and what its arguments must be."""

    def __init__(self, pipeline: Pipeline) -> None:
        self.pipeline = pipeline
        self._queue = _core.Queue.default(pipeline.device)
        arguments = pipeline.arguments
        self._parameters = [
            Parameter(argument, pipeline.name) if argument.kind == ArgumentKind.buffer else None
            for argument in arguments
        ]
        self._names = [a.name for a in arguments if a.kind == ArgumentKind.buffer]
        self._memory_names = [a.name for a in arguments if a.kind != ArgumentKind.buffer]

    def __call__(
        self,
        values: tuple[Any, ...],
        threads: Size3,
        group_size: Size3 | None,
        threadgroup_memory: int | Sequence[int] | None,
    ) -> None:
        """Queues the kernel; waits where it writes to NumPy arrays."""
        if len(values) != len(self._names):
            raise TypeError(self._wrong_count("argument", self._names, len(values)))
        lengths = self._lengths(threadgroup_memory)
        call = _Call(self.pipeline.device)
        given = iter(values)
        bound: list[Array | bytes | int] = []
        for parameter in self._parameters:
            if parameter is None:
                bound.append(next(lengths))
            else:
                bound.append(parameter.bind(next(given), call))
        self._queue.launch(self.pipeline, bound, threads, group_size)
        call.finish()

    def _lengths(self, memory: int | Sequence[int] | None) -> Any:
        if memory is None:
            lengths: Sequence[int] = ()
        elif hasattr(memory, "__index__"):
            lengths = (memory.__index__(),)
        else:
            lengths = memory
        if len(lengths) != len(self._memory_names):
            raise TypeError(
                self._wrong_count("length of threadgroup memory", self._memory_names, len(lengths))
            )
        for name, length in zip(self._memory_names, lengths, strict=True):
            if not hasattr(length, "__index__") or isinstance(length, bool):
                raise TypeError(f'The length of threadgroup memory "{name}" must be an integer.')
            if length <= 0:
                raise ValueError(
                    f'The length of threadgroup memory "{name}" ({length} bytes) is not positive.'
                )
        return (length.__index__() for length in lengths)

    def _wrong_count(self, what: str, names: list[str], given: int) -> str:
        what = what if len(names) == 1 else what.replace("argument", "arguments")
        what = what if len(names) == 1 else what.replace("length", "lengths")
        listed = f" ({', '.join(names)})" if names else ""
        verb = "was" if given == 1 else "were"
        return (
            f'Kernel "{self.pipeline.name}" takes {len(names)} {what}{listed}, but {given} {verb} '
            "given."
        )


def _kind(value: object) -> str:
    return f"a value of type {type(value).__name__}"
