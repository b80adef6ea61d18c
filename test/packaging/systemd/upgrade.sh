# The part of the scenario about an upgrade of both services, which scenario.sh reads. The policy of the verifier is broken.
unit=gatepass-verifier.service
before=$(state MainPID)
other=$(systemctl show --property=MainPID --value gatepass-configuration-server.service)
echo '{' >/etc/gatepass/policy.json
say "upgrade: $(dpkg --install /packages/newer/*.deb >>/seen.dpkg 2>/seen.upgrade && echo done), $(dpkg-query --show --showformat '${Version}' gatepass-verifier)"
grep '^gatepass\|^Correct' /seen.upgrade >>/seen
say "the verifier: $(same "$before" "$(state MainPID)"), $(state ActiveState), $(ask_verifier)"
say "the configuration server: $(same "$other" "$(systemctl show --property=MainPID --value gatepass-configuration-server.service)"), $(ask)"
say "restart all the same: $(systemctl restart $unit 2>/dev/null || echo failed), $(state ActiveState)"
cp /packages/policy.json /etc/gatepass/policy.json
say "its policy is corrected: $(ask_verifier), $(settled)"
say "remove: $(dpkg --purge gatepass-verifier gatepass-configuration-server >>/seen.dpkg && echo done), $(systemctl is-active $unit), $(ask_verifier)"
