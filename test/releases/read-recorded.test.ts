import { createSecretKey } from 'node:crypto'
import { chmodSync, cpSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parseDocument } from '../../src/config/read/read-document.ts'
import { parseHandOuts } from '../../src/helper/cache/append-hand-out.ts'
import { parseEntry } from '../../src/helper/cache/entry.ts'
import { parseSealedEntry, readOutline } from '../../src/helper/cache/sealed-entry.ts'
import { parseOutcome } from '../../src/outcomes/parse-outcome.ts'
import { Deadline } from '../../src/runtime/deadline.ts'
import { createFileStore } from '../../src/sources/oauth/store/file-store.ts'
import { parsePolicy } from '../../src/verify/policy/parse-policy.ts'
import { runHere } from '../cli/run-here.ts'
import { temporaryDirectory } from '../setup/temporary-directory.ts'
import { testHost } from '../setup/test-host.ts'
import { awsCall, gatewayPolicy, identity, sealingKeyBytes, settings } from './made-up.ts'

const releases = readdirSync(import.meta.dirname).filter((name) => /^\d+\.\d+\.\d+$/.test(name))

/** Prepares a copy of what a release left on disk, with the permissions that it had, a minute later. */
async function startRecorded(release: string) {
  const from = join(import.meta.dirname, release)
  const home = join(await temporaryDirectory(), 'home')
  cpSync(join(from, 'home'), home, { recursive: true })
  // Git keeps no permissions, and what others can read is refused.
  for (const path of readdirSync(home, { recursive: true, encoding: 'utf8' }))
    chmodSync(join(home, path), statSync(join(home, path)).isDirectory() ? 0o700 : 0o600)
  const now = Date.parse(JSON.parse(readFileSync(join(from, 'recorded.json'), 'utf8')).at) + 60_000
  const cache = join(home, '.cache', 'gatepass')
  const read = (end: string) => {
    const name = readdirSync(cache).find((file) => file.endsWith(end))!
    return { text: readFileSync(join(cache, name), 'utf8'), key: name.slice(awsCall.program.length + 1, -end.length) }
  }
  const host = await testHost({
    home,
    machineDirectory: join(home, 'machine'),
    argv: awsCall.argv,
    env: awsCall.env,
    // The machine has not been started again since.
    clock: { now: () => now, startedAt: now, elapsedMs: () => 0, bootedAt: JSON.parse(read('.json').text).bootedAt },
  })
  return { home, cache, host, read }
}

test('the release of this tree is recorded; if not, run `node test/releases/record.ts` before it is published', () => {
  const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'))
  expect(releases.filter((release) => release === version)).toEqual([version])
})

describe.each(releases)('a directory that %s left', (release) => {
  test('a cached entry is read with its token, times and steps', async () => {
    const { read } = await startRecorded(release)
    const { text, key } = read('.json')
    const { format: _, key: __, token, ...rest } = JSON.parse(text)
    const entry = parseEntry(text, { program: awsCall.program, key })
    expect({ ...entry, token: entry?.token.reveal() }).toEqual({ ...rest, token })
  })

  test('a sealed entry opens with its key, and is listed by its outline without it', async () => {
    const { cache, read } = await startRecorded(release)
    const { text, key } = read('.sealed')
    const location = { directory: cache, program: awsCall.program, key }
    const opened = parseSealedEntry(text, createSecretKey(sealingKeyBytes), location)
    expect(opened?.token.reveal()).toBe(JSON.parse(read('.json').text).token)
    expect((await readOutline(location, 'sealed'))?.minted).toBe(opened?.minted)
  })

  test('the note of hand-outs tells a refusal from an expiry', async () => {
    const { read } = await startRecorded(release)
    const digest = expect.stringMatching(/^[0-9a-f]{16}$/)
    expect(parseHandOuts(read('.served').text)).toEqual(
      Array(2).fill({
        kind: 'given',
        process: expect.any(Number),
        at: expect.any(Number),
        bootedAt: expect.any(Number),
        digest,
      }),
    )
  })

  test('outcomes that were not sent are read', async () => {
    const { read } = await startRecorded(release)
    const lines = read('.spool').text.trim().split('\n')
    expect(lines.map((line) => parseOutcome(line)?.outcome)).toEqual(['success', 'sign-in-required'])
  })

  test('a sign-in is opened with its key, refresh token included', async () => {
    const { host } = await startRecorded(release)
    const warnings: string[] = []
    const warn = (message: string) => void warnings.push(message)
    const store = createFileStore(settings, {
      host,
      warn,
      refreshTokens: 'kept',
      keyName: 'file',
      prompt: 'never',
    })
    const found = await store.read(new Deadline({ seconds: 60, hint: '' }, host.clock))
    expect({ warnings, id: found?.id, refreshToken: found?.tokens.refreshToken?.reveal() }).toEqual({
      warnings: [],
      id: identity.id,
      refreshToken: identity.refreshToken,
    })
  })

  test.each(['nested.json', 'managed-settings.json', 'profile.mobileconfig', 'policy.reg'])(
    'the document %s is read without an error, as the same',
    async (name) => {
      const { home } = await startRecorded(release)
      const { document, findings } = parseDocument(readFileSync(join(home, 'documents', name)))
      const nested = parseDocument(readFileSync(join(home, 'documents', 'nested.json')))
      expect({
        errors: findings.filter(({ severity }) => severity === 'error'),
        credential: document?.inference?.credential,
      }).toEqual({ errors: [], credential: nested.document?.inference?.credential })
    },
  )

  test('a policy of the verifier is read', async () => {
    const { home } = await startRecorded(release)
    const { policy, findings } = parsePolicy(readFileSync(join(home, 'documents', 'policy.json')))
    expect({ findings, rules: policy?.rules.map(({ name }) => name) }).toEqual({
      findings: [],
      rules: gatewayPolicy.rules.map(({ name }) => name),
    })
  })

  test('the log of its helpers is counted by fleet report', async () => {
    const { home } = await startRecorded(release)
    const { status, stdout } = await runHere(['fleet', 'report', join(home, 'calls.txt'), '--json'])
    expect({ status, calls: JSON.parse(stdout).calls?.total ?? JSON.parse(stdout).calls }).toEqual({
      status: 0,
      calls: 2,
    })
  })
})
