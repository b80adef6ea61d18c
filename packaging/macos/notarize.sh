#!/bin/sh
# Has Apple notarize a signed package, and staples the ticket to it, so that it installs where Apple cannot be asked:
#   notarize.sh PACKAGE.pkg
# It signs in with a key of App Store Connect: APPLE_KEY, its text; APPLE_KEY_ID; APPLE_KEY_ISSUER.
# The ticket covers the program in the package as well, which is therefore notarized in the archive too.
set -eu
umask 077

: "${APPLE_KEY:?is not set}" "${APPLE_KEY_ID:?is not set}" "${APPLE_KEY_ISSUER:?is not set}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
printf '%s\n' "$APPLE_KEY" >"$work/key.p8"

notarytool() {
  action=$1
  shift
  xcrun notarytool "$action" "$@" --key "$work/key.p8" --key-id "$APPLE_KEY_ID" --issuer "$APPLE_KEY_ISSUER"
}

read_answer() {
  sed -n 's/.*"'"$1"'" *: *"\([^"]*\)".*/\1/p' "$work/answer.json" | head -n 1
}

notarytool submit "$1" --wait --timeout 1h --output-format json >"$work/answer.json"
# The tool succeeds even if Apple refuses the package.
if [ "$(read_answer status)" != Accepted ]; then
  cat "$work/answer.json" >&2
  notarytool log "$(read_answer id)" >&2 || true
  printf '%s\n' "notarize.sh: Apple did not accept $1" 'notarize.sh: hint: fix what the log above names and build again' >&2
  exit 5
fi
xcrun stapler staple "$1"
xcrun stapler validate "$1"
