# SPDX-License-Identifier: GPL-3.0-or-later
"""A stand-in for Webots' Python module `controller`, for running an exported controller.

Its classes have methods of the real module's names only (lib/controller/python/controller of Webots
R2025a), so that a call of anything else fails here as it would there. Motors reach their targets at
once; sensors give fixed values. It does not simulate: what Webots does with commands is not tested.
"""

import ctypes
import math
import types
from collections.abc import Sequence
from typing import Any


class Device:
    def __init__(self, name: str) -> None:
        self._name = name

    def getName(self) -> str:
        return self._name

    def getModel(self) -> str:
        return ""

    def getNodeType(self) -> int:
        return 0


class Sensor(Device):
    def __init__(self, name: str) -> None:
        super().__init__(name)
        self._period = 0

    def enable(self, sampling_period: int) -> None:
        assert isinstance(sampling_period, int) and sampling_period > 0
        self._period = sampling_period

    def disable(self) -> None:
        self._period = 0

    def getSamplingPeriod(self) -> int:
        return self._period

    def _measured(self, value: Any) -> Any:
        assert self._period, f"{self._name} is read before it is enabled"
        return value


class Motor(Device):
    """`targets` of all commands, in their order."""

    def __init__(self, name: str, low: float = 0.0, high: float = 0.0) -> None:
        super().__init__(name)
        self._low, self._high = low, high
        self.targets: list[float] = []

    def setPosition(self, position: float) -> None:
        if self._low or self._high:
            assert self._low <= position <= self._high, "Webots warns of a target beyond the limits"
        self.targets.append(position)

    def setVelocity(self, velocity: float) -> None:
        assert math.isfinite(velocity)

    def getTargetPosition(self) -> float:
        return self.targets[-1] if self.targets else 0.0

    def getMinPosition(self) -> float:
        return self._low

    def getMaxPosition(self) -> float:
        return self._high

    def getMaxVelocity(self) -> float:
        return 10.0


class PositionSensor(Sensor):
    """Of a motor, or of an axis that nothing drives."""

    def __init__(self, name: str, motor: Motor | None = None, multiplier: float = 1.0) -> None:
        super().__init__(name)
        self._motor, self._multiplier = motor, multiplier

    def getValue(self) -> float:
        there = self._motor.getTargetPosition() if self._motor is not None else 0.0
        return float(self._measured(self._multiplier * there))


class _Vector(Sensor):
    def getValues(self) -> list[float]:
        return list(self._measured([1.0, 2.0, 3.0]))


class Accelerometer(_Vector):
    pass


class Compass(_Vector):
    pass


class GPS(_Vector):
    pass


class Gyro(_Vector):
    pass


class InertialUnit(Sensor):
    def getQuaternion(self) -> list[float]:
        return list(self._measured([0.0, 0.0, 0.0, 1.0]))

    def getRollPitchYaw(self) -> list[float]:
        return list(self._measured([0.0, 0.0, 0.0]))


class Altimeter(Sensor):
    def getValue(self) -> float:
        return float(self._measured(0.7))


class DistanceSensor(Altimeter):
    pass


class Camera(Sensor):
    def getWidth(self) -> int:
        return 64

    def getHeight(self) -> int:
        return 48

    def getImage(self) -> bytes:
        return bytes(self._measured(4 * 64 * 48))


class RangeFinder(Camera):
    _images = 0

    def getRangeImage(self) -> list[float]:
        """The real one slices a pointer, which is NULL until the first image is there."""
        self._images += 1
        if self._images == 1:
            raise ValueError("NULL pointer access")
        return list(self._measured([math.inf, 2.5, 3.0]))


class Lidar(Sensor):
    def getRangeImage(self) -> list[float]:
        return list(self._measured([math.inf, 1.5]))


class TouchSensor(Sensor):
    BUMPER, FORCE, FORCE3D = 0, 1, 2

    def __init__(self, name: str, kind: int = BUMPER) -> None:
        super().__init__(name)
        self._kind = kind

    def getType(self) -> int:
        return self._kind

    def getValue(self) -> float:
        assert self._kind != self.FORCE3D
        return float(self._measured(1.0))

    def getValues(self) -> Any:
        """A pointer, as the real one: it has an index and no length."""
        assert self._kind == self.FORCE3D
        values = (ctypes.c_double * 3)(*self._measured([4.0, 5.0, 6.0]))
        return ctypes.cast(values, ctypes.POINTER(ctypes.c_double))


class World:
    """A robot with `devices` that runs for `seconds`."""

    def __init__(self, devices: Sequence[Device], seconds: float, time_step: float = 8.0) -> None:
        self.devices = devices
        self.seconds = seconds
        self.time_step = time_step
        self.times: list[float] = []

    def make_module(self) -> types.ModuleType:
        """What `import controller` gives."""
        world = self

        class Robot:
            def __init__(self) -> None:
                self._steps = 0

            def getBasicTimeStep(self) -> float:
                return world.time_step

            def getTime(self) -> float:
                return self._steps * world.time_step * 1e-3

            def getName(self) -> str:
                return "robot"

            def getNumberOfDevices(self) -> int:
                return len(world.devices)

            def getDeviceByIndex(self, index: int) -> Device:
                return world.devices[index]

            def getDevice(self, name: str) -> Device | None:
                return next((d for d in world.devices if d.getName() == name), None)

            def step(self, time_step: int | None = None) -> int:
                assert time_step == world.time_step
                self._steps += 1
                world.times.append(self.getTime())
                return -1 if self.getTime() > world.seconds else 0

        module = types.ModuleType("controller")
        kinds = (
            *(Accelerometer, Altimeter, Camera, Compass, DistanceSensor, GPS, Gyro, InertialUnit),
            *(Lidar, Motor, PositionSensor, RangeFinder, Robot, TouchSensor),
        )
        for kind in kinds:
            setattr(module, kind.__name__, kind)
        return module
