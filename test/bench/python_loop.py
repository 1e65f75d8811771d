"""What one writes in ten minutes: reads a CSV list and posts it batch by batch, without any check.

Arguments: list, URL to post to, rows in a body.
"""

import csv
import json
import sys
import urllib.request

path, url, batch_size = sys.argv[1], sys.argv[2], int(sys.argv[3])


def post(members):
    body = json.dumps({"members": members}, separators=(",", ":")).encode()
    headers = {"content-type": "application/json", "x-api-key": "bench"}
    with urllib.request.urlopen(urllib.request.Request(url, body, headers)) as response:
        return len(json.load(response)["created"])


created = 0
batch = []
with open(path, newline="") as file:
    for row in csv.DictReader(file):
        row["isActive"] = row["isActive"] == "true"
        batch.append(row)
        if len(batch) == batch_size:
            created += post(batch)
            batch = []
if batch:
    created += post(batch)
print(created)
