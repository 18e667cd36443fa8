"""The limit on BLAS threads: counted, re-entrant, restored when the last user leaves."""

from __future__ import annotations

import random
import threading
import time

import numpy as np
import pytest
from threadpoolctl import ThreadpoolController, threadpool_limits

from truepath.adapters.parallel import single_blas_thread, single_thread

np.ones((2, 2)) @ np.ones((2, 2))  # BLAS is loaded


def limits():
    return [pool["num_threads"] for pool in ThreadpoolController().info() if pool["user_api"] == "blas"]


@pytest.fixture(autouse=True)
def two_threads():
    with threadpool_limits(2, user_api="blas"):
        if not limits() or set(limits()) != {2}:
            pytest.skip("no BLAS here whose number of threads can be set to 2")
        yield
        assert set(limits()) == {2}


@pytest.mark.parametrize("guard", [single_blas_thread, single_thread])
def test_nested_blocks_restore_what_was_there(guard):
    with guard():
        with single_blas_thread():
            assert set(limits()) == {1}
        assert set(limits()) == {1}
    assert set(limits()) == {2}


def test_a_block_that_raises_restores_too():
    with pytest.raises(ZeroDivisionError), single_blas_thread():
        raise ZeroDivisionError
    assert set(limits()) == {2}


def test_blocks_that_overlap_in_threads():
    """The first to enter leaves first: the limit must hold for the second, and be restored after it."""
    first_left, second_entered = threading.Event(), threading.Event()
    seen = []

    def second():
        with single_blas_thread():
            second_entered.set()
            first_left.wait(5)
            seen.extend(limits())

    thread = threading.Thread(target=second)
    with single_blas_thread():
        thread.start()
        second_entered.wait(5)
    first_left.set()
    thread.join(5)
    assert set(seen) == {1}
    assert set(limits()) == {2}


def test_many_threads_in_any_order():
    broken = []

    def work(seed):
        generator = random.Random(seed)
        for _ in range(20):
            with single_blas_thread():
                time.sleep(generator.uniform(0, 0.001))
                if set(limits()) != {1}:
                    broken.append(seed)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert not broken
    assert set(limits()) == {2}
