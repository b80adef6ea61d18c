#!/bin/sh
# Refuses to publish files whose signer the page does not name: refuse-unnamed-signers.sh PAGE
# PAGE is SECURITY.md, whose table "What to allow" tells whoever verifies a release whom to expect. What signs is known by
# SIGN_MACOS_IDENTITY, SIGN_WINDOWS_ACCOUNT and RELEASE_OPENPGP_FINGERPRINT; what is not set does not sign.
set -eu
page=$1
refused=

# The value in the row whose second column begins with the argument, without quotes and blanks.
find_value() {
  awk -F ' *[|] *' -v row="$1" 'index($3, row) == 1 { gsub(/[` ]/, "", $4); print $4 }' "$page"
}

refuse() {
  printf '%s\n' "refuse-unnamed-signers.sh: $1" >&2
  refused=yes
}

# An identity ends with the Team ID: "Developer ID Application: Example (ABCDE12345)".
if [ -n "${SIGN_MACOS_IDENTITY:-}" ]; then
  team=${SIGN_MACOS_IDENTITY##*\(}
  team=${team%)}
  [ "$(find_value 'Team ID')" = "$team" ] || refuse "$page does not name the Team ID that signs for macOS: $team"
fi
# Only Azure knows the subject of the certificate.
if [ -n "${SIGN_WINDOWS_ACCOUNT:-}" ]; then
  case $(find_value 'publisher') in '' | noneyet) refuse "$page does not name the publisher of the files for Windows" ;; esac
fi
if [ -n "${RELEASE_OPENPGP_FINGERPRINT:-}" ]; then
  [ "$(find_value 'fingerprint')" = "$RELEASE_OPENPGP_FINGERPRINT" ] ||
    refuse "$page does not name the key that signs the digests: $RELEASE_OPENPGP_FINGERPRINT"
fi
[ -z "$refused" ] || {
  printf '%s\n' "refuse-unnamed-signers.sh: hint: write it into the table \"What to allow\" there, and tag that commit: nothing has been published" >&2
  exit 2
}
