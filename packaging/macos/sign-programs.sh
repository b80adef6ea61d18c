#!/bin/sh
# Signs programs again with the identity SIGN_MACOS_IDENTITY, and keeps the identifiers of their builds.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
for program in "$@"; do
  identifier=$("$here/read-identifier.sh" "$program")
  SIGN_IDENTIFIER=$identifier "$here/../sign-macos.sh" "$program"
done
