#!/bin/sh
# Writes the identity token of a workflow, which Azure exchanges for the right to sign, and names its file to the steps that
# follow (AZURE_FEDERATED_TOKEN_FILE). Without SIGN_WINDOWS_ACCOUNT it only warns.
set -eu
umask 077

if [ -z "${SIGN_WINDOWS_ACCOUNT:-}" ]; then
  echo '::warning::SIGN_WINDOWS_ACCOUNT is not set: files for Windows are not signed'
  exit
fi
# Uses standard input, because every process of the machine can read the arguments of another.
answer=$(printf 'header = "Authorization: bearer %s"\n' "$ACTIONS_ID_TOKEN_REQUEST_TOKEN" |
  curl --silent --show-error --fail --retry 3 --config - "$ACTIONS_ID_TOKEN_REQUEST_URL&audience=api://AzureADTokenExchange")
token=$(printf '%s' "$answer" | sed -n 's/.*"value" *: *"\([^"]*\)".*/\1/p')
if [ -z "$token" ]; then
  printf '%s\n' 'write-azure-token.sh: the answer holds no token' 'write-azure-token.sh: hint: give the job id-token: write' >&2
  exit 3
fi
printf '::add-mask::%s\n' "$token"
printf '%s' "$token" >"$RUNNER_TEMP/azure-token"
printf 'AZURE_FEDERATED_TOKEN_FILE=%s\n' "$RUNNER_TEMP/azure-token" >>"$GITHUB_ENV"
