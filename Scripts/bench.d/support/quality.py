"""Where PESQ and STOI are: PyPI's packages, in an environment of their own."""

import subprocess
import sys

import bench


def environment():
    python = bench.OUT / "venv-quality/bin/python3"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", python.parents[1]], check=True)
        subprocess.run([python, "-m", "pip", "install", "-q", "numpy", "scipy", "cython", "pystoi", "pesq"], check=True)
    return python
