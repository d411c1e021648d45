"""A table that reads well as text and in a notebook."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of text; the first one holds the heads, and each row's first cell names it.

    Args:
        rows: the rows, all of one length.

    >>> print(Table([["field", "value"], ["topic", "orders"]]))
    field | value
    topic | orders
    """

    rows: Sequence[Sequence[str]]

    def __str__(self) -> str:
        widths = [max(map(len, column)) for column in zip(*self.rows, strict=True)]
        lines = (
            " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
            for row in self.rows
        )
        return "\n".join(line.rstrip() for line in lines)

    def _repr_html_(self) -> str:
        head, *rows = self.rows
        left = 'style="text-align:left"'  # JupyterLab sets tables to the right
        name = f'<th scope="row" {left}>'
        heads = "".join(f'<th scope="col" {left}>{escape(cell)}</th>' for cell in head)
        body = "".join(
            f"<tr>{name + escape(first) + '</th>' if first else '<td></td>'}"
            f"{''.join(f'<td {left}>{escape(cell)}</td>' for cell in cells)}</tr>"
            for first, *cells in rows
        )
        return f"<table><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>"
