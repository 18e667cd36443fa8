"""PyTorch, imported when it is used: which device computes, and the same bits for the same seed."""

from __future__ import annotations

from importlib.util import find_spec
from threading import Lock
from typing import Any

from truepath.extras import import_extra


def has_torch() -> bool:
    """Say whether PyTorch is installed, without importing it."""
    try:
        return find_spec("torch") is not None
    except ValueError:  # a module that stands for one that is not there
        return False


def import_torch() -> Any:
    """Return PyTorch; where it is not installed, the error names the extra."""
    return import_extra("torch", "Training a network", "torch")


def choose_device(device: str) -> str:
    """Return the device's name; ``"auto"`` is a CUDA device where there is one, the CPU elsewhere."""
    torch = import_torch()
    if device == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    try:
        torch.empty(1, device=device)
    except (RuntimeError, AssertionError, NotImplementedError) as problem:
        said = str(problem).splitlines()[0]
        raise ValueError(f"device must be 'auto' or one that PyTorch can use here; got {device!r}: {said}") from problem
    return str(device)


def device_to_predict(device: str) -> str:
    """Return the device that a model was trained on where it can be used, else the CPU."""
    if device == "cpu" or not has_torch():
        return "cpu"
    try:
        return choose_device(device)
    except ValueError:
        return "cpu"


class _Repeatable:
    """A block that uses PyTorch's algorithms that give the same bits every time; then what was set is restored.

    The mode belongs to the whole process. Blocks may be nested, and may overlap in several threads: it is on while at
    least one caller is inside.
    """

    def __init__(self) -> None:
        self.lock = Lock()
        self.n_inside = 0
        self.before = (False, False)

    def __enter__(self) -> None:
        torch = import_torch()
        with self.lock:
            if self.n_inside == 0:
                self.before = (
                    torch.are_deterministic_algorithms_enabled(),
                    torch.is_deterministic_algorithms_warn_only_enabled(),
                )
                torch.use_deterministic_algorithms(True, warn_only=True)
            self.n_inside += 1

    def __exit__(self, *problem: object) -> None:
        with self.lock:
            self.n_inside -= 1
            if self.n_inside == 0:
                import_torch().use_deterministic_algorithms(self.before[0], warn_only=self.before[1])


repeatable = _Repeatable()
