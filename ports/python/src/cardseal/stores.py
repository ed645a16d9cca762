"""Where orders are kept. A store must keep what it has acknowledged, or a shopper can pay twice."""

from __future__ import annotations

import sqlite3
from typing import Any, Callable, NamedTuple, Optional, Protocol, Sequence


class Entry(NamedTuple):
    """The newest value of an order, and its version."""

    value: str
    version: int


class ListedOrder(NamedTuple):
    """An order that a store has listed. Its value may be damaged: nobody has parsed it."""

    order_id: str
    value: str
    version: int


class OrderStore(Protocol):
    """What a store does. A cache that evicts is no store.

    Every process of the shop must see the same one. Ids are compared exactly: ``a`` and ``A`` are
    two orders.
    """

    def read(self, order_id: str) -> Optional[Entry]:
        """The newest value of an order. None if it was never written."""

    def write(self, order_id: str, value: str, version: int, due: bool = True) -> bool:
        """Replace the value, in one step, only if its version is still ``version``.

        0 stands for an order that was never written. The new version is higher, also over
        restarts. ``value`` is JSON text of a few KiB, with nothing of a card in it. ``due`` says
        whether the order needs another look: it is unsettled, or paid and not delivered.

        Returns False if somebody else has written: nothing was changed.
        """

    def list_due(self, limit: int, after: str = "") -> Sequence[ListedOrder]:
        """At most ``limit`` orders that were last written with ``due``, by id, after ``after``."""


class StoreContractError(TypeError):
    """The store does not do what ``OrderStore`` says. The message is fixed words: what to change."""


class Connection(Protocol):
    """The part of a DB-API connection (PEP 249) that is used."""

    def cursor(self) -> Any: ...

    def commit(self) -> None: ...

    def close(self) -> None: ...


class SqlStore:
    """Keeps orders in a database, through any driver of the DB-API (PEP 249)."""

    def __init__(
        self,
        connect: Callable[[], Connection],
        placeholder: str = "%s",
        duplicate: type[Exception] = Exception,
    ) -> None:
        """``connect`` returns a connection of its own for each call; ``close`` ends it, or gives it
        back to its pool. It must reach the primary server, not a replica, and must not be within
        a transaction of the request. ``placeholder`` is how the driver marks a value.
        ``duplicate`` is the driver's ``IntegrityError``, for an id that comes twice.
        """
        self._connect = connect
        self._placeholder = placeholder
        self._duplicate = duplicate

    def read(self, order_id: str) -> Optional[Entry]:
        rows, _ = self._run("SELECT id, value, version FROM cardseal_orders WHERE id = ?", order_id)
        if not rows:
            return None
        row = _listed(rows[0])
        if row.order_id != order_id:
            raise StoreContractError(
                "The database takes two ids for one. Capital letters, accents and spaces at the end "
                "must count: in MySQL, use varbinary(750) for the column id"
            )
        return Entry(row.value, row.version)

    def write(self, order_id: str, value: str, version: int, due: bool = True) -> bool:
        if version > 0:
            _, count = self._run(_UPDATE, value, version + 1, due, order_id, version)
            return count == 1
        try:
            _, count = self._run(_INSERT, value, 1, due, order_id)
            return count == 1
        except self._duplicate:
            if self.read(order_id) is None:
                raise
            return False

    def list_due(self, limit: int, after: str = "") -> Sequence[ListedOrder]:
        rows, _ = self._run(_LIST, True, after, limit)
        return [_listed(row) for row in rows]

    def _run(self, sql: str, *values: object) -> tuple[list[Any], int]:
        connection = self._connect()
        try:
            cursor = connection.cursor()
            cursor.execute(sql.replace("?", self._placeholder), values)
            rows = cursor.fetchall() if sql.startswith("SELECT") else []
            connection.commit()
            return rows, cursor.rowcount
        finally:
            connection.close()


_INSERT = "INSERT INTO cardseal_orders (value, version, due, id) VALUES (?, ?, ?, ?)"
_UPDATE = (
    "UPDATE cardseal_orders SET value = ?, version = ?, due = ?, changed = CURRENT_TIMESTAMP"
    " WHERE id = ? AND version = ?"
)
_LIST = (
    "SELECT id, value, version FROM cardseal_orders WHERE due = ? AND id > ? ORDER BY id LIMIT ?"
)


def _listed(row: Any) -> ListedOrder:
    order_id, value, version = row
    if isinstance(order_id, bytes):  # varbinary, in MySQL
        order_id = order_id.decode()
    if not isinstance(order_id, str) or not isinstance(value, str):
        raise StoreContractError(
            "The columns id and value of cardseal_orders must be text, not JSON"
        )
    return ListedOrder(order_id, value, int(version))


def sqlite_store(path: str) -> SqlStore:
    """Keep orders in a file of SQLite, with its table: for a shop on one machine.

    ``path``: a file that lasts, on a disk of this machine, and that no web server sends to anybody.
    """

    def connect() -> Connection:
        connection = sqlite3.connect(path, timeout=5)  # seconds, while another process writes
        connection.execute("PRAGMA synchronous = FULL")  # what was acknowledged survives
        return connection

    store = SqlStore(connect, placeholder="?", duplicate=sqlite3.IntegrityError)
    for statement in _SQLITE_TABLE:
        store._run(statement)
    return store


_SQLITE_TABLE = (
    "CREATE TABLE IF NOT EXISTS cardseal_orders (id TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL,"
    " version INTEGER NOT NULL, due INTEGER NOT NULL DEFAULT 1,"
    " changed TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP)",
    "CREATE INDEX IF NOT EXISTS cardseal_orders_due ON cardseal_orders (id) WHERE due = 1",
)


def postgres_store(connect: Callable[[], Connection]) -> SqlStore:
    """Keep orders in PostgreSQL, for a shop with several processes. Create the table once::

        CREATE TABLE cardseal_orders (
            id text COLLATE "C" PRIMARY KEY,
            value text NOT NULL,
            version integer NOT NULL,
            due boolean NOT NULL DEFAULT true,
            changed timestamptz NOT NULL DEFAULT now());
        CREATE INDEX cardseal_orders_due ON cardseal_orders (id) WHERE due;

    ``connect``: ``lambda: psycopg.connect(dsn)``, or a connection out of your pool. Never set
    ``synchronous_commit`` to ``off`` for it: then PostgreSQL can forget what it acknowledged.
    """
    return SqlStore(connect)


def mysql_store(connect: Callable[[], Connection]) -> SqlStore:
    """Keep orders in MySQL or MariaDB, for a shop with several processes. Create the table once::

        CREATE TABLE cardseal_orders (
            id varbinary(750) PRIMARY KEY,
            value longtext CHARACTER SET utf8mb4 NOT NULL,
            version integer NOT NULL,
            due boolean NOT NULL DEFAULT true,
            changed timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP,
            KEY cardseal_orders_due (due, id)
        ) ENGINE = InnoDB;

    ``connect``: ``lambda: pymysql.connect(...)``. In a column of text, MySQL takes ``a`` and ``A``
    for the same id, and ``a`` with a space at the end, too. ``innodb_flush_log_at_trx_commit`` must be 1.
    """
    return SqlStore(connect)
