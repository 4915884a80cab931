"""netbox_import.py FOLDER TABLE…: imports the files FOLDER/TABLE.csv into a NetBox, as its pages for bulk imports do. Prints what they answer.

Run by the Python of a NetBox, with its configuration in NETBOX_CONFIGURATION and an empty database.
"""

import json
import os
import sys

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "netbox.settings")
import django

django.setup()

from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.test import Client

APPLICATIONS = {"prefixes": "ipam", "ip-addresses": "ipam", "services": "ipam"}

call_command("migrate", verbosity=0)
users = get_user_model().objects
user = users.filter(username="importer").first() or users.create_superuser("importer", password="importer")
client = Client()
client.force_login(user)

folder, *tables = sys.argv[1:]
answers = {}
for table in tables:
    with open(os.path.join(folder, f"{table}.csv"), encoding="utf-8", newline="") as file:
        form = {"import_method": "direct", "format": "csv", "csv_delimiter": ",", "data": file.read()}
    response = client.post(f"/{APPLICATIONS.get(table, 'dcim')}/{table}/import/", form)
    errors = response.context["form"].errors if response.status_code == 200 and response.context else {}
    answers[table] = {"status": response.status_code, "errors": {name: list(some) for name, some in errors.items()}}
print(json.dumps(answers))
