"""Moments ahead, such as the end of a lease, under a clock that may be set back: too far ahead is over."""

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, or_
from sqlalchemy.orm import InstrumentedAttribute

_UNEVEN = timedelta(seconds=30)  # by which the clocks of several machines may differ


def is_over(moment: datetime | None, now: datetime, most_ahead: timedelta) -> bool:
    """Return whether a moment is not ahead, or further than anybody sets it: then the clock was set back."""
    return moment is None or not now < moment <= now + most_ahead


def over(moment: InstrumentedAttribute[Any], now: datetime, most_ahead: timedelta) -> ColumnElement[bool]:
    """Return the condition that `is_over` decides, for the moment in a column."""
    return or_(moment.is_(None), moment <= now, moment > now + most_ahead)


def is_before(moment: InstrumentedAttribute[Any], then: datetime, now: datetime) -> ColumnElement[bool]:
    """Return the condition that there was no such moment after `then`; one that is to come is none."""
    return or_(moment.is_(None), moment <= then, moment > now + _UNEVEN)
