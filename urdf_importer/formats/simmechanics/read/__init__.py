# SPDX-License-Identifier: GPL-3.0-or-later
"""SimMechanics and Simscape Multibody: CAD assemblies, as XML of both generations, into robots.

XML -> Mechanism (bodies, frames, joints: a graph) -> parameters applied -> tree -> Robot
"""

from .format import SIMMECHANICS, read_simmechanics
from .read import ROOT_TAGS, AssemblyReading, read_assembly
from .starter_file import edges_of_assembly, write_starter_parameters

__all__ = [
    "ROOT_TAGS",
    "SIMMECHANICS",
    "AssemblyReading",
    "edges_of_assembly",
    "read_assembly",
    "read_simmechanics",
    "write_starter_parameters",
]
