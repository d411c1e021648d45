"""What all tests share: properties try the same examples every time, however slow the machine is."""

from hypothesis import settings

settings.register_profile("repeatable", derandomize=True, deadline=None, database=None)
settings.load_profile("repeatable")
