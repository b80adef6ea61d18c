import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { expect, onTestFinished, test } from 'vitest'
import { toBundlePath } from '../../../pkg-scripts/tree.ts'
import type { CallOutcome } from '../../../src/outcomes/call-outcome.ts'
import { toLogEvents } from '../../../src/outcomes/destinations/system-log-destination.ts'
import { parseOutcome } from '../../../src/outcomes/parse-outcome.ts'
import { renderSenderSettings } from '../../../src/outcomes/sender-settings.ts'
import { seedSignIn } from '../../helpers/oidc-token/seed-sign-in.ts'
import { runBundle } from '../../setup/run-bundle.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { startCollector } from '../../stand-ins/collector/collector.ts'
import { type Behaviour, startFront } from '../../stand-ins/front/front.ts'
import { audience, forge } from '../../stand-ins/identity/identity-provider.ts'

const canary = 'canary'

/** Prepares a home whose calls are told to a collector, and the address of a server that fails as it is told. */
async function startDesk(helper: string, clientTimeoutSec = 8) {
  const home = await temporaryDirectory()
  const directory = join(home, '.cache', 'gatepass')
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const collector = await startCollector()
  const front = await startFront('http://127.0.0.1:1')
  onTestFinished(() => front[Symbol.asyncDispose]())
  const secretive = {
    HOME: home,
    PATH: '/usr/bin:/bin',
    VENDOR_API_KEY: canary,
    VENDOR_HELPER_CONTEXT: 'background',
    HTTPS_PROXY: `http://${canary}:${canary}@127.0.0.1:1`,
    GATEPASS_OTLP_ENDPOINT: collector.endpoint,
  }
  const own = ['--header', `X-${canary}: ${canary}`, '--client-timeout', `${clientTimeoutSec}`]
  /** The turn is somebody else's, so that every line stays until all calls have been made. */
  const takeTurns = async () => {
    const turn = Math.floor(Date.now() / 10_000)
    for (const each of [turn, turn + 1, turn + 2]) await writeFile(join(directory, `outcomes.turn-${each}`), '')
  }
  return {
    home,
    front,
    collector,
    run: async (argv: readonly string[], { behaviour = 'reset', env = {} }: Failure = {}) => {
      await takeTurns()
      front.behave(behaviour)
      const { status } = await runBundle(helper, { argv: [...argv, ...own], env: { ...secretive, ...env } })
      return status
    },
    /** Has the calls sent, and gives what they left: all texts of each destination, and the outcomes. */
    tell: async () => {
      const spool = await readFile(join(directory, 'outcomes.spool'), 'utf8')
      const settings = {
        directory,
        seconds: 10,
        version: '1.2.3',
        systemLog: false,
        endpoint: collector.endpoint,
        resource: [],
      }
      const env = { HOME: home, GATEPASS_OUTCOME_ORDER: renderSenderSettings(settings) }
      await execa(process.execPath, [toBundlePath(helper), 'send-outcomes'], { env, extendEnv: false, reject: false })
      const outcomes = spool
        .trimEnd()
        .split('\n')
        .map((line) => parseOutcome(line) as CallOutcome)
      const events = toLogEvents({ outcomes, lost: 1, resource: {} }, Date.now()).map((event) => JSON.stringify(event))
      const left = (await readdir(directory)).filter((name) => /^outcomes\.(?!turn-)/.test(name))
      return { left, outcomes, told: [spool, ...collector.received.map(({ body }) => body), ...events] }
    },
  }
}

interface Failure {
  readonly behaviour?: Behaviour
  readonly env?: Readonly<Record<string, string>>
}

/** Every call left a line of closed words, the collector took them all, and no text holds the canary. */
async function expectToldWithoutCanary(
  { tell, collector }: Pick<Awaited<ReturnType<typeof startDesk>>, 'tell' | 'collector'>,
  statuses: readonly (number | string)[],
): Promise<void> {
  const { left, outcomes, told } = await tell()
  expect(outcomes.map((outcome) => outcome?.status)).toEqual(statuses)
  expect({ left, requests: collector.received.length }).toEqual({ left: [], requests: 1 })
  expect(told.filter((text) => text.includes(canary) || text.includes(Buffer.from(canary).toString('base64')))).toEqual(
    [],
  )
}

const answers: readonly (readonly [Behaviour, status: number])[] = [
  ['reset', 6],
  ['silence', 7],
  [{ status: 400, body: JSON.stringify({ error: canary, error_description: canary }) }, 5],
  [{ status: 401, body: canary }, 5],
  [{ status: 503, body: `<p>${canary}` }, 6],
  [{ status: 302, headers: { location: `http://127.0.0.1:1/${canary}` } }, 6],
  [{ status: 200, body: `${canary} <` }, 6],
]

test('workload-token logs no identity token, no source of one, and no answer of an exchange', async () => {
  const desk = await startDesk('workload-token')
  const target = ['--organization', canary, '--federation-rule', canary, '--base-url', desk.front.url]
  const path = join(desk.home, `${canary}-token`)
  const file = [...target, '--identity', 'file', '--identity-file', path]
  const statuses = [await desk.run(file)]
  await writeFile(path, canary, { mode: 0o600 })
  statuses.push(await desk.run(file))
  await writeFile(path, forge({ sub: canary, aud: audience }), { mode: 0o600 })
  for (const [behaviour] of answers) statuses.push(await desk.run(file, { behaviour }))
  const taken = {
    status: 200,
    body: JSON.stringify({ access_token: `${canary}-access`, token_type: 'Bearer', expires_in: 3600 }),
  }
  statuses.push(await desk.run(file, { behaviour: taken }))
  const job = {
    ACTIONS_ID_TOKEN_REQUEST_URL: `${desk.front.url}/${canary}?x=${canary}`,
    ACTIONS_ID_TOKEN_REQUEST_TOKEN: canary,
  }
  for (const [argv, env] of [
    [['--identity', 'variable', '--identity-variable', 'IDENTITY'], { IDENTITY: canary }],
    [
      [
        '--identity',
        'command',
        '--identity-command',
        '/bin/sh',
        '--identity-command',
        '-c',
        '--identity-command',
        `echo ${canary} >&2; exit 3`,
      ],
      {},
    ],
    [['--identity', 'url', '--identity-url', `${desk.front.url}/?key=${canary}`], {}],
    [['--identity', 'github-actions', '--audience', canary], job],
    [['--identity', canary], {}],
    [[`--${canary}`, canary], {}],
  ] as const)
    statuses.push(await desk.run([...target, ...argv], { behaviour: { status: 403, body: canary }, env }))
  await expectToldWithoutCanary(desk, statuses)
  expect(statuses).toEqual([3, 3, ...answers.map(([, status]) => status), 0, 3, 5, 5, 5, 2, 2])
})

test('oidc-token logs nothing of a sign-in or of the answer of a provider', async () => {
  const desk = await startDesk('oidc-token')
  const unsigned = [
    await desk.run(renderSignIn(desk.front.url)),
    await desk.run(['--client-id', canary, '--issuer', `${desk.front.url}/${canary}`]),
  ]
  await expectToldWithoutCanary(desk, unsigned)
  const coded = ['invalid_grant', 'invalid_client', 'invalid_request'].map((error) => ({
    status: error === 'invalid_client' ? 401 : 400,
    body: JSON.stringify({ error, error_description: canary }),
  }))
  // Each renewal is tried for some seconds, so all are made at once.
  const statuses = await Promise.all([...answers.map(([each]) => each), ...coded].map(renewUnder))
  // An answer that is not an OAuth error comes from whatever stands before the provider, and ends no sign-in.
  const refreshed = answers.map(([behaviour]) => (behaviour === 'silence' ? 7 : 6))
  expect([unsigned, statuses]).toEqual([
    [4, 4],
    [...refreshed, 4, 3, 3],
  ])
})

/** Renews a sign-in of a desk of its own at a provider that behaves so, and looks at what is told of that; the status of the run. */
async function renewUnder(behaviour: Behaviour): Promise<number | string> {
  const desk = await startDesk('oidc-token', 12)
  const kept = renderSignIn(desk.front.url)
  const tokens = { idToken: canary, accessToken: canary, refreshToken: canary, lifeSec: -60, ageSec: 7200 }
  await seedSignIn(desk.home, kept, tokens)
  const status = await desk.run(kept, { behaviour })
  await expectToldWithoutCanary(desk, [status])
  return status
}

/** Renders the arguments of a sign-in at a provider with this address. */
function renderSignIn(url: string): string[] {
  const site = ['--client-id', canary, '--authorization-url', `${url}/${canary}`, '--token-url', `${url}/${canary}`]
  return [...site, '--scopes', canary, '--refresh-token-store', 'file']
}

test('api-key logs neither a key nor its place', async () => {
  const desk = await startDesk('api-key')
  const path = join(desk.home, `${canary}-key`)
  const file = ['--key-file', path]
  const statuses = [await desk.run(file)]
  await writeFile(path, `sk-vendor-api01-${canary}0123456789abcdef`, { mode: 0o644 })
  statuses.push(await desk.run(file))
  await writeFile(join(desk.home, 'own'), `sk-vendor-api01-${canary}0123456789abcdef`, { mode: 0o600 })
  statuses.push(await desk.run(['--key-file', join(desk.home, 'own')]))
  statuses.push(await desk.run(['--key-variable', 'KEY'], { env: { KEY: `${canary} ${canary}` } }))
  statuses.push(await desk.run(['--key-name', canary], { env: { DBUS_SESSION_BUS_ADDRESS: `unix:path=/${canary}` } }))
  await expectToldWithoutCanary(desk, statuses)
  expect(statuses).toEqual([3, 3, 0, 3, 6])
})
