import type { Command } from 'commander'
import { HelperError, outcomeStatus } from '../../../runtime/failure.ts'
import type { Host } from '../../../runtime/host.ts'
import { renderCounted } from '../../../runtime/text/counted.ts'
import { renderJson } from '../../../runtime/values/json-value.ts'
import type { PolicyReading } from '../../../verify/policy/parse-policy.ts'
import type { PolicyFinding } from '../../../verify/policy/policy-finding.ts'
import { policyLimits } from '../../../verify/policy/policy-limits.ts'
import { createPolicySchema } from '../../../verify/policy/policy-shape.ts'
import { readPolicyFile, readPolicyText, requirePolicy } from '../../../verify/policy/read-policy-file.ts'
import { computeRecipeDigest, findRecipeTerms, listPolicyHeaders } from '../../../verify/policy/recipe-terms.ts'
import type { RequestFacts } from '../../../verify/policy/request-condition.ts'
import { renderRate } from '../../../verify/policy/request-rate.ts'
import { createTenantsSchema, readTenantsFile } from '../../../verify/tenants/tenants-file.ts'
import { programName } from '../../../version.ts'
import type { Cli } from '../../cli.ts'
import { describeSource } from '../../read-source.ts'
import { renderFindingCounts, renderFindings, strictOption, toStatus, unreadableStatus } from '../../show-findings.ts'
import { jsonOption } from '../../terminal.ts'
import { decodeInput } from '../../verify/pasted-token.ts'
import { readInput } from '../../verify/read-input.ts'
import { createCasesSchema } from './cases.ts'
import { addPolicyTest } from './test-policy.ts'
import { decideByRules, parseIdentity, type TrialResult } from './trial.ts'

/** Adds `gatepass gateway policy …`: the file that defines whom a verifier lets pass. */
export function addGatewayPolicy(gateway: Command, cli: Cli): void {
  const policy = gateway.command('policy').description('check the policy of a verifier, and try and test its rules')
  addPolicyCheck(policy, cli)
  addPolicyTry(policy, cli)
  addPolicyTest(policy, cli)
  addPolicySchema(policy, cli)
}

/** Adds `gatepass gateway policy check`: the problems of a policy, and their fixes. */
function addPolicyCheck(policy: Command, cli: Cli): void {
  policy
    .command('check')
    .description('say what is wrong with a policy, and how to fix it')
    .argument(
      '<file>',
      'the policy, or - for standard input; files with keys that it names are read beside it, or here',
    )
    .option('--here', 'also check this machine: can somebody else write the files')
    .option(...strictOption)
    .option('--tenants', 'the file names tenants: check it, and the policy of each')
    .option('--json', 'print one JSON document, with the digest that a recipe of the policy carries')
    .addHelpText(
      'after',
      `\nExit status: ${outcomeStatus.done} without errors, ${outcomeStatus.no} with errors, ${outcomeStatus.usage} if the file cannot be read.`,
    )
    .action(async (file: string, flags: PolicyCheckFlags) => check(cli, file, flags))
}

interface PolicyCheckFlags {
  readonly here?: true
  readonly strict?: true
  readonly tenants?: true
  readonly json?: true
}

async function check(cli: Cli, file: string, flags: PolicyCheckFlags): Promise<void> {
  const { host, terminal, setExitStatus } = cli
  if (flags.tenants) return checkTenants(cli, file, flags)
  const { status, ...reading } = await checkPolicy(host, file, flags)
  setExitStatus(status)
  if (flags.json) terminal.print(renderJson(toDocument(file, { status, ...reading })))
  else terminal.print(renderReading({ status, ...reading }, terminal))
}

interface CheckedPolicy extends PolicyReading {
  readonly status: 0 | 1 | 2
}

async function checkPolicy(host: Host, file: string, flags: PolicyCheckFlags): Promise<CheckedPolicy> {
  const reading = await readPolicy(host, file, flags)
  return { ...reading, status: computeStatus(reading, flags) }
}

function toDocument(file: string, { status, findings, policy }: CheckedPolicy) {
  const terms = policy && findRecipeTerms(policy)
  return {
    status,
    document: describeSource(file),
    findings,
    headers: policy && listPolicyHeaders(policy),
    recipeDigest: terms && computeRecipeDigest(terms),
  }
}

function renderReading(checked: CheckedPolicy, { paint }: Pick<Cli['terminal'], 'paint'>): string {
  const { findings, status } = checked
  return `${renderFindings(findings, paint, titles)}${describeConclusions(checked, status)}\n${describeHeaders(checked)}${describeIntrospection(checked)}`
}

/** Checks a file of tenants, and the policy of each; the worst determines the exit status. */
async function checkTenants(
  { host, terminal, setExitStatus }: Cli,
  file: string,
  flags: PolicyCheckFlags,
): Promise<void> {
  if (file === '-')
    throw new HelperError(
      'usage',
      'the policies of tenants are found beside their file, so that standard input cannot be checked',
      'name the file of the tenants',
    )
  const { tenants, findings } = await readTenantsFile(file, flags.here ? 'its owner' : 'anybody')
  const checked = await Promise.all(
    (tenants?.tenants ?? []).map(async ({ name, policy: path }) => {
      const checkedPolicy = await checkPolicy(host, path, flags)
      return { name, document: toDocument(path, checkedPolicy), text: renderReading(checkedPolicy, terminal) }
    }),
  )
  const policyStatus = computeStatus({ policy: undefined, findings }, flags)
  const status = [policyStatus, ...checked.map(({ document }) => document.status)].reduce((worst, each) =>
    each > worst ? each : worst,
  )
  setExitStatus(status)
  if (flags.json) {
    const rows = checked.map(({ name, document }) => ({ name, ...document }))
    const document = { status, document: describeSource(file), findings, tenants: rows }
    terminal.print(renderJson(document))
    return
  }
  const conclusion = tenants
    ? `The file has ${renderCounted(tenants.tenants.length, 'tenant')}: ${renderFindingCounts(findings)}.`
    : `No verifier starts with this file: ${renderFindingCounts(findings)}.`
  const parts = checked.map(({ name, text }) => `\nTenant ${name}:\n${text}`)
  terminal.print(`${renderFindings(findings, terminal.paint, titles)}${conclusion}\n${parts.join('')}`)
}

/** @throws {HelperError} `usage` for `--here` with standard input, because it is not a file. */
async function readPolicy({ streams }: Host, file: string, { here }: PolicyCheckFlags): Promise<PolicyReading> {
  if (file !== '-') return readPolicyFile(file, here ? 'its owner' : 'anybody')
  if (here)
    throw new HelperError(
      'usage',
      '--here checks who can write the file, and standard input is not a file',
      'name the file, or remove --here',
    )
  return readPolicyText(await streams.stdin(policyLimits.fileBytes + 1, () => false), file, 'anybody')
}

function computeStatus({ findings }: PolicyReading, { strict }: PolicyCheckFlags): 0 | 1 | 2 {
  if (findings.some(isUnreadable)) return unreadableStatus
  return toStatus(findings, strict ? 'strict' : 'usual')
}

/** A finding about the whole file means that it cannot be read, unless it is about its mode or owner. */
function isUnreadable({ path, severity, code }: PolicyFinding): boolean {
  return path === '' && severity === 'error' && code !== 'file-mode' && code !== 'file-owner'
}

const titles = {
  error: 'Errors: no verifier starts with this, and one that runs keeps its earlier policy',
  warning: 'Warnings: this works, but is rarely intended',
} as const

function describeConclusions({ policy, findings }: PolicyReading, status: 0 | 1 | 2): string {
  const count = renderFindingCounts(findings)
  if (status === unreadableStatus) return 'The policy cannot be read.'
  if (!policy) return `This policy does not work as it stands: ${count}.`
  if (status === outcomeStatus.no) return `This policy has warnings, which --strict does not accept: ${count}.`
  const rules = renderCounted(policy.rules.length, 'rule')
  return `This policy works, with ${rules}: ${count}.`
}

/** Lists the headers that every gateway must remove: a gateway forwards unknown headers from the caller to the model. */
function describeHeaders({ policy }: PolicyReading): string {
  const names = policy ? listPolicyHeaders(policy) : []
  if (names.length === 0) return ''
  return `The gateway has to remove these headers from what a caller sends, and set them: ${names.join(', ')}.\n`
}

/** Describes how providers are asked about tokens, if the policy requires it. */
function describeIntrospection({ policy }: PolicyReading): string {
  const asked = policy?.jwt.flatMap((trust) => (trust.introspection ? [{ ...trust.introspection, trust }] : [])) ?? []
  return asked
    .map(({ trust: { issuer }, url, clientId, cacheSec, whileUnavailable, answers, opaqueTokens }) => {
      const skipping = policy?.rules.filter(
        ({ identities, introspection }) =>
          introspection === 'skipped' && identities !== 'aws' && identities.issuer === issuer,
      )
      const names = skipping?.map(({ name }) => JSON.stringify(name)).join(', ')
      const except = names ? ` except by ${names}` : ''
      const when = cacheSec === 0 ? 'for each request' : `once in ${renderCounted(cacheSec, 'second')} for each token`
      const signed = answers === 'signed' ? ' Its answers have to be signed.' : ''
      const opaque =
        opaqueTokens === 'asked'
          ? ' Tokens that are not JWTs are sent there too, and refused without a good answer.'
          : ''
      const unknown = whileUnavailable === 'refuse' ? 'refused' : 'let through'
      return `Tokens of ${issuer} have to be active${except}: the verifier asks ${url} as ${clientId}, ${when}; while it gives no good answer they are ${unknown}.${signed}${opaque}\n`
    })
    .join('')
}

/** Adds `gatepass gateway policy try`: the rule that would let an identity pass, and the headers. */
function addPolicyTry(policy: Command, cli: Cli): void {
  policy
    .command('try')
    .description('say which rule would let the claims on standard input pass, and with which headers')
    .argument('<file>', 'the policy')
    .option(...jsonOption)
    .option('--host <host>', 'the host of the request, for rules with a request')
    .option('--method <method>', 'its method, such as POST')
    .option('--path <path>', 'its path as the caller sends it, such as /v1/messages')
    .option('--model <name>', 'the name of its model')
    .addHelpText('after', tryHelpText)
    .action(async (file: string, flags: PolicyTryFlags) => runPolicyTrial(cli, file, flags))
}

/** Adds `gatepass gateway policy schema`: for editors and other validators. */
function addPolicySchema(policy: Command, { terminal }: Cli): void {
  policy
    .command('schema')
    .description('print the JSON Schema (2020-12) of a policy')
    .option('--cases', `that of a file with cases, for ${programName} gateway policy test`)
    .option('--tenants', `that of a file with tenants, for ${programName} gateway verifier --tenants`)
    .action(({ cases, tenants }: { cases?: true; tenants?: true }) => {
      const schema = tenants ? createTenantsSchema() : cases ? createCasesSchema() : createPolicySchema()
      terminal.print(renderJson(schema))
    })
}

const tryHelpText = `
Standard input is a JWT, the output of a helper that prints one, or claims as JSON; for an AWS identity, it is what \`aws sts get-caller-identity\` prints. Neither signature nor time is verified.

Exit status: ${outcomeStatus.done} if a rule lets it pass, ${outcomeStatus.no} if none does, ${outcomeStatus.usage} if there is nothing to try.`

interface PolicyTryFlags extends RequestFacts {
  readonly json?: true
}

async function runPolicyTrial(
  { host, terminal, setExitStatus }: Cli,
  file: string,
  { json, ...request }: PolicyTryFlags,
): Promise<void> {
  if (file === '-')
    throw new HelperError(
      'usage',
      'standard input has the person to try, and cannot have the policy as well',
      `name the file of the policy; to check a policy from standard input: ${programName} gateway policy check -`,
    )
  const policy = requirePolicy(file, await readPolicyFile(file, 'anybody'))
  const { text } = decodeInput(await readInput(host, undefined))
  if (text.trim() === '')
    throw new HelperError(
      'usage',
      'standard input is empty',
      'pipe a JWT, the output of a helper, or claims as JSON in',
    )
  const outcome = decideByRules(parseIdentity(text), policy, request)
  const status = outcome.passes ? outcomeStatus.done : outcomeStatus.no
  setExitStatus(status)
  if (json) terminal.print(renderJson({ status, ...outcome }))
  else terminal.print(renderOutcome(outcome))
}

function renderOutcome(outcome: TrialResult): string {
  if (!outcome.passes) return `It does not pass: ${outcome.note ?? outcome.detail} (${outcome.reason}).\n`
  const { rule, use, headers, limit, introspection } = outcome
  const rows = Object.entries(headers).map(([name, value]) => `  ${name}: ${value}\n`)
  const often = use === 'once' ? ' once' : limit ? '' : ' as often as it is sent'
  const bound = limit ? ` (for its owner at most ${renderRate(limit)})` : ''
  const active = introspection ? ', if its provider says that the token is active' : ''
  const what = rows.length === 0 ? 'without headers.' : 'with these headers:'
  return `The rule ${JSON.stringify(rule)} lets it pass${often}${bound}${active}, ${what}\n${rows.join('')}`
}
