import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { checkRollout } from '../../src/bootstrap/check-rollout.ts'
import { readRollout } from '../../src/bootstrap/read-rollout.ts'
import { checkDocument } from '../../src/config/check/check-document.ts'
import { parseDocument } from '../../src/config/read/read-document.ts'
import { runHere } from '../cli/run-here.ts'
import { prints } from '../setup/run-program.ts'
import { temporaryDirectory } from '../setup/temporary-directory.ts'
import { baseDocument, createRollout } from './rollout-folder.ts'

/** What `bootstrap check` finds: severity, place and code of each finding, and what it ends with. */
async function check(files: Parameters<typeof createRollout>[0], ...argv: string[]) {
  const { stdout, stderr, status } = await runHere([
    'bootstrap',
    'check',
    await createRollout(files),
    '--json',
    ...argv,
  ])
  const { findings, combinations } = JSON.parse(stdout) as {
    findings: Record<string, string>[]
    combinations: { groups: string[] }[]
  }
  const rows = findings.map(({ severity, file, path, line, code }) =>
    [severity, `${file}:${line ?? ''}`, path, code].join(' '),
  )
  return { status, stderr, findings: rows, combinations: combinations.map(({ groups }) => groups.join('+')) }
}

const overlay = { inference: { streamIdleTimeoutSec: 600 } }
const eng = { name: 'eng', claims: { groups: ['eng'] }, overlays: ['o/eng.json'] }
const eu = { name: 'eu', claims: { country: ['DE'] }, overlays: ['o/eu.json'] }

describe('bootstrap check', () => {
  test('says that everything is valid, and counts the documents', async () => {
    const folder = await createRollout({ 'rollout.json': { groups: [eng] }, 'o/eng.json': overlay })
    expect(await runHere(['bootstrap', 'check', folder])).toEqual(
      prints('This can be published: nothing to report. 2 combinations of groups can occur, with 2 documents.\n'),
    )
  })

  const together = ['', 'eu', 'eng', 'eng+eu']
  test.each<[what: string, rollout: object, findings: string[], combinations: string[]]>([
    [
      'refuses groups that contradict one another without an order',
      { groups: [eng, eu] },
      ['error rollout.json:15 groups[1].name groups-overlap-unordered'],
      together,
    ],
    [
      'accepts groups that contradict one another in an order',
      { groups: [eng, eu].map((group, index) => ({ ...group, precedence: index + 1 })) },
      [],
      together,
    ],
    [
      'accepts groups that nobody can be in together',
      { singleValued: ['country'], groups: [{ ...eng, claims: { country: ['FR'] } }, eu] },
      [],
      ['', 'eu', 'eng'],
    ],
    [
      'refuses groups of one choice without an order',
      { groups: [eng, eu].map((group) => ({ ...group, choice: 'c' })) },
      ['error rollout.json:16 groups[1].name groups-overlap-unordered'],
      ['', 'eng', 'eu'],
    ],
  ])('%s', async (_, rollout, findings, combinations) => {
    const overlays = { 'o/eng.json': overlay, 'o/eu.json': { inference: { streamIdleTimeoutSec: 900 } } }
    const status = findings.some((line) => line.startsWith('error ')) ? 1 : 0
    expect(await check({ ...overlays, 'rollout.json': rollout })).toEqual({
      status,
      stderr: '',
      findings,
      combinations,
    })
  })

  const [one, two] = ['https://one.example.com', 'https://two.example.com']
  const findingsOf = async (...[groups, ...argv]: [object[], ...string[]]) =>
    (await check({ 'o/eng.json': overlay, 'rollout.json': { groups } }, ...argv)).findings
  const issuerMissing = 'warning rollout.json:4 groups[0].name issuer-missing'

  test('finds a group without an issuer where another group names one', async () => {
    const findings = {
      alone: await findingsOf([eng]),
      beside: await findingsOf([eng, { ...eng, name: 'other', issuer: two }]),
    }
    expect(findings).toEqual({ alone: [], beside: [issuerMissing] })
  })

  test('compares the issuers of groups with those that the policy trusts', async () => {
    const policy = join(await temporaryDirectory(), 'policy.json')
    const trust = (issuer: string) => ({ issuer, audiences: ['models'] })
    const rule = (issuer: string) => ({
      name: issuer.slice(8, 11),
      issuer,
      claims: { team: ['red'] },
      headers: { 'x-user': '{sub}' },
    })
    const write = (issuers: string[]) =>
      writeFile(policy, JSON.stringify({ issuers: issuers.map(trust), rules: issuers.map(rule) }))
    const findingsBeside = async (issuers: string[], group: object) => {
      await write(issuers)
      return findingsOf([group], '--policy', policy)
    }
    expect({
      openBesideOne: await findingsBeside([one], eng),
      twoBesideOne: await findingsBeside([one], { ...eng, issuer: two }),
      openBesideBoth: await findingsBeside([one, two], eng),
      oneBesideBoth: await findingsBeside([one, two], { ...eng, issuer: one }),
    }).toEqual({
      openBesideOne: [],
      twoBesideOne: ['warning rollout.json:13 groups[0].issuer issuer-untrusted'],
      openBesideBoth: [issuerMissing],
      oneBesideBoth: [],
    })
  })

  test('finds overlays and groups that nobody gets, and values that no document keeps', async () => {
    const groups = [
      { ...eng, overlays: ['o/eng.json', 'o/more.json'], precedence: 1 },
      { ...eu, claims: { groups: ['*'] }, choice: 'c', precedence: 3 },
      { ...eu, name: 'hidden', claims: { groups: ['x'] }, choice: 'c', overlays: ['o/hidden.json'], precedence: 2 },
    ]
    const found = await check({
      'rollout.json': { groups },
      'o/eng.json': overlay,
      'o/more.json': { inference: { streamIdleTimeoutSec: 700, sessionLifetimeSec: null } },
      'o/eu.json': { inference: { sessionLifetimeSec: 40_000 } },
      'o/hidden.json': { inference: { sessionLifetimeSec: 50_000 } },
      'o/forgotten.json': {},
    })
    expect(found.findings).toEqual(
      [
        'error rollout.json:30 groups[2].name group-hidden',
        'warning o/eng.json:  overlay-without-effect',
        'warning o/forgotten.json:  overlay-unused',
        'warning o/hidden.json:  overlay-without-effect',
        'warning o/eng.json:3 inference.streamIdleTimeoutSec value-overridden',
      ].toSorted(byWeight),
    )
  })

  const oldClientAndBadHeader = {
    'rollout.json': {
      groups: [eng],
      clients: [{ release: '2.7032.0' }, { release: '1.14271.0', systems: ['linux'] }],
    },
    'o/eng.json': { inference: { streamIdleTimeoutSec: 600, customHeaders: { Authorization: 'x' } } },
  }

  test('checks each document for every client in use, and names file, line, people and clients', async () => {
    expect(await runHere(['bootstrap', 'check', await createRollout(oldClientAndBadHeader)])).toEqual({
      status: 1,
      stderr: '',
      stdout: `Errors: this is not published
  o/eng.json: inference.streamIdleTimeoutSec  newer-than-client  line 3, column 5
    clients read this from 1.44121.1 on, and this one is 1.14271.0 (everybody in eng, client 1.14271.0 on linux)
    → update the client to 1.44121.1, or do without
  o/eng.json: inference.customHeaders.Authorization  header-refused  line 5, column 7
    "Authorization" belongs to the client and cannot be set (everybody in eng)
    → remove it: these headers are for routing, credentials come from the credential source

This cannot be published: 2 errors. 2 combinations of groups can occur, with 2 documents.
`,
    })
  })

  test('has the people and clients of a finding in its message as JSON', async () => {
    const { stdout } = await runHere(['bootstrap', 'check', await createRollout(oldClientAndBadHeader), '--json'])
    const { findings } = JSON.parse(stdout)
    const messages = findings.map(({ file, line, code, message }: Record<string, string>) => [
      file,
      line,
      code,
      message,
    ])
    expect(messages).toEqual([
      [
        'o/eng.json',
        3,
        'newer-than-client',
        'clients read this from 1.44121.1 on, and this one is 1.14271.0 (everybody in eng, client 1.14271.0 on linux)',
      ],
      ['o/eng.json', 5, 'header-refused', '"Authorization" belongs to the client and cannot be set (everybody in eng)'],
    ])
  })

  test('finds each field that a served document may not hold, in every form', async () => {
    const found = await check({
      'rollout.json': {
        served: { url: 'https://config.example.com/bootstrap', authentication: 'server-issued-credential' },
      },
      'base.json': {
        ...baseDocument,
        bootstrapUrl: 'https://config.example.com/other',
        trustBootstrapDelivery: true,
        expiresAt: 2_000_000_000,
        inference: {
          ...baseDocument.inference,
          credential: { kind: 'external-idp', oidc: { clientId: 'c', issuer: 'https://127.0.0.1:8080' } },
        },
      },
    })
    expect(found).toEqual({
      status: 1,
      stderr: '',
      findings: [
        'error base.json:5 inference.baseUrl url-origin-pinned',
        'error base.json:10 inference.credential.oidc.issuer url-loopback-served',
        'error base.json:14 bootstrapUrl trust-anchor-served',
        'error base.json:15 trustBootstrapDelivery trust-anchor-served',
        'warning base.json:16 expiresAt expiry-written',
      ],
      combinations: [''],
    })
  })

  const withKey = (apiKey: string) => ({
    'rollout.json': {},
    'base.json': { inference: { ...baseDocument.inference, credential: { kind: 'static', apiKey } } },
  })

  test('refuses a literal key in a release', async () => {
    expect(await runHere(['bootstrap', 'check', await createRollout(withKey('sk-vendor-1234567890'))])).toEqual({
      status: 1,
      stdout: `Errors: this is not published
  base.json: inference.credential.apiKey  placeholder-key  line 7, column 7
    it is a placeholder, not a key
    → set it to the API key of the gateway
  base.json: inference.credential.apiKey  secret-in-release  line 7, column 7
    it is a secret, which everybody could read who can read the release
    → use another kind of credential, which gives every person one of their own; or write {secret.NAME} in its place, and give the server the secret with --secret

This cannot be published: 2 errors. 1 combination of groups can occur, with 1 document.
`,
      stderr: '',
    })
  })

  test('accepts the name of a key that the server has', async () => {
    expect(await check(withKey('{secret.KEY}'))).toEqual({
      status: 0,
      findings: [],
      stderr: '',
      combinations: [''],
    })
  })

  test('reports a credential in a header also where the server fills it in', async () => {
    const withHeader = (text: string) => ({
      inference: { ...baseDocument.inference, customHeaders: { 'x-key': text } },
    })
    const checked = await check({ 'rollout.json': {}, 'base.json': withHeader('Bearer {secret.KEY}') })
    const served = checkDocument(parseDocument(Buffer.from(JSON.stringify(withHeader('Bearer 1234567890')))))
    expect({ ...checked, served: served.map(({ severity, path, code }) => `${severity} ${path} ${code}`) }).toEqual({
      status: 1,
      findings: ['error base.json:11 inference.customHeaders.x-key credential-in-headers'],
      stderr: '',
      combinations: [''],
      served: ['error inference.customHeaders.x-key credential-in-headers', 'info  consent-asked'],
    })
  })

  test('names the header that has a secret', async () => {
    const overlay = { inference: { customHeaders: { 'x-team': 'eng', 'x-gateway-key': 'Token {secret.KEY}' } } }
    const groups = [{ name: 'eng', claims: { groups: ['eng'] }, overlays: ['o/eng.json'] }]
    const folder = await createRollout({ 'rollout.json': { groups }, 'o/eng.json': overlay })
    const { status, stdout, stderr } = await runHere(['bootstrap', 'check', folder])
    expect({ status, stderr, found: stdout.split('\n').slice(4, 7) }).toEqual({
      status: 1,
      stderr: '',
      found: [
        '  o/eng.json: inference.customHeaders.x-gateway-key  secret-in-release  line 5, column 7',
        '    it is a secret, which everybody could read who can read the release (everybody in eng)',
        '    → remove it; a credential comes from inference.credential',
      ],
    })
  })

  test('refuses a header value that the server could fill in for nobody', async () => {
    const inference = { ...baseDocument.inference, baseUrl: 'https://gateway.example.com/{claims.team}' }
    const headers = { 'x-team': '{claims.team}' }
    const { status, findings } = await check({
      'rollout.json': {},
      'base.json': { inference: { ...inference, customHeaders: headers } },
    })
    expect({ status, findings: findings.filter((finding) => finding.endsWith('personal-value-wrong')) }).toEqual({
      status: 1,
      findings: ['error base.json:4 inference.baseUrl personal-value-wrong'],
    })
  })

  test('refuses files that are outside the folder or missing', async () => {
    const overlays = ['../x.json', '/etc/passwd', 'o/./y.json', 'o/none.json']
    expect(await check({ 'rollout.json': { groups: [{ ...eng, overlays }] } })).toEqual({
      status: 1,
      findings: [
        'error rollout.json:11 groups[0].overlays[0] file-outside',
        'error rollout.json:12 groups[0].overlays[1] file-outside',
        'error rollout.json:13 groups[0].overlays[2] file-outside',
        'error rollout.json:14 groups[0].overlays[3] file-unreadable',
      ],
      stderr: '',
      combinations: [],
    })
  })

  test('refuses a folder without rollout.json', async () => {
    expect(await check({})).toEqual({
      status: 2,
      findings: ['error rollout.json:  file-unreadable'],
      stderr: '',
      combinations: [],
    })
  })

  test('reports a bad byte anywhere in an overlay or in rollout.json as a finding or takes it as a value', async () => {
    const good = { 'rollout.json': JSON.stringify({ groups: [eng] }), 'o/eng.json': JSON.stringify(overlay) }
    const badBytes = ['\u0000', '\n', '"', '{', '\ud800', 'é']
    // One of them at each position, and each at every sixth.
    const changed = Object.entries(good).flatMap(([name, text]) =>
      Array.from(text, (_, at) => ({
        [name]: text.slice(0, at) + badBytes[at % badBytes.length] + text.slice(at + 1),
      })),
    )
    const isUnderstood = async (files: object) => {
      const source = await readRollout(await createRollout({ ...good, ...files }))
      const { documents, findings } = await checkRollout(source, async (result, client) =>
        checkDocument(result, client),
      )
      return documents.length === 2 || findings.some(({ severity }) => severity === 'error')
    }
    const understood = await Promise.all(changed.map(isUnderstood))
    expect(changed.filter((_, index) => !understood[index])).toEqual([])
  })
})

function byWeight(a: string, b: string): number {
  const weight = (row: string) => ['error', 'warning', 'info'].indexOf(row.split(' ')[0]!)
  return weight(a) - weight(b) || (a.split(' ')[1]! < b.split(' ')[1]! ? -1 : 1)
}
