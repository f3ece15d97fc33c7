"""Where PESQ, STOI and PLCMOS are: PyPI's packages, in an environment of their own."""

import subprocess
import sys

import bench


def environment():
    python = bench.OUT / "venv-quality/bin/python3"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", python.parents[1]], check=True)
    _install(python, "numpy", "scipy", "cython", "pystoi", "pesq", "onnxruntime")
    # Of what it depends on, only tables and progress bars need the rest.
    _install(python, "--no-deps", "speechmos==0.0.1.1")
    return python


def _install(python, *packages):
    subprocess.run([python, "-m", "pip", "install", "-q", *packages], check=True)
