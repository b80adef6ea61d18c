# The part of the scenario about the configuration server, which scenario.sh reads.
unit=gatepass-configuration-server.service
socket=/run/gatepass/configuration-server.sock
ask() { python3 - <<'END'
import socket
client = socket.socket(socket.AF_UNIX)
client.settimeout(30)
client.connect("/run/gatepass/configuration-server.sock")
token = open("/packages/token").read()
client.sendall(f"GET /bootstrap HTTP/1.1\r\nhost: a\r\nauthorization: Bearer {token}\r\nconnection: close\r\n\r\n".encode())
answer = b""
while piece := client.recv(65536):
    answer += piece
head, body = answer.decode().split("\r\n\r\n", 1)
print(head.split("\r\n")[0].split(" ")[1], "with the secret" if "hunter2" in body else "without a document")
END
}

say "configuration server: $(systemctl is-enabled $unit), $(systemctl is-active $unit)"
cp /packages/release.key.pub /etc/gatepass/
cp /packages/policy.json /etc/gatepass/configuration-policy.json
printf hunter2 >/etc/gatepass/gateway-key
chgrp gatepass-secrets /etc/gatepass/gateway-key
chmod 640 /etc/gatepass/gateway-key
echo "CONFIGURATION_SERVER_OPTIONS=--secret gateway-key=/etc/gatepass/gateway-key" >/etc/gatepass/configuration-server.env
say "enable: $(systemctl enable --now $unit && echo done), $(state ActiveState), $(state StatusText)"
say "without a release: $(ask)"
mkdir -p /srv/gatepass/releases
tar --extract --no-same-owner --directory /srv/gatepass/releases --file /packages/releases.tar
sleep 1
say "with a release: $(ask)"
say "socket: $(stat -c '%A %U %G' $socket)"
say "state: $(stat -Lc '%A' /var/lib/gatepass-configuration-server), $(cat /var/lib/gatepass-configuration-server/served.json)"
sleep 1
say "audit: $(journalctl --quiet --unit $unit --output cat | grep -o '"status":200,"issuer":"[^"]*"')"

say "reload: $(systemctl reload $unit && echo done), $(state ActiveState)"
echo '{' >/etc/gatepass/configuration-policy.json
say "reload of a broken policy: $(systemctl reload $unit || echo refused), $(state ActiveState), $(ask)"
cp /packages/policy.json /etc/gatepass/configuration-policy.json
mv /srv/gatepass/releases/manifests /srv/gatepass/releases/away
say "reload without the files of the release: $(systemctl reload $unit || echo refused), $(state ActiveState), $(ask)"
mv /srv/gatepass/releases/away /srv/gatepass/releases/manifests
say "restart: $(systemctl restart $unit && echo done), $(ask)"
