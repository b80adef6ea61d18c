#!/usr/bin/env bash
# Tries a release on a runner of GitHub, with a keychain that nobody has to unlock: pkg-scripts/ci/smoke.sh [DIRECTORY]
set -euo pipefail
cd "$(dirname "$0")/../.."
smoke=(node pkg-scripts/smoke/run-smoke.ts --release "${1:-dist/release}" --require keychain)
case $(uname) in
  Linux)
    sudo apt-get update -qq
    sudo apt-get install -y -qq --no-install-recommends dbus gnome-keyring
    pkg-scripts/ci/with-keyring.sh "${smoke[@]}"
    ;;
  Darwin)
    security create-keychain -p keychain smoke.keychain
    security default-keychain -s smoke.keychain
    security unlock-keychain -p keychain smoke.keychain
    "${smoke[@]}"
    ;;
  *) "${smoke[@]}" --require cmd --require powershell ;;
esac
