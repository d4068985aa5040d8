"""A task defined inside Django's `atomic` block: it commits and rolls back with the block's own rows.

LEDGER_DSN=postgresql://… python -m examples.django_atomic
"""

from __future__ import annotations

import os

import django
from django.conf import settings
from django.db import connection, models, transaction
from psycopg.conninfo import conninfo_to_dict

from ledger import Ledger

REPORT = {"entrypoint": "weekly_report", "schedule": {"cron": "0 9 * * MON", "timezone": "Europe/Paris"}}


def configure(dsn: str) -> None:
    """What a project has in its settings; models may be made only after it."""
    parts = conninfo_to_dict(dsn)
    names = {"NAME": "dbname", "USER": "user", "PASSWORD": "password", "HOST": "host", "PORT": "port"}
    database = {name: str(parts.get(part) or "") for name, part in names.items()}
    settings.configure(
        DATABASES={"default": {"ENGINE": "django.db.backends.postgresql", **database}}, USE_TZ=True
    )
    django.setup()


configure(os.environ["LEDGER_DSN"])


class Customer(models.Model):
    """A customer, who gets a weekly report."""

    name = models.CharField(primary_key=True, max_length=200)

    class Meta:
        app_label = "examples"


def welcome(ledger: Ledger, name: str) -> None:
    """A new customer and the customer's task, in the transaction that the block is in."""
    Customer.objects.create(name=name)
    ledger.on(connection.connection).tenant(name, by="signup").define("weekly-report", REPORT)


def main() -> None:
    there = Customer._meta.db_table in connection.introspection.table_names()
    with connection.schema_editor() as editor:
        if there:
            editor.delete_model(Customer)
        editor.create_model(Customer)
    with Ledger() as ledger:
        with transaction.atomic():
            welcome(ledger, "acme")
        with transaction.atomic():
            welcome(ledger, "globex")
            transaction.set_rollback(True)
        print("customers:", list(Customer.objects.values_list("name", flat=True)))
        for name in ("acme", "globex"):
            print(f"tasks of {name}:", [line.task for line in ledger.tenant(name).list().rows])
    connection.close()


if __name__ == "__main__":
    main()
