"""A slice of the random cases of tools/fuzz.py; the nightly form runs 100,000."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from places import ROOT

FUZZ = [sys.executable, str(ROOT / "tools" / "fuzz.py")]


@pytest.mark.slow
def test_two_thousand_random_cases():
    done = subprocess.run([*FUZZ, "--cases", "2000"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "2,000 cases of seed 0" in done.stdout


@pytest.mark.slow
def test_one_case_is_run_again_by_its_number():
    done = subprocess.run([*FUZZ, "--case", "3"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.match(r"[a-z ]+: (passed|refused)", done.stdout)
