"""Receives what programs tell a service manager (sd_notify(3)) at a path; prints each message as a line of JSON."""
import json
import socket
import sys

manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
manager.bind(sys.argv[1].replace("@", "\0", 1))
print(json.dumps("listens"), flush=True)
while True:
    print(json.dumps(manager.recv(4096).decode()), flush=True)
