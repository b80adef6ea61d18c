#!/bin/sh
# Runs a command beside a journal of its own, in a mount namespace, and prints what the journal has of gatepass, in the form
# JOURNAL_FORM of journalctl. Needs root.
[ "$1" = inside ] || exec unshare --mount --propagation private sh "$0" inside "$@"
shift
mount -t tmpfs tmpfs /run
mount -t tmpfs tmpfs /var/log
mkdir /run/dev
mount --rbind /dev /run/dev
mount -t tmpfs tmpfs /dev
for device in null urandom; do
  touch /dev/$device
  mount --bind /run/dev/$device /dev/$device
done
ln -s /run/systemd/journal/dev-log /dev/log
mkdir -p /run/systemd/journald.conf.d /run/log/journal
printf '[Journal]\nReadKMsg=no\n' >/run/systemd/journald.conf.d/test.conf
/lib/systemd/systemd-journald >/dev/null 2>&1 &
trap 'kill $!' EXIT
tries=0
until [ -S /run/systemd/journal/socket ]; do
  [ $((tries += 1)) -le 400 ] || { echo 'the journal does not start' >&2; exit 1; }
  sleep 0.05
done
"$@" || exit
timeout 20 journalctl --sync || exit
journalctl -o "${JOURNAL_FORM:-json}" --no-pager -t gatepass
