import { expect, test } from 'vitest'
import { describePolicyEvent } from '../../../../src/cli/gateway/verifier/open-verifier.ts'
import { describeStart } from '../../../../src/cli/gateway/verifier/serve-until-signal.ts'
import { startIssuerWatch } from '../../../../src/cli/gateway/verifier/start-issuer-watch.ts'
import type { IssuerState, KeyFinder } from '../../../../src/verify/jwt/key-finder.ts'
import { createPolicyFinding } from '../../../../src/verify/policy/policy-finding.ts'
import { type LogEntry, openBoundedLog } from '../../../../src/verify/server/log.ts'

const issuer = 'https://idp.example'
const unknown: IssuerState = {
  issuer,
  standing: 'none',
  keys: 0,
  unused: [],
  fetchedAt: undefined,
  failure: undefined,
}
const known: IssuerState = { ...unknown, standing: 'fresh', keys: 2, fetchedAt: 1 }
const failure = { at: 2, says: 'idp.example answered HTTP 503 at /keys' }

/** Opens a log whose lines are kept: level, event and message of each, and what stands beside it. */
function openLog() {
  const lines: string[] = []
  const write = (line: string) => void lines.push(line.replace('1970-01-01T00:00:00.000Z ', '').trimEnd())
  return { lines, log: openBoundedLog({ format: 'text', now: () => 0, write }) }
}

function render(entries: readonly LogEntry[]): string[] {
  const { lines, log } = openLog()
  for (const entry of entries) log.tell(entry)
  return lines
}

test.each<[what: string, before: IssuerState[], after: IssuerState[], lines: string[]]>([
  [
    'keys that were fetched',
    [unknown],
    [known],
    [`info keys: the keys of ${issuer} were fetched issuer=${issuer} keys=2`],
  ],
  [
    'keys that are not used',
    [unknown],
    [{ ...known, unused: ['key 1 is not for signatures (use)'] }],
    [`info keys: the keys of ${issuer} were fetched issuer=${issuer} keys=2 unused=key 1 is not for signatures (use)`],
  ],
  ['nothing new', [known], [known], []],
  [
    'an issuer that never answered',
    [unknown],
    [{ ...unknown, failure }],
    [
      `warning keys-unavailable: the keys of ${issuer} cannot be fetched: its tokens are refused issuer=${issuer} cause=${failure.says}`,
    ],
  ],
  [
    'one that fails on in the same way',
    [{ ...unknown, failure }],
    [{ ...unknown, failure: { ...failure, at: 9 } }],
    [],
  ],
  [
    'an issuer that is away',
    [known],
    [{ ...known, failure }],
    [
      `warning keys-unavailable: the keys of ${issuer} cannot be fetched: earlier keys are used issuer=${issuer} cause=${failure.says}`,
    ],
  ],
  [
    'an issuer that is back',
    [{ ...known, failure }],
    [{ ...known, fetchedAt: 3 }],
    [`info keys: the keys of ${issuer} were fetched issuer=${issuer} keys=2`],
  ],
])('the log names %s', (_, before, after, expected) => {
  const { lines, log } = openLog()
  const states = [before]
  const parts = { states: () => states.shift() ?? after, prepare: async () => {} }
  const keys = parts as unknown as KeyFinder // nothing else is used
  startIssuerWatch({ keys, trusts: () => [], log }).close()
  expect(lines).toEqual(expected)
})

test('the log names what happens to the file of the policy', () => {
  const digest = '0123456789abcdef'
  const findings = [
    createPolicyFinding('no-rules', 'rules', 'nobody passes', 'add a rule'),
    createPolicyFinding('unknown-key', 'rule', 'there is no such key', 'write rules'),
  ]
  const lines = render([
    describePolicyEvent('p.json', { kind: 'loaded', digest, findings: [] }),
    describePolicyEvent('p.json', { kind: 'replaced', digest, findings: findings.slice(0, 1) }),
    describePolicyEvent('p.json', { kind: 'kept', digest, findings }),
    describePolicyEvent('p.json', { kind: 'recovered', digest }),
  ])
  expect(lines).toEqual([
    'info policy: p.json is in force policy=0123456789ab',
    'info policy: p.json has changed and is in force policy=0123456789ab warnings=1',
    'error policy-refused: p.json cannot be used, and the earlier policy stays in force: rule: there is no such key policy=0123456789ab',
    'info policy: p.json is in force again policy=0123456789ab',
  ])
})

test('the log warns of an address that other machines can reach', () => {
  const listen = { kind: 'tcp', host: '0.0.0.0', port: 80 } as const
  const adminListen = { kind: 'socket', path: '/run/admin' } as const
  expect(render(describeStart({ listen, adminListen }, { policy: 'p.json' }))).toEqual([
    'info listening: gateways ask at http://0.0.0.0:80 policy=p.json admin=unix:/run/admin',
    'warning open: http://0.0.0.0:80 can be reached by other machines, and nothing encrypts what they send',
  ])
})
