import { mkdir, writeFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { checkReadResult } from '../../../src/cli/check-with-helper.ts'
import { parseDocument } from '../../../src/config/read/read-document.ts'
import { toCacheFilePath } from '../../../src/helper/cache/cache-files.ts'
import { renderEntry } from '../../../src/helper/cache/entry.ts'
import { locateCacheDirectory } from '../../../src/runtime/files/private-files.ts'
import { Secret } from '../../../src/runtime/secret.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { createTestCli } from '../run-here.ts'

const now = Date.parse('2026-01-15T12:00:00Z')
const args = ['--client-id', 'desk', '--issuer', 'https://acme.okta.com/oauth2/default', '--redirect-port', '8400']
const document = {
  inference: {
    provider: 'gateway',
    baseUrl: 'https://gateway.example.com',
    credential: { kind: 'helper-script', command: '/opt/gatepass/oidc-token', args, ttlSec: 600, timeoutSec: 600 },
  },
}

/** Finds the warning about renewal on a machine whose cache holds a token of these steps that lived so long. */
async function findWarning(uses: readonly string[], lifeMin: number, from: 'this machine' | 'the document alone') {
  const home = await temporaryDirectory()
  const { cli } = await createTestCli([])
  const host = { ...cli.host, home, env: {} }
  const location = { directory: locateCacheDirectory(host), program: 'oidc-token', key: 'a'.repeat(64) }
  const entry = {
    token: new Secret('made-up'),
    minted: now,
    expiresAt: now + lifeMin * 60_000,
    clockOffsetMs: 0,
    bootedAt: undefined,
    context: 'interactive' as const,
    facts: {},
    uses,
  }
  await mkdir(location.directory, { recursive: true, mode: 0o700 })
  await writeFile(toCacheFilePath(location, 'entry'), renderEntry(entry, location), { mode: 0o600 })
  const result = parseDocument(Buffer.from(JSON.stringify(document)))
  const findings = await checkReadResult({ ...cli, host }, result, { os: 'linux' }, from)
  return findings.filter(({ code }) => code === 'refresh-token-not-kept').map(({ message }) => message)
}

const words = 'no refresh token is kept, so people sign in again whenever a token expires: '
const byDefault = `${words}8 times in a working day of 8 hours, because ID tokens of Okta live 60 min unless that is changed`
const step = 'the sign-in to acme.okta.com for the client desk'

test('the token of a sign-in on this machine shows how often people sign in', async () => {
  expect(await findWarning(['an ID token', step], 15, 'this machine')).toEqual([
    `${words}32 times in a working day of 8 hours, because the last token on this machine lived 15 min`,
  ])
  expect(await findWarning(['an ID token', step], 600, 'this machine')).toEqual([])
})

test('neither another sign-in nor a check of the document alone shows how often people sign in', async () => {
  expect(await findWarning(['an ID token', step.replace('desk', 'other')], 15, 'this machine')).toEqual([byDefault])
  expect(await findWarning(['an ID token', step], 15, 'the document alone')).toEqual([byDefault])
})
