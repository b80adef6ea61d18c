#!/bin/sh
# Signs programs once more, with the identity SIGN_MACOS_IDENTITY, under the identifiers that their builds gave them.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
for program in "$@"; do
  identifier=$("$here/read-identifier.sh" "$program")
  SIGN_IDENTIFIER=$identifier "$here/../sign-macos.sh" "$program"
done
