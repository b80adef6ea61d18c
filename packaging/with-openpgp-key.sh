#!/bin/sh
# Runs a command that signs with the OpenPGP key of releases: with-openpgp-key.sh COMMAND…
#   RELEASE_OPENPGP_KEY         the secret key, in ASCII armor
#   RELEASE_OPENPGP_PASSPHRASE  its passphrase, if it has one
# The key is in a directory of its own, which is removed at the end. The command finds the directory in GNUPGHOME, and the
# fingerprint of the key in RELEASE_OPENPGP_FINGERPRINT.
set -eu
umask 077

: "${RELEASE_OPENPGP_KEY:?is not set}"
GNUPGHOME=$(mktemp -d)
export GNUPGHOME
trap 'gpgconf --kill gpg-agent; rm -rf "$GNUPGHOME"' EXIT
# A shell that a signal ends runs the line above only where it exits by itself.
trap 'exit 1' HUP INT TERM

printf '%s\n' "$RELEASE_OPENPGP_KEY" | gpg --batch --quiet --import
RELEASE_OPENPGP_FINGERPRINT=$(gpg --batch --with-colons --list-secret-keys | sed -n 's/^fpr:::::::::\([0-9A-F]*\):$/\1/p' | head -n 1)
export RELEASE_OPENPGP_FINGERPRINT
passphrase=${RELEASE_OPENPGP_PASSPHRASE:-}
unset RELEASE_OPENPGP_KEY RELEASE_OPENPGP_PASSPHRASE

# Every gpg that the command starts reads these options, so that none prompts.
{
  printf '%s\n' batch quiet no-tty pinentry-mode\ loopback "default-key $RELEASE_OPENPGP_FINGERPRINT" 'digest-algo SHA512'
  if [ -n "$passphrase" ]; then
    printf '%s\n' "$passphrase" >"$GNUPGHOME/passphrase"
    printf '%s\n' "passphrase-file $GNUPGHOME/passphrase"
  fi
} >"$GNUPGHOME/gpg.conf"
"$@"
