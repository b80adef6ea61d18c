// Folder: files of each release as it wrote them, and whether today's version reads them.

import { spawnSync } from 'node:child_process'
import { createSecretKey } from 'node:crypto'
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../pkg-scripts/tree.ts'
import { parseEntry } from '../../src/helper/cache/entry.ts'
import { renderSealedEntry } from '../../src/helper/cache/sealed-entry.ts'
import { appendToSpool } from '../../src/outcomes/spool.ts'
import { Deadline } from '../../src/runtime/deadline.ts'
import { createHost } from '../../src/runtime/host.ts'
import { Secret } from '../../src/runtime/secret.ts'
import { createFileStore } from '../../src/sources/oauth/store/file-store.ts'
import { version } from '../../src/version.ts'
import { awsCall, gatewayPolicy, identity, sealingKeyBytes, settings } from './made-up.ts'

/**
 * Records what this version writes on disk: `node test/releases/record.ts`, once for each release, before it is published. It runs
 * the programs of this tree in a home directory of their own, with keys and tokens that are made up, and copies what they left to
 * `test/releases/VERSION`.
 */
const home = '/tmp/gatepass-recorded'
const target = join(import.meta.dirname, version)
const cache = join(home, '.cache', 'gatepass')

rmSync(home, { recursive: true, force: true })
rmSync(target, { recursive: true, force: true })
mkdirSync(join(home, 'documents'), { recursive: true })
recordCache()
await recordSealedEntry()
await recordSpool()
await recordSignIn()
recordDocuments()
for (const path of readdirSync(home, { recursive: true, encoding: 'utf8' }))
  if (path.endsWith('.lock')) rmSync(join(home, path)) // a database of the system's own, which holds nothing
cpSync(home, join(target, 'home'), { recursive: true })
writeFileSync(
  join(target, 'recorded.json'),
  `${JSON.stringify({ version, at: new Date().toISOString() }, undefined, 2)}\n`,
)

function run(script: 'helper' | 'gatepass', argv: readonly string[], env: Record<string, string> = {}): void {
  const { status, stderr } = spawnSync(process.execPath, [join(root, `pkg-scripts/run/${script}.ts`), ...argv], {
    env: { HOME: home, PATH: '/usr/bin:/bin', ...env },
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`${script} ${argv[0]} ended with ${status}: ${stderr}`)
}

/** Records an entry, its memo, its note of hand-outs, and a log. */
function recordCache(): void {
  const { program, argv, env } = awsCall
  for (const _ of ['mints', 'is served']) run('helper', [program, ...argv, '--log-file', join(home, 'calls.txt')], env)
}

async function recordSealedEntry(): Promise<void> {
  const name = readdirSync(cache).find((file) => file.startsWith(awsCall.program) && file.endsWith('.json'))!
  const location = {
    directory: cache,
    program: awsCall.program,
    key: name.slice(awsCall.program.length + 1, -'.json'.length),
  }
  const entry = parseEntry(readFileSync(join(cache, name), 'utf8'), location)!
  const text = renderSealedEntry(entry, createSecretKey(sealingKeyBytes), location)
  writeFileSync(join(cache, name.replace('.json', '.sealed')), text)
}

async function recordSpool(): Promise<void> {
  const same = { time: Date.now(), version, context: 'interactive', format: 'json', ms: 12 } as const
  await appendToSpool(cache, { ...same, helper: 'aws-bedrock-token', outcome: 'success', status: 0, origin: 'cache' })
  await appendToSpool(cache, { ...same, helper: 'oidc-token', outcome: 'sign-in-required', status: 4 })
}

async function recordSignIn(): Promise<void> {
  const host = { ...createHost(), home, env: {} }
  const store = createFileStore(settings, {
    host,
    warn: fail,
    refreshTokens: 'kept',
    keyName: 'file',
    prompt: 'never',
  })
  const { idToken, accessToken, refreshToken, ...rest } = identity
  const tokens = {
    idToken: new Secret(idToken),
    accessToken: new Secret(accessToken),
    refreshToken: new Secret(refreshToken),
    expiresAt: new Date(Date.now() + 3_600_000),
  }
  const signIn = { ...rest, since: Date.now(), tokens }
  await store.change(new Deadline({ seconds: 60, hint: '' }, host.clock), { make: async () => signIn })
}

/** Records a document in each of its forms, and a policy of the verifier. */
function recordDocuments(): void {
  const at = (name: string) => join(home, 'documents', name)
  const site = [
    '--helper',
    'aws-bedrock-token',
    '--base-url',
    'https://gateway.example.com',
    '--arg=--region=eu-central-1',
    '--command',
    '/opt/gatepass/aws-bedrock-token',
    '--command-windows',
    'C:\\Program Files\\Gatepass\\aws-bedrock-token.exe',
  ]
  run('gatepass', ['config', 'init', ...site, '--out', at('nested.json')])
  const forms = { linux: 'managed-settings.json', mobileconfig: 'profile.mobileconfig', reg: 'policy.reg' }
  for (const [form, name] of Object.entries(forms))
    run('gatepass', ['config', 'export', at('nested.json'), '--to', form, '--out', at(name)])
  writeFileSync(at('policy.json'), `${JSON.stringify(gatewayPolicy, undefined, 2)}\n`)
}

function fail(message: string): never {
  throw new Error(message)
}
