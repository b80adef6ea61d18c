#!/bin/sh
# Runs in a machine that systemd has booted: installs the packages in /packages, operates both services as an administrator does, and
# writes what it sees to /seen.
exec 2>/seen.log
set -x
say() { echo "$*" >>/seen; }
ask_verifier() { python3 -c '
import socket, sys
client = socket.socket(socket.AF_UNIX)
client.settimeout(30)
try:
    client.connect("/run/gatepass/verifier.sock")
except OSError as error:
    sys.exit(print(error.strerror))
client.sendall(b"GET / HTTP/1.1\r\nconnection: close\r\n\r\n")
print(client.recv(4096).decode().split("\r\n")[0])'; }
state() { systemctl show --property="$1" --value "$unit"; }
# The state that a service reaches, which may answer a moment before systemd knows that it does.
settled() { for _ in 1 2 3 4 5 6 7 8 9 10; do [ "$(state ActiveState)" = active ] && break; sleep 0.5; done; state ActiveState; }
same() { [ "$1" = "$2" ] && echo "the same process" || echo "another process"; }
unit=gatepass-verifier.service

say "install: $(dpkg --install /packages/*.deb >/seen.dpkg && echo done), $(systemctl is-enabled $unit), $(systemctl is-active $unit)"
install -D -m 644 /packages/policy.json /etc/gatepass/policy.json
mkdir /etc/systemd/system/$unit.d
printf '[Service]\nWatchdogSec=3\n' >/etc/systemd/system/$unit.d/watchdog.conf
systemctl daemon-reload
say "enable: $(systemctl enable --now $unit && echo done), $(state ActiveState), $(state StatusText)"
say "socket: $(stat -c '%A %U %G' /run/gatepass/verifier.sock)"
say "root asks: $(ask_verifier)"
group=$(sed -n 's/^gatepass-gateway:x:\([0-9]*\):.*/\1/p' /etc/group)
python3 -c '
import os, socket, sys
def attempt(groups):
    if os.fork() == 0:
        os.setgroups(groups); os.setgid(65534); os.setuid(65534)
        client = socket.socket(socket.AF_UNIX)
        try:
            client.connect("/run/gatepass/verifier.sock")
            print("nobody in", groups and "the group" or "no group", "connects")
        except OSError as error:
            print("nobody in", groups and "the group" or "no group:", error.strerror)
        sys.stdout.flush()
        os._exit(0)
    os.wait()
attempt([]); attempt([int(sys.argv[1])])' "$group" >>/seen
owner() { user=$(stat -c %u "$1"); [ "$user" -ge 61184 ] && [ "$user" -le 65519 ] && echo dynamic; }
say "user: $(owner /proc/"$(state MainPID)")"

say "reload: $(systemctl reload $unit && echo done), $(state ActiveState)"
echo '{' >/etc/gatepass/policy.json
say "reload of a broken policy: $(systemctl reload $unit || echo refused), $(state ActiveState), $(ask_verifier)"
cp /packages/policy.json /etc/gatepass/policy.json

sleep 4 # twice the time in which a live process tells so
say "restarts of a live process: $(state NRestarts)"
kill -STOP "$(state MainPID)"
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do [ "$(state NRestarts)" = 0 ] && sleep 1; done
say "restarts of a stopped one: $(state NRestarts)"
say "asked meanwhile: $(ask_verifier)"

systemctl stop $unit 2>/dev/null
say "stopped, and asked: $(ask_verifier), $(settled)"

. /packages/configuration-server.sh
. /packages/upgrade.sh
journalctl --no-pager -u gatepass-verifier.service -u gatepass-configuration-server.service >/seen.journal
