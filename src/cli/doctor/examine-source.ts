import { isSignIn, type SignInCredential } from '../../client/credentials/sign-in-settings.ts'
import { describeHelperRun } from '../../client/doctor/describe-helper-run.ts'
import { examineCredential } from '../../client/doctor/examine-credential.ts'
import { credentialParts, type Part, type PartOutcome, skipParts } from '../../client/examination.ts'
import { type HelperRun, runCredentialHelper } from '../../client/launch/run-credential-helper.ts'
import { checkMachine } from '../../config/check/machine.ts'
import { detectSystem } from '../../config/check/rule.ts'
import type { GatewayInference, HelperScriptCredential } from '../../config/document.ts'
import type { Finding } from '../../config/finding.ts'
import type { ReadResult } from '../../config/read/read-document.ts'
import type { Diagnosis, DiagnosisLine, Permission } from '../../helper/diagnosis.ts'
import { exitStatus } from '../../runtime/failure.ts'
import { isSecureAddress } from '../../runtime/network/addresses.ts'
import { Secret } from '../../runtime/secret.ts'
import { quoteForHint } from '../../runtime/text/quote.ts'
import { programName } from '../../version.ts'
import { renderCommand } from '../ask-to-run.ts'
import { checkReadResult } from '../check-with-helper.ts'
import type { Cli } from '../cli.ts'
import { createTurnFetch } from '../network.ts'
import { createMachineFiles } from '../read-source.ts'
import { renderFindingCounts } from '../show-findings.ts'
import { askHelper, diagnoseAgain, type RepeatedCall } from './diagnose-again.ts'
import { examineClock } from './examine-clock.ts'
import type { SignInConsent } from './examine-sign-in.ts'

/** Examines the document, with every finding of reading and checking it on this machine. */
export async function examineDocument(cli: Cli, result: ReadResult, source: string): Promise<Part> {
  const os = detectSystem(cli.host.platform)
  const checked = await checkReadResult(cli, result, { os }, 'this machine')
  const onMachine = await checkMachine(result, os, createMachineFiles(cli.host))
  const findings = [...checked, ...onMachine].map((finding) => acceptLoopback(finding, result))
  const shown = findings.filter(({ severity }) => severity !== 'info')
  const error = shown.find(({ severity }) => severity === 'error')
  const isBroken = error !== undefined || result.document === undefined
  return {
    part: 'document',
    outcome: isBroken ? 'bad' : shown.length > 0 ? 'note' : 'good',
    lines: [renderFindingCounts(findings), ...shown.map(renderFinding)],
    ...(error && { cause: error.path === '' ? error.message : `${error.path}: ${error.message}` }),
    ...(isBroken && { hint: describeNextStep(result, source) }),
  }
}

/** Accepts http for a provider on this machine, as helpers do; a document for other machines needs https. */
export function acceptLoopback(finding: Finding, { document }: ReadResult): Finding {
  const { credential } = document?.inference ?? {}
  const { issuer, authorizationUrl, tokenUrl } = isSignIn(credential) ? (credential.oidc ?? {}) : {}
  const addresses = [issuer, authorizationUrl, tokenUrl].flatMap((url) => URL.parse(url ?? '') ?? [])
  const isOnMachine = addresses.every((address) => isSecureAddress(address))
  if (finding.code !== 'insecure-url' || !isOnMachine) return finding
  return { ...finding, severity: 'warning', message: `${finding.message}; on this machine alone it is tried over http` }
}

function renderFinding({ code, message, hint, ...finding }: Finding): string {
  return `${nameField(finding)}: ${message} (${code})${hint === '' ? '' : ` → ${hint}`}`
}

/** Suggests `config check` only for a readable document, and not for standard input, which cannot be read again. */
function describeNextStep({ document }: ReadResult, source: string): string {
  if (document === undefined) return 'name a document that can be read'
  const check =
    source === '-' ? '' : `; see how a client applies it: ${programName} config check --here ${quoteForHint(source)}`
  return `correct the document first${check}`
}

function nameField({ path }: Pick<Finding, 'path'>): string {
  return path === '' ? 'the document' : path
}

/** Obtains the credential as in the client's connection test, and sends one turn with it. */
export async function examineSource(
  cli: Cli,
  inference: GatewayInference,
  { db, consent }: { readonly db: string | undefined; readonly consent: SignInConsent },
): Promise<Part[]> {
  const { credential } = inference
  if (!credential) return skipParts(...credentialParts.helper)
  switch (credential.kind) {
    case 'helper-script':
      return examineHelper(cli, inference, credential, db)
    case 'static': {
      const held = { token: new Secret(credential.apiKey ?? ''), headers: {} }
      const helper: Part = { part: 'helper', outcome: 'good', lines: ['none: the key is in the document'] }
      return [helper, ...(await examineCredential(inference, held, 0, await createTurnFetch(cli.host)))]
    }
    case 'interactive':
    case 'external-idp': {
      // Loaded here, because only a sign-in needs this code.
      const { examineSignIn } = await import('./examine-sign-in.ts')
      const parts = await examineSignIn(cli, inference, credential, consent)
      return [...parts, ...(await examineProviderClock(cli, credential, parts))]
    }
  }
}

async function examineHelper(
  cli: Cli,
  inference: GatewayInference,
  credential: HelperScriptCredential,
  db: string | undefined,
): Promise<Part[]> {
  const helper: Part = { part: 'helper', outcome: 'good', lines: [renderCommand(credential)] }
  const run = await runCredentialHelper(credential, 'setup-test', cli.host)
  const found = await diagnoseAgain(cli, credential, run.ok ? 'succeeded' : 'failed')
  const diagnosis = found?.diagnosis
  const said = found && (await askHelper(cli, credential, found))
  // A diagnosis under other names is not about this helper.
  const repeated = said ? undefined : found
  const described = [
    helper,
    explainRun(describeHelperRun(run, credential), run.stderr, diagnosis),
    ...(said ? [said] : describeIdentity(repeated)),
  ]
  if (!run.ok) {
    // Loaded here, because only a failed exchange needs the code that verifies signatures.
    const { examineExchange } = await import('./examine-exchange.ts')
    const exchange = repeated && run.reason === 'exit-status' ? await examineExchange(cli, repeated, db) : []
    const urls = [...(diagnosis?.clocks ?? []), inference.baseUrl]
    const clock = await examineClock(cli, urls, isAboutTime(run) ? 'bad' : 'note')
    return [...described, ...exchange, ...clock, ...skipParts('token', 'gateway')]
  }
  const parts = await examineCredential(inference, run.credential, credential.ttlSec, await createTurnFetch(cli.host))
  return [...described, ...explainGateway(parts, diagnosis)]
}

/** Compares the clock with the provider's, unless the provider does not answer, or the gateway's clock already differs. */
async function examineProviderClock(cli: Cli, { oidc }: SignInCredential, parts: readonly Part[]): Promise<Part[]> {
  const isDone = parts.some(({ part, outcome }) => part === 'clock' || (part === 'provider' && outcome === 'bad'))
  if (isDone) return []
  const isRefused = parts.some(({ part, outcome }) => part === 'sign-in' && outcome === 'bad')
  return examineClock(cli, [oidc?.issuer ?? oidc?.tokenUrl ?? []].flat(), isRefused ? 'bad' : 'note')
}

/** Explains a failed run by the permission that AWS reports as missing. */
export function explainRun(part: Part, stderr: string, diagnosis: Diagnosis | undefined): Part {
  if (part.outcome !== 'bad' || !/AccessDenied|NotAuthorized|Forbidden/.test(stderr)) return part
  const permissions = diagnosis?.permissions ?? []
  const missing = listActions(stderr).filter((name) => permissions.some(({ action }) => action === name))
  const advised = addPolicy(part, missing, permissions)
  // Some helpers print the statement themselves.
  return stderr.includes('"Effect":"Allow"') ? { ...advised, lines: part.lines } : advised
}

/** Explains the parts about the token and the gateway by the missing permission, or by the algorithm that the gateway may not accept. */
export function explainGateway(parts: readonly Part[], diagnosis: Diagnosis | undefined): Part[] {
  const algorithm = parts.find(({ part }) => part === 'token')?.algorithm
  return parts.map((part) => {
    const { status } = part.answer ?? {}
    if (part.outcome !== 'bad' || (status !== 401 && status !== 403)) return part
    const missing = listMissing(part)
    return missing.length > 0
      ? addPolicy(part, missing, diagnosis?.permissions)
      : explainAlgorithm(part, algorithm, diagnosis)
  })
}

/**
 * Lists the action that AWS names, otherwise those in our hint; empty if a policy denies it, because no permission can override a denial.
 */
function listMissing({ answer, hint = '' }: Part): string[] {
  if (hint.includes('explicit deny')) return []
  return answer?.denied === undefined ? listActions(hint) : [answer.denied]
}

/** Some gateways accept only RS256, others only ES384, and few report it. */
function explainAlgorithm(part: Part, algorithm: string | undefined, diagnosis: Diagnosis | undefined): Part {
  const { option, values = [] } = diagnosis?.algorithm ?? {}
  const { message = '', reason } = part.answer ?? {}
  if (reason !== undefined && reason !== 'algorithm') return part // the verifier's reason is another one
  const other = values.find((value) => value !== algorithm)
  if (algorithm === undefined || other === undefined || !values.includes(algorithm)) return part
  const line = `the token is signed with ${algorithm}; a gateway that takes ${other} only refuses it`
  const change = `set the helper's option ${option} to ${other}`
  // If the gateway mentions algorithms, they are the cause; otherwise they are one more thing to try.
  const isNamed = reason === 'algorithm' || message.includes(other) || /\balg(orithm)?\b/i.test(message)
  const hint = isNamed ? change : `${part.hint}; or, if it takes ${other} only, ${change}`
  return { ...part, lines: [...part.lines, line], hint }
}

const marks: Readonly<Record<DiagnosisLine['status'], string>> = { good: '✓', note: '!', bad: '✗', unknown: '?' }

/** Describes the helper's identity as one part, with the settings that lead to it; empty without a description of it. */
function describeIdentity(repeated: Pick<RepeatedCall, 'diagnosis' | 'settings'> | undefined): Part[] {
  const observations = repeated?.diagnosis.identity ?? []
  if (!repeated || observations.length === 0) return []
  const steps = observations.flatMap(({ status, text, details = [] }) => [
    `${marks[status]} ${text}`,
    ...details.map((detail) => `  ${detail}`),
  ])
  const lines = [...repeated.settings, ...steps]
  const first = (status: DiagnosisLine['status']) => observations.find((observation) => observation.status === status)
  const bad = first('bad')
  const hint = (bad ?? first('note'))?.hint
  const clock = bad && /^clock: (.*)/.exec(bad.text)?.[1]
  return [
    {
      part: 'identity',
      outcome: toOutcome(observations),
      lines,
      ...(bad && { cause: clock ?? bad.text }),
      ...(clock !== undefined && { isClock: true }),
      hint,
    },
  ]
}

/** Returns whether a wrong clock could explain a failure: a sign-in or a token was refused, or the helper mentions the time. */
function isAboutTime({ stderr, ...run }: HelperRun & { readonly ok: false }): boolean {
  if (run.status === exitStatus['sign-in-required'] || run.status === exitStatus.refused) return true
  return run.reason === 'exit-status' && /\b(expired?|not yet valid|clock|skew|too (early|late|old))\b/i.test(stderr)
}

function toOutcome(observations: readonly DiagnosisLine[]): PartOutcome {
  const has = (...statuses: DiagnosisLine['status'][]) => observations.some(({ status }) => statuses.includes(status))
  if (has('bad')) return 'bad'
  return has('note', 'unknown') ? 'note' : 'good'
}

/** An action of AWS in a text of ours, such as a hint. */
const actionPattern = /\b[a-z][a-z0-9-]{1,40}:[A-Z][A-Za-z]{2,80}\b/g

function listActions(text: string): string[] {
  return [...new Set(text.match(actionPattern))]
}

/** Adds the policy statements for the missing actions to a part, one a line. */
function addPolicy(part: Part, missing: readonly string[], permissions: readonly Permission[] = []): Part {
  if (missing.length === 0) return part
  const statements = missing.map((name) => toStatement(name, permissions))
  return {
    ...part,
    lines: [
      ...part.lines,
      'to allow it, add to a policy of the identity:',
      ...statements.map((statement) => `  ${JSON.stringify(statement)}`),
    ],
    policy: { Version: '2012-10-17', Statement: statements },
  }
}

/** An action that is unknown to the helper is allowed on every resource, because only AWS knows the resource. */
function toStatement(name: string, permissions: readonly Permission[]): object {
  const known = permissions.find((permission) => permission.action === name)
  const { resource, condition } = known ?? { resource: '*' }
  return { Effect: 'Allow', Action: name, Resource: resource, ...(condition && { Condition: condition }) }
}
