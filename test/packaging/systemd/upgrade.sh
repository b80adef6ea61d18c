# The part of the scenario about an upgrade of both services, which scenario.sh reads. The policy of the verifier is broken.
unit=gatepass-verifier.service
before=$(state MainPID)
other=$(systemctl show --property=MainPID --value gatepass-configuration-server.service)
echo '{' >/etc/gatepass/policy.json
# Lines about requests are written all the time, which the log of dpkg must not have.
while [ ! -e /seen.asked ]; do ask_verifier; sleep 0.05; done >/dev/null &
say "upgrade: $(dpkg --install /packages/newer/*.deb >>/seen.dpkg 2>/seen.upgrade && echo done), $(dpkg-query --show --showformat '${Version}' gatepass-verifier)"
touch /seen.asked
wait $!
grep -v '^dpkg: warning: files list file' /seen.upgrade >>/seen
say "refused meanwhile: $([ "$(journalctl --quiet --unit $unit --output cat | grep -c '"event":"refused"')" -gt 10 ] && echo yes)"
say "the verifier: $(same "$before" "$(state MainPID)"), $(state ActiveState), $(ask_verifier)"
say "the configuration server: $(same "$other" "$(systemctl show --property=MainPID --value gatepass-configuration-server.service)"), $(ask)"
say "restart all the same: $(systemctl restart $unit 2>/dev/null || echo failed), $(state ActiveState)"
cp /packages/policy.json /etc/gatepass/policy.json
say "its policy is corrected: $(ask_verifier), $(settled)"
say "downgrade: $(dpkg --install /packages/*.deb >>/seen.dpkg 2>/seen.downgrade && echo done), $(dpkg-query --show --showformat '${Version}' gatepass-verifier), $(ask_verifier), $(ask)"

cat >/etc/gatepass/tenants.json <<'END'
{"header": "x-tenant", "tenants": [{"name": "red", "policy": "policy.json", "log": "/var/log/private/gatepass-verifier/red.log"}]}
END
echo 'VERIFIER_POLICY=--tenants /etc/gatepass/tenants.json' >/etc/gatepass/verifier.env
printf '[Service]\nLogsDirectory=gatepass-verifier\n' >/etc/systemd/system/$unit.d/logs.conf
systemctl daemon-reload
say "tenants: $(systemctl restart $unit && echo done), $(ask_verifier), $(/opt/gatepass/gatepass gateway health 127.0.0.1:8791 | sed 'N; s/\n/, /')"
say "its log: $(stat -c %a /var/log/private/gatepass-verifier/red.log), $(owner /var/log/private/gatepass-verifier/red.log)"
echo '{' >/etc/gatepass/tenants.json
say "reload of broken tenants: $(systemctl reload $unit 2>/dev/null || echo refused), $(state ActiveState), $(ask_verifier)"

kept() { for path in /var/lib/gatepass-* /var/lib/private/gatepass-*; do [ ! -e "$path" ] && [ ! -L "$path" ] || echo "$path"; done | tr '\n' ' '; }
say "remove: $(dpkg --remove gatepass-verifier gatepass-configuration-server >>/seen.dpkg && echo done), $(systemctl is-active $unit), $(ask_verifier)"
say "keeps: $(kept)"
say "purge: $(dpkg --purge gatepass-verifier gatepass-configuration-server >>/seen.dpkg && echo done), keeps: $(kept)"
