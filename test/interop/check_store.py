"""Tries the Python port's store in MySQL: check_store.py FOLDER SOCKET DATABASE. Prints what is wrong."""

import json
import sys

folder, socket, database = sys.argv[1:]
sys.path.insert(0, folder)

import pymysql  # noqa: E402
from cardseal import check_store, mysql_store  # noqa: E402


def connect():
    return pymysql.connect(user="root", unix_socket=socket, database=database, charset="utf8mb4")


print(json.dumps(check_store(mysql_store(connect))))
