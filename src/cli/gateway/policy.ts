import type { Command } from 'commander'
import type { RefusalReason } from '../../contract/refusal-reasons.ts'
import { HelperError } from '../../runtime/failure.ts'
import type { Host } from '../../runtime/host.ts'
import { renderCounted } from '../../runtime/text/counted.ts'
import { parseJwt } from '../../runtime/tokens/jwt.ts'
import { parseObject } from '../../runtime/values/json-value.ts'
import { toCallerClaims } from '../../verify/aws/parse-answer.ts'
import { applyPolicy } from '../../verify/policy/apply-policy.ts'
import type { PolicyFinding } from '../../verify/policy/finding.ts'
import { policyLimits } from '../../verify/policy/limits.ts'
import type { PolicyReading } from '../../verify/policy/parse-policy.ts'
import type { Policy } from '../../verify/policy/policy.ts'
import { readPolicyFile, readPolicyText, requirePolicy } from '../../verify/policy/read-policy-file.ts'
import { renderPolicySchema } from '../../verify/policy/shape.ts'
import { type Identity, TokenRefusal } from '../../verify/verdict.ts'
import type { Cli } from '../cli.ts'
import { describeSource } from '../read-source.ts'
import { countFindings, renderFindings, toStatus, unreadableStatus } from '../show-findings.ts'
import { readInput } from '../verify/read-input.ts'
import { requireToken } from '../verify/require-token.ts'
import { decodeInput } from '../verify/strip-paste.ts'
import { listPolicyHeaders } from './verifier/recipe.ts'

interface PolicyCheckFlags {
  readonly here?: true
  readonly strict?: true
  readonly json?: true
}

/** `gatepass gateway policy …`: the file that says whom a verifier lets pass. */
export function addGatewayPolicy(gateway: Command, cli: Cli): void {
  const policy = gateway.command('policy').description('check the policy of a verifier, and try its rules')
  addPolicyCheck(policy, cli)
  addPolicyTry(policy, cli)
  addPolicySchema(policy, cli)
}

/** `gatepass gateway policy check`: what is wrong with a policy, and how to fix it. */
function addPolicyCheck(policy: Command, cli: Cli): void {
  policy
    .command('check')
    .description('say what is wrong with a policy, and how to fix it')
    .argument(
      '<file>',
      'the policy, or - for standard input; files with keys that it names are read beside it, or here',
    )
    .option('--here', 'also check this machine: can somebody else write the files')
    .option('--strict', 'end with 1 on warnings too')
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExit status: 0 without errors, 1 with errors, 2 if the file cannot be read.')
    .action(async (file: string, flags: PolicyCheckFlags) => check(cli, file, flags))
}

async function check({ host, terminal, setExitStatus }: Cli, file: string, flags: PolicyCheckFlags): Promise<void> {
  const reading = await readPolicy(host, file, flags)
  const status = computeStatus(reading, flags)
  setExitStatus(status)
  const { findings, policy } = reading
  if (flags.json)
    terminal.print(
      `${JSON.stringify({ status, document: describeSource(file), findings, headers: policy && listPolicyHeaders(policy) }, undefined, 2)}\n`,
    )
  else
    terminal.print(
      `${renderFindings(findings, terminal.paint, titles)}${describeConclusions(reading, status)}\n${describeHeaders(reading)}`,
    )
}

/** @throws {HelperError} `usage` for `--here` with standard input, which is not a file. */
async function readPolicy({ streams }: Host, file: string, { here }: PolicyCheckFlags): Promise<PolicyReading> {
  if (file !== '-') return readPolicyFile(file, here ? 'its owner' : 'anybody')
  if (here)
    throw new HelperError(
      'usage',
      '--here checks who can write the file, and standard input is not a file',
      'name the file, or remove --here',
    )
  return readPolicyText(await streams.stdin(policyLimits.fileBytes + 1, () => false), '.', 'anybody')
}

function computeStatus({ findings }: PolicyReading, { strict }: PolicyCheckFlags): 0 | 1 | 2 {
  if (findings.some(isUnreadable)) return unreadableStatus
  return strict && findings.some(({ severity }) => severity === 'warning') ? 1 : toStatus(findings)
}

/** Findings about the whole file mean that it cannot be read, unless they are about its mode or owner. */
function isUnreadable({ path, severity, code }: PolicyFinding): boolean {
  return path === '' && severity === 'error' && code !== 'file-mode' && code !== 'file-owner'
}

const titles = {
  error: 'Errors: no verifier starts with this, and one that runs keeps its earlier policy',
  warning: 'Warnings: this works, but is rarely intended',
} as const

function describeConclusions({ policy, findings }: PolicyReading, status: 0 | 1 | 2): string {
  const count = countFindings(findings)
  if (status === unreadableStatus) return 'The policy cannot be read.'
  if (!policy) return `This policy does not work as it stands: ${count}.`
  if (status === 1) return `This policy has warnings, which --strict does not accept: ${count}.`
  const rules = renderCounted(policy.rules.length, 'rule')
  return `This policy works, with ${rules}: ${count}.`
}

/** Reminds of the headers that every gateway must clear: a header that it does not know passes from the caller to the model. */
function describeHeaders({ policy }: PolicyReading): string {
  const names = policy ? listPolicyHeaders(policy) : []
  if (names.length === 0) return ''
  return `The gateway has to remove these headers from what a caller sends, and set them: ${names.join(', ')}.\n`
}

/** `gatepass gateway policy schema`: for editors and other validators. */
function addPolicySchema(policy: Command, { terminal }: Cli): void {
  policy
    .command('schema')
    .description('print the JSON Schema (2020-12) of a policy')
    .action(() => terminal.print(`${JSON.stringify(renderPolicySchema(), undefined, 2)}\n`))
}

const helpText = `
Standard input is a JWT, the output of a helper that prints one, or claims as JSON; of an AWS identity what
\`aws sts get-caller-identity\` prints. Nothing of it is verified: no signature, no time.

Exit status: 0 if a rule lets it pass, 1 if none does, 2 if there is nothing to try.`

/** `gatepass gateway policy try`: which rule would let somebody pass, and with which headers. */
function addPolicyTry(policy: Command, cli: Cli): void {
  policy
    .command('try')
    .description('say which rule would let the claims on standard input pass, and with which headers')
    .argument('<file>', 'the policy')
    .option('--json', 'print one JSON document')
    .addHelpText('after', helpText)
    .action(async (file: string, flags: { readonly json?: true }) => runPolicyTest(cli, file, flags))
}

async function runPolicyTest(
  { host, terminal, setExitStatus }: Cli,
  file: string,
  flags: { json?: true },
): Promise<void> {
  if (file === '-')
    throw new HelperError(
      'usage',
      'standard input has the person to try, and cannot have the policy as well',
      'name the file of the policy; to check a policy from standard input: gatepass gateway policy check -',
    )
  const policy = requirePolicy(file, await readPolicyFile(file, 'anybody'))
  const { text } = decodeInput(await readInput(host, undefined))
  if (text.trim() === '')
    throw new HelperError(
      'usage',
      'standard input is empty',
      'pipe a JWT, the output of a helper, or claims as JSON in',
    )
  const outcome = attempt(parseIdentity(text), policy)
  const status = outcome.passes ? 0 : 1
  setExitStatus(status)
  if (flags.json) terminal.print(`${JSON.stringify({ status, ...outcome }, undefined, 2)}\n`)
  else terminal.print(renderOutcome(outcome))
}

/**
 * The identity that a text would have if it were verified: claims as JSON, the AWS CLI's description of a caller, or a JWT.
 * @throws {HelperError} `usage` for anything else; the message repeats nothing of it.
 */
function parseIdentity(text: string): Identity {
  const members = parseObject(text.trim())
  if (typeof members?.iss === 'string') return fromClaims(members)
  if (typeof members?.Arn === 'string') return fromCaller(members.Arn, members)
  const claims = parseJwt(requireToken(text).token.reveal())?.claims
  if (claims) return fromClaims(claims)
  throw new HelperError(
    'usage',
    'what was given is neither a JWT nor claims with iss',
    'give the claims as JSON; for a proof of an AWS identity give what `aws sts get-caller-identity` prints',
  )
}

function fromClaims(claims: Readonly<Record<string, unknown>>): Identity {
  return {
    kind: 'jwt',
    issuer: String(claims.iss),
    subject: String(claims.sub),
    claims,
    issuedAt: undefined,
    expiresAt: Number.POSITIVE_INFINITY,
  }
}

function fromCaller(arn: string, { Account: account, UserId: userId }: Readonly<Record<string, unknown>>): Identity {
  const partition = arn.split(':')[1] ?? ''
  return {
    kind: 'aws-identity',
    issuer: 'AWS STS',
    subject: arn,
    claims: toCallerClaims({ arn, account: String(account), userId: String(userId) }, partition),
    issuedAt: undefined,
    expiresAt: Number.POSITIVE_INFINITY,
  }
}

/** The decision of the rules about one set of claims. */
type TrialResult =
  | {
      readonly passes: true
      readonly rule: string
      readonly use: string
      readonly headers: Readonly<Record<string, string>>
    }
  /** The reason that the caller would get, and the words in the log of the verifier. */
  | { readonly passes: false; readonly reason: string; readonly detail?: string; readonly note?: string }

function attempt(identity: Identity, policy: Policy): TrialResult {
  const problem = validateTrust(identity, policy)
  if (problem) return { passes: false, ...problem }
  try {
    const { rule, headers } = applyPolicy(identity, policy)
    return { passes: true, rule: rule.name, use: rule.use, headers }
  } catch (thrown) {
    if (!(thrown instanceof TokenRefusal)) throw thrown
    const { reason, detail, note } = thrown
    return { passes: false, reason, ...(detail !== undefined && { detail }), ...(note !== undefined && { note }) }
  }
}

/** Validates what the policy requires before any rule is looked at, as far as the claims alone show it. */
function validateTrust(
  { kind, issuer, claims }: Identity,
  { jwt, aws }: Policy,
): { readonly reason: RefusalReason; readonly detail: string } | undefined {
  if (kind === 'aws-identity') return validateAwsTrust(claims, aws)
  const trust = jwt.find((each) => each.issuer === issuer)
  if (!trust) return { reason: 'issuer', detail: 'the policy has no such issuer' }
  const audiences = [claims.aud].flat()
  if (claims.aud === undefined || trust.audiences.some((audience) => audiences.includes(audience))) return undefined
  return { reason: 'audience', detail: `its audience is not one of ${trust.audiences.join(', ')}` }
}

function validateAwsTrust({ partition }: Identity['claims'], aws: Policy['aws']): ReturnType<typeof validateTrust> {
  if (!aws) return { reason: 'unknown-kind', detail: 'the policy accepts no proof of an AWS identity' }
  if (aws.partitions.some((id) => id === partition)) return undefined
  return { reason: 'host', detail: `its partition is not one of ${aws.partitions.join(', ')}` }
}

function renderOutcome(outcome: TrialResult): string {
  if (!outcome.passes) return `It does not pass: ${outcome.note ?? outcome.detail} (${outcome.reason}).\n`
  const { rule, use, headers } = outcome
  const rows = Object.entries(headers).map(([name, value]) => `  ${name}: ${value}\n`)
  const often = use === 'once' ? 'once' : 'as often as it is sent'
  const what = rows.length === 0 ? 'without headers.' : 'with these headers:'
  return `The rule ${JSON.stringify(rule)} lets it pass ${often}, ${what}\n${rows.join('')}`
}
