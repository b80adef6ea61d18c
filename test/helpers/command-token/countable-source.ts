import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CountableSource } from '../../cache/countable-source.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'

/** Starts a program that notes each of its runs in a file, and does what another file says. */
export async function startSource(): Promise<CountableSource> {
  const home = await temporaryDirectory()
  const at = (name: string) => join(home, name)
  const behave = (mode: string) => writeFileSync(at('mode'), mode, { mode: 0o666 })
  const count = (name: string) => readFileSync(at(name), 'utf8').length
  behave('give 0')
  for (const name of ['asked', 'given', 'mode']) {
    if (name !== 'mode') writeFileSync(at(name), '')
    chmodSync(at(name), 0o666) // a run may be another user's
  }
  writeFileSync(at('print-token'), script(home), { mode: 0o755 })
  return {
    home,
    env: { HOME: home },
    argv: (key = 0) => ['--command', at('print-token'), '--header', `X-Key: ${key}`],
    mints: () => count('given'),
    asked: () => count('asked'),
    hangOnce: () => behave('hang 600'),
    delay: (ms) => behave(`give ${ms / 1000}`),
    refuse: () => behave('refuse'),
    refuseBriefly: () => behave('busy'),
    leadTo: () => ({}), // it sends no requests itself
  }
}

const script = (home: string) => `#!/bin/sh
cd '${home}' && printf x >>asked && read -r mode pause <mode
case $mode in
  refuse) echo 'access denied' >&2; exit 1 ;;
  busy) echo 'the service is temporarily unavailable' >&2; exit 1 ;;
  hang) echo give 0 >mode ;;
esac
printf x >>given
[ "$pause" = 0 ] || sleep "$pause"
printf '{"access_token": "made-up-token-%s", "token_type": "Bearer", "expires_in": 3600}\\n' $$
`
