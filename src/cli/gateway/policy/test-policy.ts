import { basename, dirname, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { Command } from 'commander'
import { HelperError, outcomeStatus } from '../../../runtime/failure.ts'
import { parseJwt } from '../../../runtime/tokens/jwt.ts'
import { locateFindings, noPositions, type Positions } from '../../../runtime/values/position.ts'
import type { ProviderQuestion } from '../../../verify/introspection/provider-introspection.ts'
import { createIssuerKeys } from '../../../verify/jwt/issuer-keys.ts'
import { parseObjectFile } from '../../../verify/policy/parse-object-file.ts'
import { policyKind } from '../../../verify/policy/parse-policy.ts'
import type { Policy } from '../../../verify/policy/policy.ts'
import { createPolicyFinding, type PolicyFinding } from '../../../verify/policy/policy-finding.ts'
import { readBoundedFile, readPolicyText, requirePolicy } from '../../../verify/policy/read-policy-file.ts'
import { parseRequestFacts } from '../../../verify/policy/request-condition.ts'
import { type RequestRate, renderRate, toRate } from '../../../verify/policy/request-rate.ts'
import { createMemoryReplayStore } from '../../../verify/replay/memory-replay-store.ts'
import { TokenRefusal } from '../../../verify/verdict.ts'
import { createVerifier, type VerifierSettings } from '../../../verify/verifier/create-verifier.ts'
import { programName } from '../../../version.ts'
import type { Cli } from '../../cli.ts'
import {
  createFormatOption,
  createJsonOption,
  type FindingsFormat,
  type FindingsGuide,
  formatRenderers,
} from '../../config/render-findings.ts'
import { createFetch } from '../../network.ts'
import {
  type CheckedDocument,
  type CheckedFinding,
  computeStatus,
  renderFindingCounts,
  strictOption,
  toStatus,
  unreadableStatus,
  type WarningAcceptance,
} from '../../show-findings.ts'
import { type CasesReading, type PolicyCase, parseCases } from './cases.ts'
import {
  decideByRules,
  findIdentity,
  requireSupposed,
  type TrialResult,
  toRefusedTrial,
  toRuleLimits,
} from './trial.ts'

const helpText = `
The cases stand in a file beside the policy, policy.test.json for policy.json:

  { "cases": [
      { "name": "a developer passes",
        "claims": { "iss": "https://login.example.com", "groups": ["llm"] },
        "expect": { "rule": "people", "headers": { "x-groups": "llm" } } },
      { "name": "nobody else does",
        "claims": { "iss": "https://login.example.com", "groups": ["staff"] },
        "expect": { "refused": "no-rule" } } ] }

A case with "claims" tests the rules alone. A case with "token" in their place is verified by the keys of the policy, at the time "now".
No provider is asked whether a token is active: a case says with "provider" what it would answer, and "active" is the default.

Exit status: ${outcomeStatus.done} if every case ends as it says, ${outcomeStatus.no} if one does not, or with --strict if no case reaches a rule, ${outcomeStatus.usage} if the cases cannot be used.`

/** Adds `gatepass gateway policy test`: whether a policy's decisions are those in a file of cases. */
export function addPolicyTest(policy: Command, cli: Cli): void {
  policy
    .command('test')
    .description('run the cases beside a policy, and say which rules no case reaches')
    .argument('<file>', 'the policy')
    .option('--cases <file>', 'the cases (default: the file beside the policy that ends in .test.json)')
    .option(strictOption[0], `${strictOption[1]}, such as a rule that no case reaches`)
    .addOption(createFormatOption())
    .addOption(createJsonOption())
    .addHelpText('after', helpText)
    .action(async (file: string, flags: PolicyTestFlags) => runPolicyTest(cli, file, flags))
}

interface PolicyTestFlags {
  readonly cases?: string
  readonly strict?: true
  readonly format: FindingsFormat
  readonly json?: true
}

async function runPolicyTest(cli: Cli, file: string, flags: PolicyTestFlags): Promise<void> {
  const tested = await readTested(file, flags.cases ?? join(dirname(file), toCasesName(basename(file))))
  const results = await runCases(cli, tested)
  const documents = [toCheckedCases(tested, results), ...toCheckedPolicy(tested, results)]
  const failing = documents.map((document) => withStatus(document, flags.strict ? 'strict' : 'usual'))
  cli.setExitStatus(computeStatus(failing))
  cli.terminal.print(formatRenderers[flags.json ? 'json' : flags.format](failing, cli.terminal.paint, guide))
}

/** Returns the name of the file of cases for a policy: `policy.test.json` for `policy.json`. */
function toCasesName(name: string): string {
  return `${name.replace(/\.json$/i, '')}.test.json`
}

/** A policy with its cases, as they were read. */
interface Tested {
  readonly policyFile: string
  readonly policy: Policy
  readonly policyPositions: Positions
  readonly casesFile: string
  readonly reading: CasesReading
}

/** @throws {HelperError} `not-configured` for a policy with errors, `usage` if the file of cases cannot be read. */
async function readTested(policyFile: string, casesFile: string): Promise<Tested> {
  const bytes = await readBoundedFile(policyFile, 'anybody')
  const isRead = bytes instanceof Uint8Array
  const found = isRead ? await readPolicyText(bytes, policyFile, 'anybody') : { policy: undefined, findings: [bytes] }
  const policy = requirePolicy(policyFile, found)
  const policyPositions = isRead ? parseObjectFile(bytes, policyKind).positions : noPositions
  const content = await readBoundedFile(casesFile, 'anybody')
  if (content instanceof Uint8Array)
    return { policyFile, policy, policyPositions, casesFile, reading: parseCases(content, policy) }
  throw new HelperError(
    'usage',
    `the cases of ${policyFile} cannot be read: ${content.message}`,
    `write them there, or name their file with --cases; see an example: ${programName} gateway policy test --help`,
  )
}

interface CaseResult {
  readonly path: string
  readonly name: string
  readonly outcome: TrialResult
  readonly findings: readonly CheckedFinding[]
}

async function runCases({ host }: Cli, { reading: { cases = [] }, policy }: Tested): Promise<CaseResult[]> {
  const fetch = createFetch(host)
  const keys = createIssuerKeys({ fetch, now: () => host.clock.now() })
  const results: CaseResult[] = []
  for (const [index, each] of cases.entries()) {
    const path = `cases[${index}]`
    const now = each.now === undefined ? host.clock.now() : Date.parse(each.now)
    const outcome = await runCase(each, { policy, keys, fetch, now })
    const findings = [...compareOutcome(each, outcome, path), ...validateLife(each, path, host.clock.now())]
    results.push({ path, name: each.name, outcome, findings })
  }
  return results
}

interface CaseWorld extends Pick<VerifierSettings, 'keys' | 'fetch'> {
  readonly policy: Policy
  /** Epoch milliseconds. */
  readonly now: number
}

/** Claims are decided by the rules alone; a token by a verifier of its own, without earlier tokens. */
async function runCase(
  { claims, token, request = {}, provider = 'active' }: PolicyCase,
  { policy, now, ...parts }: CaseWorld,
): Promise<TrialResult> {
  const identity = claims && findIdentity(claims)
  if (identity) return decideByRules(identity, policy, request, provider)
  const replay = createMemoryReplayStore({ now: () => now })
  const introspection = {
    isKnownActive: () => false,
    requireActive: async (_: string, question: ProviderQuestion) => requireSupposed(provider, question),
    identify: async () => {
      throw new TokenRefusal('introspection-unavailable', {
        note: 'a case with such a token needs claims in its place',
      })
    },
  }
  const verifier = createVerifier({ ...parts, policy: () => policy, now: () => now, replay, introspection })
  const verdict = await verifier.verify(token ?? '', () => parseRequestFacts(request))
  if (verdict.outcome === 'refused') return toRefusedTrial(verdict.refusal)
  const rule = policy.rules.find(({ name }) => name === verdict.rule)! // verdicts name rules of this policy
  return { passes: true, ...toRuleLimits(rule, policy, verdict.identity), headers: verdict.headers }
}

function compareOutcome({ name, expect }: PolicyCase, outcome: TrialResult, path: string): CheckedFinding[] {
  const found = describeDifference(expect, outcome)
  if (found === undefined) return []
  const hint = 'correct the policy, or the case if this is meant'
  return [{ ...createPolicyFinding('case-failed', path, `${name}: ${found}`, hint), title: name }]
}

/** Describes the difference between the two outcomes; `undefined` if they are equal. */
function describeDifference(expect: PolicyCase['expect'], outcome: TrialResult): string | undefined {
  if (!outcome.passes) {
    if (outcome.reason === expect.refused) return undefined
    const why = outcome.note ?? outcome.detail
    return `expected ${describeExpected(expect)}, and it is refused: ${outcome.reason}${why ? `, ${why}` : ''}`
  }
  if (outcome.rule !== expect.rule)
    return `expected ${describeExpected(expect)}, and the rule ${JSON.stringify(outcome.rule)} lets it pass`
  const limit = expect.limit && describeLimit(toRate(expect.limit), outcome.limit)
  return limit ?? (expect.headers && describeHeaders(expect.headers, outcome.headers))
}

function describeExpected({ rule, refused }: PolicyCase['expect']): string {
  return rule === undefined ? `a refusal (${refused})` : `the rule ${JSON.stringify(rule)}`
}

function describeLimit(expected: RequestRate, found: RequestRate | undefined): string | undefined {
  if (found && isDeepStrictEqual(found, expected)) return undefined
  return `its limit is ${found ? renderRate(found) : 'absent'}, not ${renderRate(expected)}`
}

/** Empty headers need not be listed. */
function describeHeaders(
  expected: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>>,
): string | undefined {
  const wanted = new Map(Object.entries(expected).map(([name, value]) => [name.toLowerCase(), value]))
  const names = [...new Set([...wanted.keys(), ...Object.keys(headers)])]
  const wrong = names.filter((name) => (wanted.get(name) ?? '') !== (headers[name] ?? ''))
  const words = wrong.map(
    (name) => `${name} is ${JSON.stringify(headers[name] ?? '')}, not ${JSON.stringify(wanted.get(name) ?? '')}`,
  )
  return words.length === 0 ? undefined : words.join('; ')
}

/** A reader of the file could use a token that has not expired. */
function validateLife({ token }: PolicyCase, path: string, now: number): PolicyFinding[] {
  const exp = token === undefined ? undefined : parseJwt(token)?.claims.exp
  if (typeof exp !== 'number' || exp * 1000 <= now) return []
  const message = 'the token has not expired, and whoever reads this file can use it'
  return [
    createPolicyFinding('token-live', `${path}.token`, message, 'write one that has expired, and its time as now'),
  ]
}

function toCheckedCases({ casesFile, reading }: Tested, results: readonly CaseResult[]): CheckedDocument {
  const findings = [
    ...reading.findings,
    ...locateFindings(
      results.flatMap((result) => result.findings),
      reading.positions,
    ),
  ]
  const failed = new Set(findings.filter(({ code }) => code === 'case-failed').map(({ path }) => path))
  const passed = results.filter(({ path }) => !failed.has(path)).map(({ name }) => name)
  const conclusion = reading.cases
    ? `Cases that end as expected: ${passed.length} of ${results.length}.`
    : `These cases cannot be used: ${renderFindingCounts(findings)}.`
  return {
    source: casesFile,
    status: reading.cases ? toStatus(findings) : unreadableStatus,
    findings,
    conclusion,
    passed,
  }
}

/** Reports the rules by which no case passes; empty if no case was run. */
function toCheckedPolicy(
  { policyFile, policy, policyPositions, reading }: Tested,
  results: readonly CaseResult[],
): CheckedDocument[] {
  if (!reading.cases) return []
  const reached = new Set(results.flatMap(({ outcome }) => (outcome.passes ? [outcome.rule] : [])))
  const findings = policy.rules.flatMap(({ name }, index) =>
    reached.has(name) ? [] : [reportUnreached(name, `rules[${index}]`)],
  )
  return [
    {
      source: policyFile,
      status: outcomeStatus.done,
      findings: locateFindings(findings, policyPositions),
      conclusion: `Rules that let a case pass: ${reached.size} of ${policy.rules.length}.`,
    },
  ]
}

function reportUnreached(name: string, path: string): PolicyFinding {
  const message = `no case passes by the rule ${JSON.stringify(name)}`
  return createPolicyFinding('rule-unreached', path, message, 'add a case that this rule lets pass')
}

function withStatus(document: CheckedDocument, acceptance: WarningAcceptance): CheckedDocument {
  return document.status === outcomeStatus.done
    ? { ...document, status: toStatus(document.findings, acceptance) }
    : document
}

const guide: FindingsGuide = {
  titles: {
    error: 'Errors: cases that end in another way, or cannot be used',
    warning: 'Warnings: the cases hold, but something is left to do',
    info: 'Good to know',
  },
  files: 'files',
  help: 'Each result says how to fix it. docs/gateways/policy.md says what a case is.',
}
