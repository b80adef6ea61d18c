import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { addMember } from '../../../src/gateway/credentials/platform-identities.ts'
import { createWorkspace } from '../../../src/gateway/store/workspaces.ts'
import { ageEntry } from '../../setup/age-entry.ts'
import { toStableValue } from '../../setup/to-stable-text.ts'
import { audience, issuer } from '../../stand-ins/identity/identity-provider.ts'
import { type Call, failure, program, startWorkbench, tokenOf, type Workbench } from './workbench.ts'

/** Returns the helper with the source that makes a new token for each request. */
function askUrl(bench: Workbench, argv: readonly string[] = [], env: Call['env'] = {}) {
  const identity = ['--identity', 'url', '--identity-url', `${bench.services.url}/identity`]
  return bench.run({
    argv: [...bench.target, ...identity, '--identity-headers-variable', 'HEADERS', ...argv],
    env: { ...bench.services.environment('url'), ...env },
  })
}

/** Returns the helper with a file that holds a token. */
async function askFile(bench: Workbench, token: string, argv: readonly string[] = []) {
  const path = await bench.writeToken(token)
  return bench.run({ argv: [...bench.target, '--identity', 'file', '--identity-file', path, ...argv] })
}

const refresh = { VENDOR_HELPER_CONTEXT: 'mid-session-refresh' }

test('twenty runs at once share one exchange of a token that is valid once', async () => {
  await using bench = await startWorkbench()
  const path = await bench.writeToken(await bench.provider.sign())
  const argv = [...bench.target, '--identity', 'file', '--identity-file', path]
  const outcomes = await Promise.all(Array.from({ length: 20 }, () => bench.run({ argv })))
  expect(new Set(outcomes.map(tokenOf)).size).toBe(1)
  expect(bench.exchanges()).toEqual(['200'])
})

test('twenty refreshes at once share one exchange', async () => {
  await using bench = await startWorkbench()
  const old = tokenOf(await askUrl(bench))
  const outcomes = await Promise.all(Array.from({ length: 20 }, () => askUrl(bench, [], refresh)))
  const tokens = new Set(outcomes.map(tokenOf))
  expect({ count: tokens.size, isOld: tokens.has(old) }).toEqual({ count: 1, isOld: false })
  expect(bench.exchanges()).toEqual(['200', '200'])
})

test('the second run serves the token of the first, without a request', async () => {
  await using bench = await startWorkbench()
  const ttl = ['--client-ttl', '600']
  expect(tokenOf(await askUrl(bench, ttl))).toBe(tokenOf(await askUrl(bench, ttl)))
  expect({ asked: bench.services.requests.length, exchanges: bench.exchanges() }).toEqual({
    asked: 1,
    exchanges: ['200'],
  })
})

test('a token that another machine exchanged is refused with a hint', async () => {
  await using bench = await startWorkbench()
  const token = await bench.provider.sign()
  await askFile(bench, token)
  // Without the user's record of used assertions.
  await rm(join(bench.home, '.cache'), { recursive: true })
  const { status, stderr } = await askFile(bench, token)
  expect({ status, isSaid: stderr.includes('a token that was exchanged before may have to be renewed first') }).toEqual(
    {
      status: 5,
      isSaid: true,
    },
  )
  expect(bench.exchanges()).toEqual(['200', '400 claim jti: used before'])
})

test('a file is read again for a refresh, and its new token is exchanged', async () => {
  await using bench = await startWorkbench()
  const path = await bench.writeToken(await bench.provider.sign())
  const argv = [...bench.target, '--identity', 'file', '--identity-file', path]
  const old = tokenOf(await bench.run({ argv }))
  const again = await bench.run({ argv, env: refresh })
  await bench.writeToken(await bench.provider.sign())
  const isNew = tokenOf(await bench.run({ argv, env: refresh })) !== old
  expect({ again, isNew, exchanges: bench.exchanges() }).toEqual({
    again: failure(
      6,
      `the identity token in ${path} was exchanged before, and may be valid for one exchange only`,
      `check that ${path} is the right file, and that the program that writes it renews the token; if the platform accepts a token more than once, set identity-reuse to allowed`,
    ),
    isNew: true,
    exchanges: ['200', '200'],
  })
})

describe('a cached token', () => {
  test('is not served to another subject whose token is in the same file', async () => {
    await using bench = await startWorkbench()
    const ttl = ['--client-ttl', '600']
    const ask = async (sub: string) => tokenOf(await askFile(bench, await bench.provider.sign({ sub }), ttl))
    const [ada, again, bob, last] = [await ask('ada'), await ask('ada'), await ask('bob'), await ask('ada')]
    expect({ again, isOfBob: bob !== ada, last, exchanges: bench.exchanges() }).toEqual({
      again: ada,
      isOfBob: true,
      last: ada,
      exchanges: ['200', '200'],
    })
  })

  test('is not served when the file is gone', async () => {
    await using bench = await startWorkbench()
    await askFile(bench, await bench.provider.sign(), ['--client-ttl', '600'])
    const outcome = await askFile(bench, '', ['--client-ttl', '600'])
    expect(outcome).toEqual({
      status: 3,
      stdout: '',
      stderr: `workload-token: the file of the identity token, ${bench.home}/identity-token, is empty
workload-token: hint: check that ${bench.home}/identity-token is the right file, and that the program that writes it renews the token
`,
    })
  })

  test.each<[what: string, argv: (bench: Workbench) => string[]]>([
    ['another workspace', ({ platform }) => ['--workspace', platform.seed.workspaces.team]],
    ['another account', ({ platform }) => ['--service-account', platform.seed.identities.serviceAccount]],
    ['another audience', () => ['--audience', audience]],
    ['another address of the source', ({ services }) => ['--identity-url', `${services.url}/identity?for=b`]],
    ['another form of the base URL', ({ platform }) => ['--base-url', `${platform.url}/`]],
    ['another header', () => ['--header', 'X-Team: a']],
  ])('is not served for %s', async (_, argv) => {
    await using bench = await startWorkbench()
    const ttl = ['--client-ttl', '600']
    const first = tokenOf(await askUrl(bench, ttl))
    expect(tokenOf(await askUrl(bench, [...ttl, ...argv(bench)]))).not.toBe(first)
    expect(bench.exchanges()).toEqual(['200', '200'])
  })

  test('is not served for other request headers', async () => {
    await using bench = await startWorkbench()
    const ttl = ['--client-ttl', '600']
    const { HEADERS = '' } = bench.services.environment('url')
    const first = tokenOf(await askUrl(bench, ttl))
    expect(tokenOf(await askUrl(bench, ttl, { HEADERS: `${HEADERS}-2` }))).not.toBe(first)
  })

  test('holds neither the identity token nor the headers of its request', async () => {
    await using bench = await startWorkbench()
    await askUrl(bench)
    const directory = join(bench.home, '.cache', 'gatepass')
    const names = (await readdir(directory)).filter((name) => name.endsWith('.json'))
    const kept = (await Promise.all(names.map((name) => readFile(join(directory, name), 'utf8')))).join('')
    expect(names.length).toBe(1)
    expect(['eyJ', 'canary'].filter((secret) => kept.includes(secret))).toEqual([])
  })

  test('is served while the platform is unavailable, with one warning, and never in mid-session-refresh', async () => {
    await using bench = await startWorkbench()
    const first = tokenOf(await askUrl(bench))
    await ageEntry(bench)
    bench.services.disturb('url', { status: 503, headers: { 'retry-after': '0' } }, 'always')
    const { stderr, ...answer } = await askUrl(bench)
    expect({ ...answer, stderr: toStableValue(stderr, { [bench.services.url]: 'URL' }) }).toEqual({
      status: 0,
      stdout: `{"token":"${first}"}\n`,
      stderr:
        'workload-token: warning: URL/identity is busy or broken (HTTP 503); serving the last token, which is good until DATE\n',
    })
    expect(await askUrl(bench, [], refresh)).toEqual({
      status: 6,
      stdout: '',
      stderr: `workload-token: ${bench.services.url}/identity is busy or broken (HTTP 503)
workload-token: hint: try again in a moment
`,
    })
  })
})

/** Returns the outcome of a run whose token for an audience the platform refuses. */
const refusedFor = (tokenAudience: string) =>
  failure(
    5,
    '127.0.0.1:PORT did not exchange the identity token from http://127.0.0.1:PORT/identity (HTTP 400 invalid_grant, request req_ID)',
    `have the federation rule RULE accept issuer "${issuer}", subject "workload" and audience "${tokenAudience}", and check organization, service-account and workspace; a token that was exchanged before may have to be renewed first`,
  )

describe('the platform', () => {
  test('refuses a token that its rule does not match without saying why', async () => {
    await using bench = await startWorkbench()
    bench.services.claim({ aud: 'api://other' })
    expect(toStableValue(await askUrl(bench), { [bench.platform.rule]: 'RULE' })).toEqual(refusedFor('api://other'))
    expect(bench.exchanges()).toEqual(Array(2).fill('400 claim aud: does not hold'))
  })

  test.each<[what: string, option: string, value: string, reason: string]>([
    ['an unknown organization', '--organization', 'org_0', 'organization or federation rule: unknown'],
    ['an unknown rule', '--federation-rule', 'fdrl_0', 'organization or federation rule: unknown'],
    ['another account', '--service-account', 'svac_0', 'service account: not the one of the rule'],
    ['an unknown workspace', '--workspace', 'wrkspc_0', 'workspace: unknown'],
  ])('refuses %s', async (_, option, value, reason) => {
    await using bench = await startWorkbench()
    const known = { [bench.platform.rule]: 'RULE', fdrl_0: 'RULE' }
    expect(toStableValue(await askUrl(bench, [option, value]), known)).toEqual(refusedFor('https://platform.example'))
    expect(bench.exchanges()).toEqual(Array(2).fill(`400 ${reason}`))
  })

  test('issues a token for the requested workspace', async () => {
    await using bench = await startWorkbench()
    const { state, seed, url } = bench.platform
    const other = createWorkspace(state, 'Other').id
    addMember(state, seed.identities.serviceAccount, other)
    const find = async (token: string) => {
      const headers = { authorization: `Bearer ${token}`, 'vendor-beta': 'managed-agents-2026-04-01' }
      return (await fetch(`${url}/v1/sessions/${seed.session}/resources`, { headers })).status
    }
    // The session is the team's, whose workspace is the rule's.
    expect(await find(tokenOf(await askUrl(bench)))).toBe(200)
    expect(await find(tokenOf(await askUrl(bench, ['--workspace', other])))).toBe(404)
  })
})

test('header templates have the facts of the identity', async () => {
  await using bench = await startWorkbench()
  const { team } = bench.platform.seed.workspaces
  const template = 'X-Who: {subject} of {issuer} in {workspace} of {organization}'
  const outcome = await askUrl(bench, ['--workspace', team, '--header', template])
  expect(JSON.parse(outcome.stdout)).toEqual({
    headers: { 'X-Who': `workload of ${issuer} in ${team} of ${bench.platform.seed.organization}` },
    token: expect.any(String),
  })
})

test('--explain describes the whole call without a token', async () => {
  await using bench = await startWorkbench()
  const outcome = await askUrl(bench, ['--explain'], { VENDOR_HELPER_CONTEXT: 'setup-test' })
  const told = outcome.stdout
    .replace(/lives 3[56]\d\d s, until \d{4}-\S+Z/, 'lives SECONDS s, until DATE')
    .replace(/-[0-9a-f]{40}\.json/, '-KEY.json')
  expect({ ...outcome, stdout: told }).toEqual({
    status: 0,
    stderr: '',
    stdout: `context
  setup-test (VENDOR_HELPER_CONTEXT is "setup-test"); nobody is asked
  ends by itself after 58 s
options
  client-ttl = 3600 (default)
  client-timeout = 60 (default)
  format = json (default)
  cache = disk (default)
  renew-early = 25 (default)
  explain = true (argument)
  base-url = ${bench.platform.url} (argument)
  organization = ${bench.platform.seed.organization} (argument)
  federation-rule = ${bench.platform.rule} (argument)
  identity = url (argument)
  identity-url = ${bench.services.url}/identity (argument)
  identity-headers-variable = HEADERS (argument)
  identity-reuse = never (default)
  aws-chain = auto (default)
uses
  the identity token from ${bench.services.url}/identity, with 2 headers of your own
  exchanged at ${new URL(bench.platform.url).host} under the federation rule ${bench.platform.rule}
token
  from mint
  lives SECONDS s, until DATE
  issuer: ${issuer}
  subject: workload
  organization: ${bench.platform.seed.organization}
headers
  none
cache
  ${join(bench.home, '.cache', 'gatepass', `${program}-KEY.json`)}
`,
  })
})
