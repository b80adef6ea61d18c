import { describe, expect, test } from 'vitest'
import type { ScenarioName, ScenarioObservation } from '../../../../src/client/check/check-scenario.ts'
import type { CheckFacts } from '../../../../src/client/check/rules/rule.ts'
import { expandRules, type RuleId, toRule, validateRules } from '../../../../src/client/check/rules/rules.ts'
import type { TokenClaims } from '../../../../src/client/check/runs/parse-run-output.ts'
import type { Run } from '../../../../src/client/check/runs/run.ts'
import { keyServices } from '../../../../src/contract/aws/keys.ts'
import { clients } from '../../../../src/contract/clients.ts'
import { parseTokenFacts } from '../../../../src/runtime/tokens/token-facts.ts'

const endsAt = Date.UTC(2026, 0, 15, 12)

/** Returns a run that succeeded, as a table can change it. */
const run = (changes: Partial<Run> = {}): Run => ({
  title: 'in the context background',
  purpose: 'observed',
  context: 'background',
  mayPrompt: false,
  isNetworkIntact: true,
  ended: { how: 'exited', status: 0 },
  limitMs: 60_000,
  durationMs: 100,
  endedAt: endsAt,
  output: printed('a', 7200),
  stderr: '',
  stderrBytes: 0,
  exposures: [],
  browsers: [],
  nesting: 1,
  proxyConnections: 0,
  remotes: [],
  terminal: '',
  ...changes,
})

function printed(fingerprint: string, lifeSec?: number): Run['output'] {
  const end = lifeSec === undefined ? {} : { end: { source: 'JWT exp', at: endsAt + lifeSec * 1000 } as const }
  return { bytes: 40, ok: true, token: { fingerprint, bytes: 36, ...end }, headers: [], warnings: [] }
}

const refresh = (changes: Partial<Run> = {}) =>
  run({ title: 'in mid-session-refresh', context: 'mid-session-refresh', output: printed('b', 7200), ...changes })

function validate(
  rule: RuleId,
  observed: Partial<Record<ScenarioName, readonly Run[]>>,
  changes: Partial<CheckFacts> = {},
) {
  const scenes = Object.entries(observed).map(([name, runs]): [ScenarioName, ScenarioObservation] => [
    name as ScenarioName, // a key of the argument
    { runs },
  ])
  const facts = { ...createFacts(Object.values(observed).flat()), ...changes }
  const verdicts = validateRules(expandRules([rule], facts.client), new Map(scenes), facts)
  const { verdict, seen, because } = verdicts.find((row) => row.rule === rule)!
  return { verdict, seen, ...(because && { because }) }
}

const passes = (seen: string) => ({ verdict: 'pass', seen })
const warns = (seen: string) => ({ verdict: 'warn', seen })
const fails = (seen: string) => ({ verdict: 'fail', seen })
const createNotApplicable = (seen: string) => ({ verdict: 'not-applicable', seen })

function createFacts(allRuns: readonly Run[]): CheckFacts {
  return {
    client: clients.desktop,
    command: '/opt/helper',
    args: [],
    platform: 'linux',
    file: 'script',
    shellVariables: ['CORP_TEAM'],
    ttlSec: 3600,
    tokenLifeSec: undefined,
    gatewayHost: undefined,
    refreshSec: 20,
    allRuns,
    fileSearch: { files: [], isComplete: true },
    credentialsEnd: undefined,
  }
}

test('a rule that needs a failed one names that one alone', () => {
  const broken = run({ ended: { how: 'exited', status: 3 }, stderr: 'no session' })
  expect(validate('token-life', { background: [broken], 'silent-contexts': [] })).toEqual({
    verdict: 'not-applicable',
    seen: 'skipped: exit-status failed',
    because: 'exit-status',
  })
})

test('a rule of which only a part could be tried fails for that part, and does not pass', () => {
  const late = { unavailable: 'not tried: too late' }
  const observed = (background: Run) =>
    new Map<ScenarioName, ScenarioObservation>([
      ['background', { runs: [background] }],
      ['silent-contexts', late],
    ])
  const seenOf = (background: Run) => {
    const rows = validateRules(
      expandRules(['no-browser'], clients.desktop),
      observed(background),
      createFacts([background]),
    )
    return rows.map(({ rule, verdict, seen }) => [rule, verdict, seen]).at(-1)
  }
  expect({ clean: seenOf(run()), calling: seenOf(run({ browsers: ['open'] })) }).toEqual({
    clean: ['no-browser', 'not-applicable', 'not tried: too late'],
    calling: ['no-browser', 'fail', 'it called open in the context background'],
  })
})

test.each([
  [3599, 'pass', 'at least 3599 s (JWT exp), under a ttl of 3600 s'],
  [
    3500,
    'fail',
    'the token printed in the context background lives 3500 s (JWT exp), but the client keeps it for 3600 s',
  ],
  [-5, 'fail', 'the token printed in the context background had expired 5 s earlier (JWT exp)'],
])('a token that lives %i s under a ttl of an hour is a %s', (lifeSec, verdict, seen) => {
  const runs = { background: [run({ output: printed('a', lifeSec) })] }
  expect(validate('token-life', runs)).toEqual({ verdict, seen })
})

test('a token that does not say when it ends is checked with the life that the caller states', () => {
  const background = [run({ output: printed('a') })]
  expect({
    unstated: validate('token-life', { background }),
    stated: validate('token-life', { background }, { tokenLifeSec: 900 }),
  }).toEqual({
    unstated: createNotApplicable('nothing says when its tokens end (see --token-life)'),
    stated: fails(
      'the token printed in the context background lives 900 s (--token-life), but the client keeps it for 3600 s',
    ),
  })
})

test('in a refresh the token of an earlier refresh is new', () => {
  const dead = [refresh({ isNetworkIntact: false })]
  const fresh = { background: [run()], 'network-dead': dead, refresh: [refresh()] }
  expect(validate('refresh-fresh', fresh)).toEqual(passes('another token than in the runs before'))
})

test('in a refresh the token of a normal run is not new', () => {
  const background = [run()]
  const again = [refresh({ output: printed('a', 7200) })]
  const stale = { background, refresh: again, refusal: [run(), ...again] }
  expect(validate('refresh-fresh', stale)).toEqual(fails('the same token as in the context background'))
})

test('the token of a normal run may be printed after the ttl by a helper that does not print it after a refusal', () => {
  const again = [refresh({ output: printed('a', 7200) })]
  const after = (refusal: readonly Run[]) =>
    validate('refresh-fresh', {
      background: [run()],
      refresh: again,
      refusal: refusal.length > 0 ? [run(), ...refusal] : [],
    })
  const failed = (stderr: string) => refresh({ ended: { how: 'exited', status: 4 }, output: empty(0), stderr })
  expect([[], [failed('x: refused\n')], [refresh()], [failed('')], again].map(after)).toEqual([
    createNotApplicable('the refusal of its token was not tried'),
    passes('the same token after the ttl, and none after a refusal'),
    passes('the same token after the ttl, and another one after a refusal'),
    fails('the same token as in the context background'),
    fails('the same token as in the context background'),
  ])
})

test('a refresh that takes most of its time is a warning', () => {
  const slow = { background: [run()], refresh: [refresh({ durationMs: 12_000 })] }
  expect(validate('refresh-in-time', slow)).toEqual(warns('it took 12 s of the 20 s that a client waits'))
})

describe('in a refresh, where nothing says when a token ends,', () => {
  const again = [refresh({ output: printed('a') })]
  const runs = { background: [run({ output: printed('a') })], refresh: again, refusal: [run(), ...again] }

  test.each([
    [
      'the token of a normal run is a warning',
      runs,
      {},
      warns('the same token as in the context background, and nothing says when it ends'),
    ],
    [
      'another token is new',
      { ...runs, refresh: [refresh({ output: printed('b') })] },
      {},
      passes('another token than in the runs before'),
    ],
    [
      'the token of a normal run fails with a stated life',
      runs,
      { tokenLifeSec: 900 },
      fails('the same token as in the context background'),
    ],
  ])('%s', (_, given, settings, verdict) => {
    expect(validate('refresh-fresh', given, settings)).toEqual(verdict)
  })
})

test('without a network an earlier token is stale only where a refresh gives another', () => {
  const dead = [refresh({ output: printed('a'), title: 'while every connection is refused' })]
  const seen = { background: [run({ output: printed('a') })], 'network-dead': dead }
  expect({
    otherToken: validate('network-dead', { ...seen, refresh: [refresh()] }),
    sameToken: validate('network-dead', { ...seen, refresh: [refresh({ output: printed('a') })] }),
  }).toEqual({
    otherToken: fails('the same token as in the context background, while every connection is refused'),
    sameToken: passes('a token while every connection is refused after 100 ms'),
  })
})

test('the use of a proxy is unknown where no connection was seen', () => {
  const seen = (proxyConnections: number) => ({
    background: [run()],
    'network-dead': [refresh({ proxyConnections })],
    refresh: [refresh()],
  })
  expect({ unseen: validate('network-proxy', seen(0)), seenOnce: validate('network-proxy', seen(1)) }).toEqual({
    unseen: createNotApplicable('no connection of it was seen'),
    seenOnce: passes('it used the proxy'),
  })
})

test.each<[what: string, changes: Partial<CheckFacts['fileSearch']>, verdict: string, seen: string]>([
  ['nothing', {}, 'pass', 'none under its home, cache and temporary directories'],
  ['a part', { isComplete: false }, 'not-applicable', 'none was found, but there are more files than are looked at'],
  [
    'a secret behind a closed folder',
    { files: [{ path: '/h/c', what: 'the token', isReachable: false }] },
    'warn',
    'the token is in /h/c, which only a closed folder above it keeps from others',
  ],
  [
    'a secret that others can read',
    { files: [{ path: '/h/c', what: 'the token', isReachable: true }], isComplete: false },
    'fail',
    'the token is in /h/c',
  ],
])('the rule about files takes %s into account', (_, changes, verdict, seen) => {
  const fileSearch = { files: [], isComplete: true, ...changes }
  const observed = { background: [run()], 'silent-contexts': [run()] }
  expect(validate('secret-in-files', observed, { fileSearch })).toEqual({ verdict, seen })
})

test('the earliest end that any output states beside a token counts', () => {
  const stating = (fingerprint: string, lifeSec: number): Run['output'] => ({
    ...(printed(fingerprint) as Run['output'] & { ok: true }), // a token without an end of its own
    statedEnd: { source: 'expires_in in its output', at: endsAt + lifeSec * 1000 },
  })
  const later = (output: Run['output']) => run({ output, endedAt: endsAt + 600_000, title: 'later' })
  const again = { background: [run({ output: stating('a', 3600) })], interactive: [later(stating('a', 4200))] }
  const another = { background: [run({ output: stating('a', 3600) })], interactive: [later(stating('b', 4200))] }
  expect({ sameToken: validate('token-life', again), otherToken: validate('token-life', another) }).toEqual({
    sameToken: fails(
      'the token printed later lives 3000 s (expires_in in its output), but the client keeps it for 3600 s',
    ),
    otherToken: passes('at least 3600 s (expires_in in its output), under a ttl of 3600 s'),
  })
})

test('several browsers of runs at once are a warning, because no client promises to wait for one of them', () => {
  const asking = run({ mayPrompt: true, browsers: ['open'] })
  const seen = {
    background: [run()],
    'silent-contexts': [run()],
    interactive: [run()],
    refresh: [refresh()],
    parallel: [asking, asking],
    'after-parallel': [run()],
  }
  expect(validate('parallel-browser', seen)).toEqual(warns('a browser was called 2 times'))
})

test('children of a run that was never seen give no verdict', () => {
  const seen = (nesting: number) => ({ background: [run({ nesting })], 'silent-contexts': [run({ nesting: 0 })] })
  expect({
    unseen: validate('secret-in-children', seen(0)),
    seenOnce: validate('secret-in-children', seen(1)),
  }).toEqual({
    unseen: createNotApplicable('it ended before its processes could be seen'),
    seenOnce: passes('nothing was seen in 2 runs'),
  })
})

test('the rule output-alone does not apply to an output that cannot be read', () => {
  expect(validate('output-alone', { background: [run({ output: empty(0) })] })).toEqual(
    createNotApplicable('there is no token beside which something could stand'),
  )
})

test('a header that is dropped is named', () => {
  const output = { ...(printed('a', 7200) as Run['output'] & { ok: true }), droppedHeaders: ['X-Team'] } // see above
  expect(validate('headers', { background: [run({ output })] })).toEqual(
    warns('the value of the header X-Team is not a string, so a client drops it'),
  )
})

test('a header that not every client sends is a warning', () => {
  const output = { ...(printed('a', 7200) as Run['output'] & { ok: true }), warnings: ['proxy-authorization'] as const }
  expect(validate('headers', { background: [run({ output })] })).toEqual(
    warns('the header proxy-authorization is one that not every client sends'),
  )
})

const absolutePath = 'name an absolute path, and put every argument into the list of arguments'
const notStarted = (code: string): Partial<Run> => ({ ended: { how: 'not-started', code } })

test.each<[what: string, rule: RuleId, given: { run?: Partial<Run>; facts?: Partial<CheckFacts> }, hint?: string]>([
  [
    'a process that holds stdout',
    'ends',
    { run: { ended: { how: 'timeout', process: 'exited' } } },
    'start what it leaves behind with stdout and stderr of its own, such as COMMAND >/dev/null 2>&1 &',
  ],
  [
    'a script of Windows without a first line',
    'starts',
    { facts: { platform: 'win32', command: 'C:\\corp\\helper.ps1', file: 'text-without-shebang' } },
  ],
  [
    'a script of Windows that is not there',
    'starts',
    { run: notStarted('ENOENT'), facts: { platform: 'win32', command: 'C:\\corp\\helper.cmd', file: 'unreadable' } },
    'the file, or the program that starts files of its kind, is not there: correct the path',
  ],
  [
    'a service that has had enough',
    'closed-stdin',
    { run: failedBecause('mint failed\nHTTP 429 Too Many Requests\n') },
    'it says "HTTP 429 Too Many Requests": see why the service answers so; after a pause ask it once more, and keep one token for all runs instead of asking in each',
  ],
  [
    'a variable of the shell',
    'desktop-environment',
    { run: failedBecause('no team\n') },
    "put what it reads from CORP_TEAM into a file of its own or into its arguments; if the document's awsEnv or an administrator sets it for every program, name it with --keep-env",
  ],
  [
    'a name of a file here',
    'command-line',
    { facts: { command: 'helper' } },
    'for the file in this folder write ./helper',
  ],
  ['a name that is nowhere', 'command-line', { facts: { command: 'helper', file: 'unreadable' } }, absolutePath],
  ['a name of a directory here', 'command-line', { facts: { command: 'helper', file: 'directory' } }, absolutePath],
  [
    'a client that passes no arguments',
    'command-line',
    { facts: { client: clients.bazel, args: ['--format', 'bazel'] } },
    'put the arguments into a script, which "$@" ends, and name that; gatepass config init --client writes one',
  ],
  [
    'a directory',
    'starts',
    { run: notStarted('EACCES'), facts: { file: 'directory' } },
    'it is a directory: name the file in it',
  ],
  [
    'a file that is not executable',
    'starts',
    { run: notStarted('EACCES') },
    'make it executable: chmod +x /opt/helper',
  ],
])('%s gets its own advice', (_, rule, given, hint) => {
  const background = run(given.run ?? {})
  // As the runs of its own scenario; what it needs has passed.
  const { scenarios } = toRule(rule)
  const own: ScenarioName[] = scenarios.length > 0 ? [...scenarios] : ['background']
  const observed = new Map(own.map((name) => [name, { runs: [background] }]))
  if (!own.includes('background')) observed.set('background', { runs: [run()] })
  const rows = validateRules([rule], observed, { ...createFacts([background]), ...given.facts })
  expect(rows.map((row) => row.hint)).toEqual([hint])
})

test('a person who is asked to sign in when present is not a failure', () => {
  const asking = run({ mayPrompt: true, browsers: ['open'], ended: { how: 'timeout', process: 'killed' } })
  const seen = { background: [run()], 'silent-contexts': [run()], interactive: [asking] }
  expect({ contexts: validate('every-context', seen), browser: validate('no-browser', seen) }).toEqual({
    contexts: passes('a token in every silent context; in the context interactive it asks a person to sign in'),
    browser: passes('no decoy browser was called'),
  })
})

test.each<[what: string, changes: Partial<Run>, verdict: string]>([
  ['a token', {}, 'pass'],
  [
    'a message',
    { ended: { how: 'exited', status: 6 }, stderr: 'the issuer cannot be reached', output: empty(0) },
    'pass',
  ],
  ['bytes on stdout', { ended: { how: 'exited', status: 6 }, stderr: 'unreachable', output: empty(2) }, 'fail'],
  ['silence', { ended: { how: 'exited', status: 6 }, output: empty(0) }, 'fail'],
  ['nothing with status 0', { stderr: 'unreachable', output: empty(0) }, 'fail'],
  ['a wait', { ended: { how: 'timeout', process: 'killed' }, output: empty(0) }, 'fail'],
  ['a crash', { ended: { how: 'signal', signal: 'SIGSEGV' }, output: empty(0) }, 'fail'],
  ['a stack', { ended: { how: 'exited', status: 1 }, stderr: 'Traceback (most recent …', output: empty(0) }, 'warn'],
])('without a network, %s is a %s', (_, changes, verdict) => {
  const seen = { background: [run()], 'network-dead': [refresh(changes)], refresh: [refresh()] }
  expect(validate('network-dead', seen).verdict).toBe(verdict)
})

function empty(bytes: number): Run['output'] {
  return { bytes, ok: false, reason: 'empty', message: 'stdout is empty although the exit status is 0' }
}

test.each<[what: string, runs: readonly Partial<Run>[], verdict: string]>([
  ['works on a desktop', [{}], 'pass'],
  ['lacks what an administrator may set', [failedBecause('AWS_PROFILE is not set'), {}], 'warn'],
  ['lacks something, and no terminal set a variable', [failedBecause('AWS_PROFILE is not set')], 'warn'],
  ['lacks what only a terminal sets', [failedBecause('TERM is not set'), failedBecause('TERM is not set')], 'fail'],
  [
    'was turned down',
    [failedBecause('HTTP 429 Too Many Requests'), failedBecause('HTTP 429 Too Many Requests')],
    'warn',
  ],
])('the verdict of desktop-environment depends on what the helper finds there: it %s', (_, runs, verdict) => {
  const seen = { background: [run()], 'bare-path': [run()], 'desktop-environment': runs.map((changes) => run(changes)) }
  expect(validate('desktop-environment', seen).verdict).toBe(verdict)
})

function failedBecause(stderr: string): Partial<Run> {
  return { ended: { how: 'exited', status: 1 }, stderr, output: empty(0) }
}

test('the rule does not apply to a helper that ended before it was killed', () => {
  const killed = run({ purpose: 'killed' })
  const seen = {
    background: [run()],
    'silent-contexts': [run()],
    interactive: [run()],
    refresh: [refresh()],
    parallel: [run()],
    'after-kill': [killed, run()],
  }
  expect(validate('after-kill', seen)).toEqual(createNotApplicable('it ended before it was killed'))
})

test('AWS_CREDENTIAL_EXPIRATION ends a token that is made of these credentials', () => {
  const awsKey = { signedAt: endsAt, expiresSec: 3600, signature: 'unknown' } as const
  const output = { ...printed('a'), token: { fingerprint: 'a', bytes: 900, awsKey } } as Run['output'] // a healthy output
  const seen = { background: [run({ output })], refresh: [refresh({ output })] }
  expect({
    without: validate('bedrock-life', seen),
    within: validate('bedrock-life', seen, { credentialsEnd: endsAt + 60_000 }),
  }).toEqual({ without: passes('3600 s'), within: fails('a key claims a life beyond AWS_CREDENTIAL_EXPIRATION') })
})

const [bedrock, external] = keyServices

test.each<[what: string, host: string | undefined, headers: string[], verdict: string, seen: string]>([
  ['no gateway', undefined, [], 'not-applicable', 'no gateway is named (see --base-url)'],
  ['a gateway of its own', 'gateway.example.com', [], 'not-applicable', 'the gateway is not one of AWS itself'],
  [
    'Bedrock in another region',
    'bedrock-runtime.us-east-1.amazonaws.com',
    [],
    'fail',
    'the key is for aws-external-vendor, and this gateway belongs to bedrock',
  ],
  [
    'another region',
    'aws-external-vendor.us-east-1.api.aws',
    [],
    'fail',
    'the key is signed for eu-central-1, and this gateway is in us-east-1',
  ],
  [
    'no workspace',
    'aws-external-vendor.eu-central-1.api.aws',
    [],
    'fail',
    'the header vendor-workspace-id is missing, which aws-external-vendor needs with every request',
  ],
  [
    'all of it',
    'aws-external-vendor.eu-central-1.api.aws',
    ['Vendor-Workspace-Id'],
    'pass',
    'aws-external-vendor in eu-central-1',
  ],
])(
  'a key for the vendor’s service is compared with the gateway of the document: %s',
  (_, host, headers, verdict, seen) => {
    const awsKey = {
      service: external!,
      region: 'eu-central-1',
      signedAt: 0,
      expiresSec: 1,
      signature: 'unknown',
    } as const
    const output = { ...printed('a'), headers, token: { fingerprint: 'a', bytes: 900, awsKey } } as Run['output'] // a healthy output
    const found = validate(
      'key-gateway',
      { background: [run({ output })] },
      host === undefined ? {} : { gatewayHost: host },
    )
    expect(found).toEqual({ verdict, seen: seen })
  },
)

test('a long-term key is a warning that names it', () => {
  const token = parseTokenFacts(`ABSK${Buffer.from('BedrockAPIKey-x-at-111122223333:secret').toString('base64')}`, {})
  const output = { ...printed('a'), token } as Run['output'] // a healthy output
  expect({
    longTerm: validate('long-term-key', { background: [run({ output })] }),
    none: validate('long-term-key', { background: [run()] }),
  }).toEqual({
    longTerm: warns(
      `it prints a long-term ${bedrock?.key}, which works for whoever holds it until somebody deletes it`,
    ),
    none: createNotApplicable('its tokens are not AWS keys'),
  })
})

test('a client that tells the person of a slow helper gets a warning about one', () => {
  const facts = { client: clients['api-key-helper'] }
  const slow = run({ durationMs: 12_000, title: 'when it was run again' })
  expect({
    fast: validate('slow-notice', { background: [run()] }, facts),
    slowOnce: validate('slow-notice', { background: [run(), slow] }, facts),
  }).toEqual({
    fast: passes('at most 100 ms'),
    slowOnce: warns('it took 12 s when it was run again; past 10 s the person sees a notice'),
  })
})

test.each<[what: string, statedSec: number | undefined, verdict: string, seen: string]>([
  ['the end of the token', 7200, 'pass', 'in 7200 s (expires)'],
  ['an earlier end', 600, 'pass', 'in 600 s (expires)'],
  ['a later end', 9000, 'fail', 'it is said to end 1800 s after the token (JWT exp)'],
  ['an end that has passed', -5, 'fail', 'it had ended 5 s earlier (expires)'],
  ['no end', undefined, 'warn', 'it does not say when the credential ends'],
])('%s is compared with what the token says', (_, statedSec, verdict, seen) => {
  const statedEnd = statedSec === undefined ? undefined : { source: 'expires', at: endsAt + statedSec * 1000 }
  const output = { ...printed('a', 7200), statedEnd } as Run['output']
  expect(validate('stated-end', { background: [run({ output })] }, { client: clients.bazel })).toEqual({
    verdict,
    seen,
  })
})

test('a rule about tokens uses what the given client reads', () => {
  const output: Run['output'] = { bytes: 1, ok: false, reason: 'other-format', message: 'nothing to read' }
  const background = [run({ output })]
  expect({
    output: validate('client-output', { background }, { client: clients.git }),
    barePath: validate('bare-path', { background, 'bare-path': background }, { client: clients.git }),
  }).toEqual({
    output: fails('nothing to read'),
    barePath: {
      verdict: 'not-applicable',
      seen: 'skipped: client-output failed',
      because: 'client-output',
    },
  })
})

test('the same credential after a refusal is a warning, unless its life is stated', () => {
  const output = printed('a')
  const observed = { background: [run({ output })], refresh: [refresh({ output })] }
  const codex = { client: clients.codex }
  expect({
    unstated: validate('after-refusal', observed, codex),
    stated: validate('after-refusal', observed, { ...codex, tokenLifeSec: 3600 }),
  }).toEqual({
    unstated: warns(
      'the same credential as in the context background; OpenAI Codex does not say that one was refused, and nothing says when it ends',
    ),
    stated: passes(
      'the same credential as in the context background; OpenAI Codex does not say that one was refused, and it ends by itself',
    ),
  })
})

const refusedAs = (fingerprint: string) => refresh({ output: printed(fingerprint), title: 'told of a refusal' })
const afterIt = (changes: Partial<Run>) => run({ title: 'after the refusal', ...changes })

const withoutToken: Partial<Run> = { ended: { how: 'exited', status: 4 }, output: empty(0) }
const cameBack = ['fail', 'the token that was refused came back after the refusal'] as const

test.each<[what: string, refusal: readonly Run[], verdict: string, seen: string]>([
  [
    'another token',
    [run(), refusedAs('b'), afterIt({ output: printed('b') })],
    'pass',
    'another token after the refusal',
  ],
  ['the refused one', [run(), refusedAs('b'), afterIt({})], ...cameBack],
  ['the refused one, where the refresh had none', [run(), refresh(withoutToken), afterIt({})], ...cameBack],
  ['none', [run(), refusedAs('b'), afterIt(withoutToken)], 'pass', 'none after the refusal'],
  [
    'one that never changes',
    [run(), refusedAs('a'), afterIt({})],
    'not-applicable',
    'the refresh printed the same token; the rule refresh-fresh says whether it may',
  ],
])('after a refusal it prints %s', (_, refusal, verdict, seen) => {
  const observed = { background: [run()], 'silent-contexts': [run()], refresh: [refresh()], refusal }
  expect(validate('refused-again', observed)).toEqual({ verdict, seen })
})

const stale = [
  'fail',
  'two refreshes without a network printed one token, which no run with a network printed',
] as const

test.each<[what: string, dead: Run['output'], hanging: Run['output'], verdict: string, seen: string]>([
  ['one token that nobody has seen', printed('old'), printed('old'), ...stale],
  ['one token that ends earlier', printed('old', 60), printed('old', 60), ...stale],
  [
    'one token that ends later',
    printed('c', 9000),
    printed('c', 9000),
    'pass',
    'a token that ends later than the one in the context background',
  ],
  ['two tokens', printed('c'), printed('d'), 'pass', 'two tokens in two refreshes without a network'],
  ['the token of the refresh', printed('b'), printed('b'), 'pass', 'the token that it printed in mid-session-refresh'],
  ['none', empty(0), printed('b'), 'pass', 'no token in one of the refreshes without a network'],
])('without a network two refreshes print %s', (_, dead, hanging, verdict, seen) => {
  const offline = (output: Run['output']) =>
    refresh({
      isNetworkIntact: false,
      ...(output.ok ? {} : { ended: { how: 'exited', status: 6 }, stderr: 'the issuer cannot be reached' }),
      output,
    })
  const observed = {
    background: [run()],
    'silent-contexts': [run()],
    'network-dead': [offline(dead)],
    'network-hanging': [offline(hanging)],
    refresh: [refresh()],
  }
  expect(validate('stale-offline', observed)).toEqual({ verdict, seen })
})

test.each<[what: string, silent: TokenClaims | undefined, verdict: string, seen: string]>([
  ['the same', { sub: 'dana', aud: 'gateway' }, 'pass', 'the same sub and aud in every context'],
  [
    'of another subject',
    { sub: 'machine', aud: 'gateway' },
    'fail',
    'the sub machine in the context background, the sub dana in the context interactive',
  ],
  [
    'of no audience',
    { sub: 'dana' },
    'fail',
    'no aud in the context background, the aud gateway in the context interactive',
  ],
  ['no JWT', undefined, 'fail', 'no sub in the context background, the sub dana in the context interactive'],
])('beside the token of a person a silent one is %s', (_, claims, verdict, seen) => {
  const claiming = (stated: TokenClaims | undefined) => ({ ...printed('a', 7200), claims: stated }) as Run['output'] // a healthy output
  const person = run({ title: 'in the context interactive', context: 'interactive', mayPrompt: true })
  const observed = {
    background: [run({ output: claiming(claims) })],
    interactive: [{ ...person, output: claiming({ sub: 'dana', aud: 'gateway' }) }],
    'silent-contexts': [run({ output: claiming({ sub: 'dana', aud: 'gateway' }) })],
    refresh: [refresh({ output: claiming({ sub: 'dana', aud: 'gateway' }) })],
  }
  expect(validate('same-identity', observed)).toEqual({ verdict, seen })
})

test('a second token in the object is a failure, another key a warning', () => {
  const repeating = (repeatedKeys: string[]) => ({ ...printed('a', 7200), repeatedKeys }) as Run['output'] // a healthy output
  const verdictOf = (keys: string[]) =>
    validate('repeated-key', { background: [run({ output: repeating(keys) })] }).verdict
  expect([[], ['headers.X-Team'], ['headers', 'token']].map(verdictOf)).toEqual(['pass', 'warn', 'fail'])
})
