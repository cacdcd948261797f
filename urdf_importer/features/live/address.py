# SPDX-License-Identifier: GPL-3.0-or-later
"""The address of a server: ws:// and wss:// addresses, and defaults from the environment."""

import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from ...core.diagnostics import ConnectError, Diagnostics, quote

PORTS = {"rosbridge": 9090, "foxglove": 8765}
_LOCAL = "ws://localhost:9090"
_MOST_TEXT = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """`path` is the path of the request, with its query; `host` has no brackets."""

    host: str
    port: int
    path: str
    is_secure: bool

    @property
    def is_local(self) -> bool:
        """Whether it is on this computer."""
        return self.host == "localhost" or (
            self.is_numeric and ipaddress.ip_address(self.host).is_loopback
        )

    @property
    def is_numeric(self) -> bool:
        """Whether the host is a number, which needs no looking up."""
        try:
            ipaddress.ip_address(self.host)
        except ValueError:
            return False
        return True

    @property
    def netloc(self) -> str:
        """The host and the port in the notation of addresses."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"

    def __str__(self) -> str:
        path = "" if self.path == "/" else self.path
        return f"{'wss' if self.is_secure else 'ws'}://{self.netloc}{path}"


def read_address(text: str) -> Address:
    """Returns the parts of an address; without a scheme it is ws://, without a port it is
    rosbridge's port. Raises ConnectError."""
    plain = text.strip()
    if "://" not in plain:
        plain = f"ws://{plain}"
    if len(plain) > _MOST_TEXT or any(not "!" <= each <= "~" for each in plain):
        raise ConnectError(f"{quote(text[:80])} is not an address: it has odd characters")
    try:
        parts = urlsplit(plain)
        port = parts.port
    except ValueError as error:
        raise ConnectError(f"{quote(text)} is not an address: {error}") from None
    if parts.scheme not in ("ws", "wss") or not parts.hostname:
        raise ConnectError(
            f"{quote(text)} is not the address of a server, such as ws://localhost:9090"
        )
    if parts.username is not None or parts.password is not None:
        raise ConnectError("an address must not hold a name or a password")
    secure = parts.scheme == "wss"
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    default = 443 if secure else PORTS["rosbridge"]
    return Address(
        host=parts.hostname, port=default if port is None else port, path=path, is_secure=secure
    )


def warn_of_readers(address: Address, diagnostics: Diagnostics) -> None:
    """Warns where others can read and change the data on its way."""
    if not address.is_local and not address.is_secure:
        diagnostics.warning(
            "open-connection",
            f"data to and from {address.host} can be read and changed on its way, "
            "since its address begins with ws://; wss:// protects it",
        )


def find_default(environment: Mapping[str, str]) -> str:
    """Returns the address that the environment names: $ROSBRIDGE_URL, or port 9090 on the host of
    $ROS_MASTER_URI; without both a rosbridge on this computer."""
    given = environment.get("ROSBRIDGE_URL", "").strip()
    if given:
        return given
    master = environment.get("ROS_MASTER_URI", "").strip()
    try:
        host = urlsplit(master).hostname if master else None
    except ValueError:
        host = None
    if not host:
        return _LOCAL
    return f"ws://[{host}]:9090" if ":" in host else f"ws://{host}:9090"
