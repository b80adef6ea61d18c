#!/bin/sh
# Runs a command in a session with a bus and a Secret Service of its own, unlocked, and removes them at the end:
#   pkg-scripts/ci/with-keyring.sh COMMAND…
# It needs dbus-run-session and gnome-keyring-daemon.
set -eu
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
# shellcheck disable=SC2016 # the arguments are those of the inner shell
HOME=$home dbus-run-session -- sh -c '
  printf %s keyring | gnome-keyring-daemon --unlock --components=secrets >/dev/null
  exec "$@"' session "$@"
