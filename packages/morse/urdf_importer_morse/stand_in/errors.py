# SPDX-License-Identifier: GPL-3.0-or-later
"""The errors of a builder script.

    BuildError
    `-- ScriptError              raised as MorseBuilderError by MORSE's builder
        |-- UnknownNameError     also a KeyError
        |-- ComponentNameError   also a SyntaxError
        |-- ComponentTypeError   also an AttributeError
        |-- ParentError          also a TypeError
        |-- ClassPathError       also a ValueError
        |-- MissingModelError    also a FileNotFoundError
        `-- UnexportableError    MORSE ends the program here

Each is also MORSE's own exception in that case, so that a script which catches that catches these.
"""

from urdf_importer.core.diagnostics import BuildError


class ScriptError(BuildError):
    """One clear sentence. Nothing that the script asked for was done."""


class UnknownNameError(ScriptError, KeyError):
    """No interface, level, modifier, property or object with that name."""


class ComponentNameError(ScriptError, SyntaxError):
    """A name that no component can have."""


class ComponentTypeError(ScriptError, AttributeError):
    """Something other than a component was given."""


class ParentError(ScriptError, TypeError):
    """An object would become its own parent."""


class ClassPathError(ScriptError, ValueError):
    """A class is not given by its module and name."""


class MissingModelError(ScriptError, FileNotFoundError):
    """A .blend is missing."""


class UnexportableError(ScriptError):
    """The component has no data that could be streamed."""
