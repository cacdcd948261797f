# SPDX-License-Identifier: GPL-3.0-or-later
"""Files that are written whole or not at all.

A file is made beside its place under another name and takes the place in one step. Readers see the
old file or the new one, and a failure leaves nothing behind.
"""

import errno
import hashlib
import os
import platform
import re
import secrets
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

from ..diagnostics import WriteError, quote_path
from .portable import plain_stem

AnyPath = str | os.PathLike[str]
SEPARATORS = ("/", os.sep)
"""At the end of a name they say that it is a folder's."""


def suggest_stem(name: str) -> str:
    """Returns the name of a robot without characters that file names cannot have."""
    return plain_stem(name, "robot")


def check_output(path: AnyPath) -> None:
    """Raises WriteError where a file could not be put: no folder, no permission to write in it, a
    name that is too long, or something other than a regular file in its place."""
    target = _find_target(path)
    folder = target.parent
    with refuse_failure(path):
        there = target.exists()
        for is_fault, reason in (
            (not folder.is_dir(), f"there is no folder {quote_path(folder)}"),
            (target.is_dir(), "it is a folder"),
            (there and not target.is_file(), "it is not a regular file"),
            (there and not os.access(target, os.W_OK), "it is write-protected"),
            (
                not os.access(folder, os.W_OK | os.X_OK),
                f"no permission to write in {quote_path(folder)}",
            ),
        ):
            if is_fault:
                raise WriteError(f"cannot write {quote_path(path)}: {reason}")


def check_folder(path: AnyPath, *, parents: bool = False) -> None:
    """Raises WriteError where files could not be put into a folder, which is made where only it is
    missing; with `parents` the folders above it too."""
    base = target = _find_target(path)
    with refuse_failure(path):
        while not base.exists() and (parents or base == target) and base != base.parent:
            base = base.parent
        for is_fault, reason in (
            (not base.exists(), "does not exist"),
            (not base.is_dir(), "is not a folder"),
            (not os.access(base, os.W_OK | os.X_OK), "is write-protected"),
        ):
            if is_fault:
                raise WriteError(f"cannot write {quote_path(path)}: {quote_path(base)} {reason}")


def need_suffix(path: AnyPath, suffix: str, what: str) -> None:
    """Raises WriteError where the file name of `what` ends otherwise: another suffix would
    misrepresent its content."""
    if Path(path).suffix.lower() != suffix:
        raise WriteError(f"{what} must end in {suffix}, not {quote_path(path)}")


@contextmanager
def refuse_failure(
    path: AnyPath, what: str = "write", kind: type[WriteError] = WriteError
) -> Iterator[None]:
    """Raises WriteError, of this kind, where the block cannot `what` to a path."""
    try:
        yield
    except OSError as error:
        raise kind(f"cannot {what} {quote_path(path)}: {error.strerror or error}") from error


@contextmanager
def replace_file(path: AnyPath) -> Iterator[Path]:
    """Gives the temporary path to write to; at the end that file takes the place of `path`.

    A link is followed, so that it still points at the file. Raises WriteError where the file
    cannot be put there or was not made; the temporary file is gone in any case.
    """
    check_output(path)
    target = _find_target(path)
    _sweep(target.parent)
    # A name that cannot be known beforehand: no link was put there to be written through. The
    # suffix stays: writers choose the format by it.
    temporary = target.with_name(f"{_own_mark()}{secrets.token_hex(8)}{target.suffix[-40:]}")
    try:
        with refuse_failure(path):
            yield temporary
            if target.exists():
                shutil.copymode(target, temporary)
            os.replace(temporary, target)
    finally:
        with suppress(OSError):
            temporary.unlink()


def write_text(path: AnyPath, text: str) -> None:
    """Writes UTF-8. Raises WriteError."""
    with replace_file(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")


@contextmanager
def replace_files(folder: AnyPath) -> Iterator[Path]:
    """Gives an empty folder to write into; at the end its files take their places in `folder`, all
    or none. Other files in `folder` stay; the folder itself is made where only it is missing.

    Each place holds its old file or its new one at every moment, and files in deeper folders come
    first: meshes before the description that names them. A link in `folder` itself is followed, as
    replace_file does; deeper links give way to the files. Raises WriteError where that cannot be;
    the files are gone then in any case.
    """
    check_folder(folder)
    target = _find_target(folder)
    base = target if target.exists() else target.parent
    _sweep(base)
    with refuse_failure(folder):
        staging = Path(tempfile.mkdtemp(prefix=_own_mark(), dir=base))
    try:
        with refuse_failure(folder):
            new = staging / "new"
            new.mkdir()
            yield new
            _Installation(target, staging / "old").install(new)
    finally:
        shutil.rmtree(staging, ignore_errors=True)


@contextmanager
def restored_on_failure(paths: Iterable[AnyPath]) -> Iterator[None]:
    """Puts the files at these paths back where the block fails, and removes new files and folders
    there. Raises WriteError where the old files cannot be kept meanwhile, under second names."""
    targets = [_find_target(path) for path in paths]
    new, kept = [each for each in targets if not each.exists()], dict[Path, Path]()
    try:
        for target in targets:
            if target.is_file():
                kept[target] = target.with_name(f"{_own_mark()}{secrets.token_hex(8)}")
                with refuse_failure(target, "keep the old"):
                    _double(target, kept[target])
        yield
    except BaseException:
        for target, old in kept.items():
            with suppress(OSError):
                _put(old, target)
        for target in new:
            if target.is_dir():
                shutil.rmtree(target, ignore_errors=True)
            with suppress(OSError):
                target.unlink(missing_ok=True)
        raise
    finally:
        for old in kept.values():
            with suppress(OSError):
                old.unlink(missing_ok=True)


_MARK = ".writing-"


def _own_mark() -> str:
    """Returns how the names of this process's temporary files begin: with the computer, as several
    of them may write to one folder, and the process."""
    return f"{_MARK}{_name_computer()}-{os.getpid()}-"


@cache
def _name_computer() -> str:
    return hashlib.sha256(platform.node().encode()).hexdigest()[:8]


def _sweep(folder: Path) -> None:
    """Removes the temporary files that processes of this computer left as they were killed."""
    own = f"{_MARK}{_name_computer()}-"
    with suppress(OSError):
        for each in os.scandir(folder):
            if each.name.startswith(own) and _has_ended(each.name[len(own) :].partition("-")[0]):
                if each.is_dir(follow_symlinks=False):
                    shutil.rmtree(each.path, ignore_errors=True)
                else:
                    os.unlink(each.path)


def _has_ended(process: str) -> bool:
    """Whether there is no process of a number; on Windows, where asking would end it, always
    False."""
    if os.name == "nt" or not re.fullmatch("[1-9][0-9]{0,8}", process):
        return False
    try:
        os.kill(int(process), 0)
    except ProcessLookupError:
        return True
    except OSError:
        pass
    return False


def list_files(folder: Path) -> list[Path]:
    """Lists the files in a folder, and in all below it, in the order of their paths."""
    return sorted(each for each in folder.rglob("*") if each.is_file())


def digest_files(folder: Path) -> str:
    """Returns a digest of the names and contents of the files in a folder."""
    found = hashlib.sha256()
    for each in list_files(folder):
        content = each.read_bytes()
        found.update(f"{each.relative_to(folder)}\0{len(content)}\0".encode())
        found.update(content)
    return found.hexdigest()


class _Installation:
    """Files going to their places; on an error all go back."""

    def __init__(self, target: Path, old: Path) -> None:
        self._target = target
        self._old = old
        self._folders: list[Path] = []
        self._placed: list[tuple[Path, Path | None]] = []

    def install(self, new: Path) -> None:
        try:
            self._make_folder(self._target)
            made = sorted(path.relative_to(new) for path in new.rglob("*"))
            for path in made:
                if (new / path).is_dir():
                    self._make_folder(self._target / path)
            for path in sorted(made, key=lambda each: -len(each.parts)):
                if not (new / path).is_dir():
                    self._place(new / path, self._target / path)
        except BaseException:
            self._undo()
            raise

    def _make_folder(self, folder: Path) -> None:
        if not folder.is_dir():
            folder.mkdir()
            self._folders.append(folder)

    def _place(self, path: Path, place: Path) -> None:
        if place.is_dir():
            raise IsADirectoryError(f"{place.name} is a folder")
        follows = place.is_symlink() and place.parent == self._target
        place = place.resolve() if follows else place
        kept = None
        if os.path.lexists(place):
            kept = self._old / str(len(self._placed))
            kept.parent.mkdir(exist_ok=True)
            _double(place, kept)
            if not place.is_symlink():
                shutil.copymode(place, path)
        self._placed.append((place, kept))
        _put(path, place)

    def _undo(self) -> None:
        for place, kept in reversed(self._placed):
            with suppress(OSError):
                if kept is not None:
                    _put(kept, place)
                else:
                    place.unlink(missing_ok=True)
        for folder in reversed(self._folders):
            with suppress(OSError):
                folder.rmdir()


def _double(path: Path, other: Path) -> None:
    """Gives a file a second name, or copies it where its file system has no second names, or
    another one holds the copy; a link is copied as a link."""
    try:
        os.link(path, other, follow_symlinks=False)
    except OSError:
        shutil.copy2(path, other, follow_symlinks=False)


def _put(path: Path, place: Path) -> None:
    """Moves a file to its place in one step, also from another file system."""
    try:
        os.replace(path, place)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        with replace_file(place) as temporary:
            shutil.copyfile(path, temporary)


def _find_target(path: AnyPath) -> Path:
    """The file itself where `path` is a link. Raises WriteError for an impossible path."""
    try:
        return Path(os.path.realpath(path))
    except (OSError, ValueError) as error:
        raise WriteError(f"cannot write {quote_path(path)}: {error}") from error
