import { describe, expect, test } from 'vitest'
import { archiveWorkspace } from '../../../src/gateway/store/workspaces.ts'
import { writeShellHelper } from '../../client/simulation/play.ts'
import { fails } from '../../setup/run-program.ts'
import {
  audience,
  type Claims,
  createIdentityProvider,
  forge,
  issuer,
  nowSec,
} from '../../stand-ins/identity/identity-provider.ts'
import { documentWith, runGatepass, writeTemporary } from '../run-gatepass.ts'
import { exchangeOf, type StageSettings, startExchangeStage } from './exchange-stage.ts'

type Stage = Awaited<ReturnType<typeof startExchangeStage>>

/** Claims whose times count from when the test begins. */
type Making = Claims | (() => Claims)

const make = (claims: Making) => (typeof claims === 'function' ? claims() : claims)

const unmet = (lines: readonly string[] = []) => lines.filter((line) => line.startsWith('✗'))
const undated = (text: string) =>
  text.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'DATE').replace(/\b(fdrl|org|svac|wrkspc)_0\w+/g, '$1_…')

describe('a token exchange that the gateway refuses', () => {
  test.each<
    [
      what: string,
      settings: StageSettings,
      claims: Making,
      more: readonly string[],
      reason: string,
      wrong: readonly string[],
      hint: string,
    ]
  >([
    [
      'another audience',
      {},
      { aud: 'https://other.example' },
      [],
      'claim aud: does not hold',
      [`✗ aud: the token is for "https://other.example", and the rule asks for "${audience}"`],
      `request the identity token for "${audience}", with the option audience or at the identity provider`,
    ],
    [
      'another subject',
      { conditions: { subject: 'repo:team/*' } },
      { sub: 'repo:other/app' },
      [],
      'claim sub: does not match the rule',
      ['✗ sub: its value is "repo:other/app", and the rule asks for "repo:team/*"'],
      'make a rule that accepts sub "repo:other/app", or use an identity that this rule accepts',
    ],
    [
      'another claim, and one that is missing',
      { conditions: { claims: { ref: 'main', environment: 'prod' } } },
      { ref: 'feature' },
      [],
      'claim ref: does not match the rule',
      [
        '✗ claim ref: its value is "feature", and the rule asks for "main"',
        '✗ claim environment: its value is none, and the rule asks for "prod"',
      ],
      'make a rule that accepts ref "feature", or use an identity that this rule accepts',
    ],
    [
      'an issuer that is written otherwise',
      { issuer: `${issuer}/` },
      {},
      [],
      'claim iss: does not hold',
      [`✗ iss: the token is from "${issuer}", and the rule is for "${issuer}/"`],
      'use a token of that issuer, or register this issuer, spelled exactly so; see: gatepass gateway federation issuer --help',
    ],
    [
      'an issuer whose clock is a minute ahead',
      {},
      () => ({ iat: nowSec() + 110, nbf: nowSec() }),
      [],
      'claim iat: in the future',
      ['✗ iat: it was issued at DATE, in 1 min'],
      'have its issuer set the clock',
    ],
    [
      'a platform whose clock is ahead',
      { aheadSec: 3630 },
      {},
      [],
      'claim exp: does not hold',
      [
        "✗ clock: this machine's clock is 60 min behind the platform's",
        "✗ exp: it ends at DATE: in 5 min by this machine's clock, 55 min ago by the platform's",
      ],
      "set the clock of this machine; if it is right, tell the platform's operators that theirs is wrong",
    ],
    [
      'a platform whose clock is behind',
      { aheadSec: -3630 },
      {},
      [],
      'claim nbf: does not hold',
      [
        "✗ clock: this machine's clock is 60 min ahead of the platform's",
        "✗ nbf: it begins at DATE: 0 s ago by this machine's clock, in 1 h 0 min by the platform's",
        "✗ iat: it was issued at DATE: 0 s ago by this machine's clock, in 1 h 0 min by the platform's",
      ],
      "set the clock of this machine; if it is right, tell the platform's operators that theirs is wrong",
    ],
    [
      'another service account',
      {},
      {},
      ['--service-account', 'svac_other'],
      'service account: not the one of the rule',
      ['✗ service account: svac_other, but the rule is for svac_…'],
      'remove the option service-account',
    ],
    [
      'a workspace that does not exist',
      {},
      {},
      ['--workspace', 'wrkspc_other'],
      'workspace: unknown',
      ['✗ workspace: wrkspc_other, which the service account cannot use (unknown)'],
      "name another workspace; see: gatepass gateway workspaces list --db 'DB'",
    ],
  ])(
    'for %s is explained by the condition that fails, with its hint',
    async (_, settings, claims, more, reason, wrong, hint) => {
      const stage = await startExchangeStage(settings)
      const token = await stage.provider.sign(make(claims))
      const exchange = exchangeOf(await stage.diagnose(token, ['--db', stage.db], more))
      // Small differences of time are told as they are.
      const seen = unmet(exchange?.lines)
        .map(undated)
        .map((line) =>
          line
            .replace(/(in 0 s|\d+ s ago)/, '0 s ago')
            .replace('in 4 min', 'in 5 min')
            .replace('61 min', '60 min'),
        )
      const shown = exchange?.hint?.replace(stage.db, 'DB')
      expect({ reasons: stage.reasons(), wrong: seen, hint: shown }).toEqual({ reasons: [reason], wrong, hint })
      // Everything else is right, and nothing is left to guess.
      expect(exchange?.lines.filter((line) => line.startsWith('?'))).toEqual([])
    },
  )

  test('for a token that was exchanged before is explained by that', async () => {
    const stage = await startExchangeStage()
    const token = await stage.provider.sign()
    const first = await stage.diagnose(token, ['--db', stage.db], ['--cache', 'none'])
    expect([first.status, exchangeOf(first)]).toEqual([0, undefined])
    const exchange = exchangeOf(await stage.diagnose(token, ['--db', stage.db], ['--cache', 'none']))
    expect({ reasons: stage.reasons(), wrong: unmet(exchange?.lines), hint: exchange?.hint }).toEqual({
      reasons: [undefined],
      wrong: ['✗ jti: it was exchanged already from this machine, and may be good for one exchange only'],
      hint: 'have the identity token renewed, or use a source that creates a new one each time',
    })
  })

  test('for a token that may be used again is not explained by its second use', async () => {
    const stage = await startExchangeStage({ identityReuse: 'allowed' })
    const token = await stage.provider.sign({ aud: 'other' })
    const exchange = exchangeOf(await stage.diagnose(token, ['--db', stage.db], ['--identity-reuse', 'allowed']))
    expect(exchange?.lines.filter((line) => line.startsWith('✓ jti'))).toEqual([
      '✓ jti: the rule accepts a token more than once',
    ])
    expect(unmet(exchange?.lines).length).toBe(1)
  })

  test('under an unknown rule is explained with the rule that accepts the identity', async () => {
    const stage = await startExchangeStage()
    const more = ['--federation-rule', 'fdrl_other']
    const exchange = exchangeOf(await stage.diagnose(await stage.provider.sign(), ['--db', stage.db], more))
    expect({ reasons: stage.reasons(), wrong: unmet(exchange?.lines), hint: exchange?.hint }).toEqual({
      reasons: ['organization or federation rule: unknown'],
      wrong: [`✗ federation rule: there is no rule fdrl_other; this gateway has ${stage.rule}`],
      hint: `set federation-rule to ${stage.rule}, which accepts this identity`,
    })
  })

  test('under an unknown rule is explained where no rule accepts the identity', async () => {
    const stage = await startExchangeStage()
    const token = await stage.provider.sign({ sub: 'other' })
    const exchange = exchangeOf(await stage.diagnose(token, ['--db', stage.db], ['--federation-rule', 'fdrl_other']))
    expect(exchange?.hint).toBe('make a rule for this identity; see: gatepass gateway federation rule --help')
  })

  test('for another organization is explained by that', async () => {
    const stage = await startExchangeStage()
    const more = ['--organization', 'org_other']
    const exchange = exchangeOf(await stage.diagnose(await stage.provider.sign(), ['--db', stage.db], more))
    expect([unmet(exchange?.lines), exchange?.hint]).toEqual([
      [`✗ organization: org_other, but this gateway belongs to ${stage.seed.organization}`],
      `set organization to ${stage.seed.organization}`,
    ])
  })

  test.each<[what: string, token: () => Promise<string>, wrong: readonly string[]]>([
    [
      'somebody else signed',
      async () => (await createIdentityProvider()).sign(),
      [
        '✗ signature: the signature was not made with a key of the registered key set (ERR_JWS_SIGNATURE_VERIFICATION_FAILED)',
      ],
    ],
    [
      'is signed with a shared key',
      async () => forge({}, { alg: 'HS256' }),
      [
        '✗ form: a JWT of N bytes, signed with "HS256"',
        '✗ signature: the signature was not made with a key of the registered key set (ERR_JOSE_ALG_NOT_ALLOWED)',
      ],
    ],
  ])('for a token that %s is explained by the rules that it breaks', async (_, sign, wrong) => {
    const stage = await startExchangeStage()
    const exchange = exchangeOf(await stage.diagnose(await sign(), ['--db', stage.db]))
    expect(unmet(exchange?.lines)?.map((line) => line.replace(/\d+ bytes/, 'N bytes'))).toEqual(wrong)
  })

  test('into a workspace that was archived since is explained by that', async () => {
    const stage = await startExchangeStage()
    archiveWorkspace(stage.state, stage.seed.workspaces.team)
    const exchange = exchangeOf(await stage.diagnose(await stage.provider.sign(), ['--db', stage.db]))
    expect(unmet(exchange?.lines).map(undated)).toEqual([
      '✗ workspace: wrkspc_…, which the service account cannot use (archived)',
    ])
  })
})

describe('an identity token that the helper does not send', () => {
  test.each<[what: string, claims: Making, more: readonly string[], wrong: string, hint: string]>([
    [
      'has ended',
      () => ({ exp: nowSec() - 70 }),
      [],
      '✗ exp: it ends at DATE, 1 min ago',
      'have it renewed before it ends',
    ],
    [
      'begins later',
      () => ({ nbf: nowSec() + 640 }),
      [],
      '✗ nbf: it begins at DATE, in 10 min',
      'wait until then, or have its issuer set the clock',
    ],
    [
      'is for somebody else than the helper is told',
      {},
      ['--audience', 'https://told.example'],
      `✗ aud: it is for "${audience}", and the helper is told "https://told.example"`,
      'have the identity token made for "https://told.example", or correct the option audience',
    ],
  ])('because it %s is explained by that rule, with its hint', async (_, claims, more, wrong, hint) => {
    const stage = await startExchangeStage()
    const exchange = exchangeOf(await stage.diagnose(await stage.provider.sign(make(claims)), [], more))
    expect({ sent: stage.reasons(), wrong: unmet(exchange?.lines).map(undated), hint: exchange?.hint }).toEqual({
      sent: [],
      wrong: [wrong],
      hint,
    })
  })

  test('because it is not a JWT is explained by that', async () => {
    const stage = await startExchangeStage()
    expect(exchangeOf(await stage.diagnose('canary-no-jwt'))).toEqual({
      lines: ['✗ form: it is not a JWT'],
      hint: 'name the source of a JWT',
    })
  })
})

describe('without the rules of the platform', () => {
  const refused = async (more: readonly string[] = []) => {
    const stage = await startExchangeStage({ conditions: { subject: 'other' } })
    const token = await stage.provider.sign({ canary_claim: 'canary-7f3a91', jti: 'canary-jti' })
    return { stage, outcome: await stage.diagnose(token, more) }
  }

  test('the facts that the platform compares are listed, those that only it knows first', async () => {
    const { outcome } = await refused()
    const exchange = exchangeOf(outcome)
    expect({
      status: outcome.status,
      lines: exchange?.lines
        .map(undated)
        .map((line) => line.replace(/, (in|\d).*/, ', WHEN').replace(/\d+ bytes/, 'N bytes')),
    }).toEqual({
      status: 1,
      lines: [
        '? jti: it is good for one exchange, and the source returns a stored one, which may have been used; have it renewed, then try again',
        `? aud: it is for "${audience}"; the rule says which audience it takes`,
        '? sub: it is about "workload"; the rule says which subjects it takes',
        `? iss: it is from "${issuer}"; the platform must know that issuer, letter by letter`,
        '? organization: org_…',
        '? federation rule: fdrl_…',
        "? service account: not named, so the rule's",
        "? workspace: not named, so the rule's",
        `? signature: only someone with the issuer's keys can verify it (key "stand-in")`,
        '✓ form: a JWT of N bytes, signed with "ES256"',
        "✓ clock: this machine's agrees with the platform's",
        '✓ exp: it ends at DATE, WHEN',
        '✓ nbf: it begins at DATE, WHEN',
        '✓ iat: it was issued at DATE, WHEN',
      ],
    })
    expect(exchange?.hint).toBe(
      "ask the platform's operators to compare the lines with ? with the federation rule, and to look up the request; for a gateway of your own, add its state: --db FILE",
    )
  })

  test('no other claim is shown, in words or as JSON', async () => {
    for (const flags of [[], ['--json']]) {
      const { stage, outcome } = await refused(flags)
      expect(outcome.stdout + outcome.stderr).not.toContain('canary')
      expect(outcome.stdout).toContain(`workload-token: ${new URL(stage.url).host} did not exchange`)
    }
  })

  test('a token that the source makes only to explain the refusal is not sent', async () => {
    const stage: Stage = await startExchangeStage({ conditions: { subject: 'other' } })
    const program = await writeTemporary('print.sh', `echo "${await stage.provider.sign()}"`)
    const identity = ['--identity', 'command', '--identity-command', '/bin/sh', '--identity-command', program]
    const exchange = exchangeOf(await stage.diagnose('', [], identity))
    expect(exchange?.lines.filter((line) => line.includes('jti'))).toEqual([
      '✓ jti: it is good for one exchange, and the source creates a new one each time',
    ])
    expect(stage.reasons()).toEqual(['claim sub: does not match the rule'])
  })
})

describe('no explanation', () => {
  test('is added to a missing source or a gateway that does not answer', async () => {
    const stage = await startExchangeStage()
    const missing = exchangeOf(await stage.diagnose('', [], ['--identity-file', '/nowhere/token']))
    const nobody = await stage.diagnose(await stage.provider.sign(), [], ['--base-url', 'http://127.0.0.1:9'])
    expect([missing, exchangeOf(nobody)]).toEqual([undefined, undefined])
  })

  test('is asked of another helper', async () => {
    const { command } = await writeShellHelper('exit 5')
    const document = JSON.parse(documentWith({ command }))
    document.inference.baseUrl = 'http://127.0.0.1:9'
    const path = await writeTemporary('document.json', JSON.stringify(document))
    expect(exchangeOf(await runGatepass('doctor', path, '--yes'))).toBeUndefined()
  })

  test('is looked for where the state of --db is missing', async () => {
    const stage = await startExchangeStage()
    expect(await stage.diagnose(await stage.provider.sign(), ['--db', '/nowhere/state.db'])).toEqual(
      fails('gatepass', 2, 'there is no state /nowhere/state.db', 'name the file that the gateway was started with'),
    )
    expect(stage.reasons()).toEqual([])
  })
})
