# shellcheck shell=bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Sourced by run-sample, run-tests and .ci/run: a Python environment with Blender as a module (bpy).
#
#   find_python VERSION...              prints a Python of the first version that there is; fails if none
#   make_environment DIR PYTHON WANTED...   a virtual environment with this checkout and WANTED in it
#   need_bpy DIR                        makes `import bpy` work there, shared libraries included
#   blender                             what is WANTED for this checkout with Blender, in .venv
#
# An environment is made once. Making it again costs nothing until what it depends on changes:
# each pyproject.toml, the manifest (the version stands there), what is wanted, the place of the checkout.
# No index has packages/morse: what needs it wants it by its path.

# Without compiled modules each of the hundreds of Pythons that tests start compiles the library anew.
unset PYTHONDONTWRITEBYTECODE
# Tests run side by side: threads that wait for each other's small products only take time from them.
export OPENBLAS_NUM_THREADS=1

checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
program=$(basename "$0")

# The extra takes Blender 5.3 too, and pip the newest; .venv has 5.2, which is supported for long, as the
# program that most users have is, so both commands of the README try what they run. 5.3 has a part of its own.
blender=(-e '.[blender]' "bpy<5.3; python_version == '3.13'")

say() { printf '%s: %s\n' "$program" "$*" >&2; }
fail() { say "$@"; exit 1; }

# version_of PYTHON   "3.13"; fails where PYTHON does not start (pyenv's shims may not)
version_of() { "$1" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null </dev/null; }

find_python() {
  local version candidate
  for version in "$@"; do
    for candidate in "python$version" "${PYENV_ROOT:-$HOME/.pyenv}/versions/$version".*/bin/python python3; do
      if [[ $(version_of "$candidate") == "$version" ]]; then
        "$candidate" -c 'import sys; print(sys.executable)' </dev/null
        return
      fi
    done
  done
  return 1
}

# choose_python   $PYTHON, or the best Python of this machine: bpy exists for 3.13 (Blender 5.2, 5.3) and 3.11 (4.5)
choose_python() {
  if [[ -n ${PYTHON:-} ]]; then
    case $(version_of "$PYTHON") in
      3.13 | 3.11) command -v "$PYTHON" ;;
      '') fail "\$PYTHON is '$PYTHON', which does not start" ;;
      *) fail "\$PYTHON is '$PYTHON', Python $(version_of "$PYTHON"); Blender needs 3.13 or 3.11" ;;
    esac
    return
  fi
  find_python 3.13 3.11 ||
    fail 'found no Python 3.13 or 3.11 (Blender as a module exists for these); install one or name it: PYTHON=/path/to/python3.13'
}

# install_packages WHY PACKAGE...   through apt-get, as root or with sudo that asks nothing
install_packages() {
  local why=$1 as_root=()
  shift
  if [[ $(id -u) != 0 ]]; then as_root=(sudo -n); fi
  if ! command -v apt-get >/dev/null || ! "${as_root[@]}" true 2>/dev/null; then
    fail "$why. Run this, then try again: sudo apt-get install -y --no-install-recommends $*"
  fi
  say "$why; installing $*"
  {
    "${as_root[@]}" apt-get update -qq &&
      "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@"
  } </dev/null >/dev/null || fail "apt-get could not install: $*"
}

make_environment() {
  local where=$1 python=$2 stamp wanted size
  shift 2
  wanted=$(printf '%s\n' "$checkout" "$(realpath "$python")" "$@"; cat "$checkout"/{pyproject,blender_manifest,packages/morse/pyproject}.toml)
  # one stamp per set of wants: run-sample and run-tests share an environment
  stamp=$where/made-$(printf '%s ' "$@" | sha256sum | cut -c1-12)
  if [[ -f $stamp && $(<"$stamp") == "$wanted" ]]; then return; fi

  if [[ -x $where/bin/python && $(version_of "$where/bin/python") != "$(version_of "$python")" ]]; then
    say "$where is of another Python; making it anew"
    rm -rf "$where"
  fi
  if [[ ! -x $where/bin/python ]]; then
    "$python" -c 'import ensurepip, venv' 2>/dev/null </dev/null ||
      install_packages "$python cannot make virtual environments" "python$(version_of "$python")-venv"
    say "making $where with $python"
    "$python" -m venv "$where" </dev/null || fail "$python could not make $where"
  fi
  if [[ " $* " == *' --group '* ]]; then  # pip knows groups since 25.1
    "$where/bin/python" -m pip install --quiet --disable-pip-version-check 'pip>=25.1' </dev/null >&2 ||
      fail 'pip could not renew itself'
  fi
  if [[ $* == *blender* || $* == *bpy* ]]; then size='; Blender is some 350 MB'; fi
  say "installing $* (once${size:-})"
  (cd "$checkout" && "$where/bin/python" -m pip install --quiet --disable-pip-version-check "$@" </dev/null >&2) ||
    fail "pip could not install $*"
  printf '%s\n' "$wanted" >"$stamp"
}

# The Debian package of a shared library that bpy is linked with.
package_of() {
  case $1 in
    libEGL.so.1) echo libegl1 ;;
    libGL.so.1) echo libgl1 ;;
    libGLX.so.0) echo libglx0 ;;
    libICE.so.6) echo libice6 ;;
    libOpenGL.so.0) echo libopengl0 ;;
    libSM.so.6) echo libsm6 ;;
    libX11.so.6) echo libx11-6 ;;
    libXext.so.6) echo libxext6 ;;
    libXfixes.so.3) echo libxfixes3 ;;
    libXi.so.6) echo libxi6 ;;
    libXrender.so.1) echo libxrender1 ;;
    libXt.so.6) echo libxt6 ;;
    libXxf86vm.so.1) echo libxxf86vm1 ;;
    libgomp.so.1) echo libgomp1 ;;
    libstdc++.so.6) echo libstdc++6 ;;
    libxkbcommon.so.0) echo libxkbcommon0 ;;
    libz.so.1) echo zlib1g ;;
    *) fail "bpy needs the shared library $1, which is missing; install it and try again" ;;
  esac
}

need_bpy() {
  local python=$1/bin/python module library said packages=()
  if "$python" -c 'import bpy' 2>/dev/null </dev/null; then return; fi
  module=$("$python" -c 'import importlib.util as u; print(u.find_spec("bpy").origin)' </dev/null) ||
    fail "there is no bpy in $1"
  for library in $(ldd "$module" | awk '/not found/ { print $1 }' | sort -u); do
    said=$(package_of "$library") || exit
    packages+=("$said")
  done
  if [[ ${#packages[@]} -gt 0 ]]; then
    install_packages 'Blender needs shared libraries that are missing' "${packages[@]}"
  fi
  "$python" -c 'import bpy' </dev/null || fail "import bpy does not work in $1"
}
