"""Where PESQ, STOI and PLCMOS are: PyPI's packages, in an environment of their own."""

import subprocess
import sys

import bench


def environment():
    folder = bench.OUT / "venv-quality"
    python = folder / "bin/python3"
    # What is installed last says that all is there.
    if any(folder.glob("lib/*/site-packages/speechmos")):
        return python
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    _install(python, "numpy", "scipy", "cython", "pystoi", "pesq", "onnxruntime")
    # Of what it depends on, only tables and progress bars need the rest.
    _install(python, "--no-deps", "speechmos==0.0.1.1")
    return python


def _install(python, *packages):
    subprocess.run([python, "-m", "pip", "install", "-q", *packages], check=True)
