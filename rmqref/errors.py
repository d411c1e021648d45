"""What can go wrong, each in one sentence a person can act on.

Two kinds share one base. An input error (`UnknownRelease`, `RouteError` ...) says what was wrong, where, and what
would be right. A `JavaException` is part of the behaviour: the released Java client throws it at this point, so the
reference does too, under the same simple name.
"""

from __future__ import annotations

from rmqref.messages import Parameter, text


class RmqRefError(Exception):
    """An error with one sentence from the message catalogue.

    Args:
        message_id: the catalogue's name of the sentence.
        **parameters: the sentence's named parameters.

    >>> str(RmqRefError("error.negative", what="latency", value=-3))
    'The latency is -3, which is negative: give milliseconds of 0 or more.'
    """

    def __init__(self, message_id: str, **parameters: Parameter) -> None:
        self.message_id = message_id
        self.parameters = parameters
        super().__init__(text(message_id, None, **parameters))


class UnknownRelease(RmqRefError):
    """No Java client of that name was released."""


class RouteError(RmqRefError):
    """A route text could not be read; `line` and `column` count from 1 in the text as given."""

    def __init__(self, message_id: str, *, line: int = 0, column: int = 0, **parameters: Parameter) -> None:
        self.line = line
        self.column = column
        super().__init__(message_id, line=line, column=column, **parameters)


class SituationError(RmqRefError):
    """A situation to pick in is not possible, such as a start counter beyond 32 bits."""


class VectorError(RmqRefError):
    """A vector file is not of the documented form."""


class SendError(RmqRefError):
    """A producer is used in a way that Java would not compile, or its release does not know."""


class ScenarioError(RmqRefError):
    """A scenario is not of the documented form."""


class SiteError(RmqRefError):
    """The documentation site cannot be built, shown or exported."""


class TraceError(RmqRefError):
    """A trace cannot be read or stepped as asked."""


def require(what: str, value: object, *kinds: type | None) -> None:
    """Refuse a value of a kind that no producer can have.

    Args:
        what: the value's name.
        value: the value.
        *kinds: the classes that it may be of; None for None.

    Raises:
        SituationError: it is of another kind.

    >>> require("start", "4", int, None)
    Traceback (most recent call last):
    rmqref.errors.SituationError: The start is '4', which is a str: give an int or None.
    """
    if not any(
        value is None
        if kind is None
        else type(value) is kind or (kind is not int and isinstance(value, kind))
        for kind in kinds
    ):
        names = " or ".join(
            "None" if kind is None else f"{'an' if kind.__name__[0] in 'aeiou' else 'a'} {kind.__name__}"
            for kind in kinds
        )
        raise SituationError(
            "error.kind", what=what, value=shortened(value), kind=type(value).__name__, kinds=names
        )


def shortened(value: object, most: int = 60) -> str:
    """Return a value as Python writes it, cut off where it would fill a line.

    >>> shortened("x" * 100)[-3:]
    '...'
    """
    written = repr(value)
    return written if len(written) <= most else written[:most] + "..."


class JavaException(RmqRefError):
    """Something the Java client throws here; the class name is Java's simple name."""

    @property
    def name(self) -> str:
        """Return Java's simple class name, as vectors and logs give it."""
        return type(self).__name__


class ArithmeticException(JavaException):
    """Java divided by zero: the publish list is empty."""

    def __init__(self) -> None:
        super().__init__("java.arithmetic")


class NullPointerException(JavaException):
    """Java used a reference that is null."""

    def __init__(self, what: str) -> None:
        super().__init__("java.null_pointer", what=what)


class IndexOutOfBoundsException(JavaException):
    """Java asked a list for a position that it does not have."""

    sentence = "java.index_out_of_bounds"

    def __init__(self, position: int, size: int) -> None:
        super().__init__(self.sentence, position=position, size=size)


class ArrayIndexOutOfBoundsException(IndexOutOfBoundsException):
    """Java asked an array for a position that it does not have."""

    sentence = "java.array_index_out_of_bounds"


class IllegalArgumentException(JavaException):
    """Java was given an argument that it does not take: a bound of 0, for an empty list."""

    def __init__(self, bound: int) -> None:
        super().__init__("java.illegal_argument", bound=bound)


class NumberFormatException(JavaException):
    """Java could not read a text as an int."""

    def __init__(self, given: str) -> None:
        super().__init__("java.number_format", given=given)


class NegativeArraySizeException(JavaException):
    """Java was asked for an array of less than no places: `retryTimesWhenSendFailed` below -1."""

    def __init__(self, size: int) -> None:
        super().__init__("java.negative_array_size", size=size)


class SendException(JavaException):
    """What a send can throw; its sentence is the text that Java's own exception has, as it stands in a log.

    Args:
        message: Java's text.
        cause: the exception that Java gives as its cause, or None.

    >>> str(MQClientException("select message queue return null."))
    'select message queue return null.'
    """

    def __init__(self, message: str, cause: Exception | None = None) -> None:
        self.cause = cause
        super().__init__("java.message", message=message)


class MQClientException(SendException):
    """The client gave up, or refused to begin.

    Args:
        message: Java's text.
        cause: the exception that Java gives as its cause, or None.
        response_code: the broker's code or one of `ClientErrorCode`; -1 where Java sets none.
    """

    def __init__(self, message: str, cause: Exception | None = None, response_code: int = -1) -> None:
        self.response_code = response_code
        super().__init__(message, cause)


class MQBrokerException(SendException):
    """The broker answered, with a code that is none of the four that a stored message can have.

    Args:
        response_code: the broker's code, see `rmqref.model.ResponseCode`.
        message: Java's text.
    """

    def __init__(self, response_code: int, message: str) -> None:
        self.response_code = response_code
        super().__init__(message)


class RemotingException(SendException):
    """The request or the answer did not get through."""


class RemotingConnectException(RemotingException):
    """No connection could be made."""

    def __init__(self, addr: str) -> None:
        super().__init__(f"connect to {addr} failed")


class RemotingSendRequestException(RemotingException):
    """The request could not be written."""

    def __init__(self, addr: str) -> None:
        super().__init__(f"send request to <{addr}> failed")


class RemotingTimeoutException(RemotingException):
    """No answer came in time. The broker may have stored the message all the same."""

    def __init__(self, addr: str, timeout: int) -> None:
        super().__init__(f"wait response on the channel <{addr}> timeout, {timeout}(ms)")


class RemotingTooMuchRequestException(RemotingException):
    """The time given for the send was over before a request was made; nothing to do with too many requests."""


class InterruptedException(SendException):
    """The sending thread was interrupted."""


class UnsupportedOperationException(SendException):
    """A list of messages breaks a rule of batches."""


class IllegalStateException(SendException):
    """The name server could not be asked (from 4.6.0)."""
