"""Enumerations of the library, for the numbers in structured arrays:

contacts[contacts["state"] == ContactState.STICK]
"""
import enum

from . import _core


def _identifier(name: str) -> str:
    return name.upper().replace(" ", "_").replace("-", "_")


for _name, _values in _core._enumerations.items():
    globals()[_name] = enum.IntEnum(  # type: ignore[misc]
        _name, {_identifier(value): number for number, value in enumerate(_values)}, module=__name__
    )

__all__ = list(_core._enumerations)
