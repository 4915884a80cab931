"""netbox_import.py FOLDER TABLE…: imports the files FOLDER/TABLE.csv into a NetBox, as its pages for bulk imports do, prints what they answer, and takes all of it back.

Run by the Python of a NetBox, with its configuration in NETBOX_CONFIGURATION and a migrated database without objects.
"""

import json
import os
import sys

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "netbox.settings")
import django

django.setup()

from django.contrib.auth import get_user_model
from django.contrib.messages import get_messages
from django.db import transaction
from django.test import Client

APPLICATIONS = {"prefixes": "ipam", "ip-addresses": "ipam", "services": "ipam"}

folder, *tables = sys.argv[1:]
answers = {}
with transaction.atomic():
    client = Client()
    client.force_login(get_user_model().objects.create_superuser("importer", password="importer"))
    for table in tables:
        with open(os.path.join(folder, f"{table}.csv"), encoding="utf-8", newline="") as file:
            form = {"import_method": "direct", "format": "csv", "csv_delimiter": ",", "data": file.read()}
        response = client.post(f"/{APPLICATIONS.get(table, 'dcim')}/{table}/import/", form)
        messages = [str(message) for message in get_messages(response.wsgi_request)]
        answers[table] = {"status": response.status_code, "message": messages[-1] if messages else None}
    transaction.set_rollback(True)
print(json.dumps(answers))
