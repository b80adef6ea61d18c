// Folder: `gatepass verify`: the source of a token, its checks by name, and the report.

import type { Command } from 'commander'
import type { Headers } from '../../contract/headers.ts'
import { outcomeStatus, toOneLine } from '../../runtime/failure.ts'
import { dropScheme } from '../../runtime/tokens/token-facts.ts'
import { renderDuration } from '../../runtime/values/duration.ts'
import { renderJson } from '../../runtime/values/json-value.ts'
import { locateInstalled } from '../../suite/installed-programs.ts'
import type { ProviderIntrospection } from '../../verify/introspection/provider-introspection.ts'
import type { Policy } from '../../verify/policy/policy.ts'
import { programName } from '../../version.ts'
import type { Cli, ProgramCommand } from '../cli.ts'
import { createFetch, readNetwork } from '../network.ts'
import { addText } from '../option-values.ts'
import { jsonOption, type Style, type Terminal } from '../terminal.ts'
import { type CheckWorld, checkToken, type TokenTerms } from './check-token.ts'
import { describeToken, renderLifeLine } from './describe-token.ts'
import type { FoundToken } from './pasted-token.ts'
import { readFound, type VerifySource } from './read-found.ts'
import { readTerms, type TermFlags } from './read-terms.ts'
import type { Description } from './shown-claims.ts'
import { type CheckStatus, summarizeChecks, type TokenCheck, type TokenVerdict } from './token-check.ts'

/** `gatepass verify`: what a token is and whether it is valid. */
export const verifyCommand: ProgramCommand = {
  add: addVerify,
  examples: {
    verify: [
      'gatepass verify -- /opt/acme/helper',
      'gatepass verify --file token.txt --issuer https://id.example.com',
      'gatepass verify --file token.txt --policy policy.json',
    ],
  },
}

function addVerify(program: Command, cli: Cli): void {
  program
    .enablePositionalOptions()
    .command('verify')
    .description('say what a token is, and whether it is good')
    .argument('[words...]', '- for standard input; or behind --: a helper to run, and its arguments')
    .passThroughOptions()
    .option('--file <path>', 'read the token, or the output of a helper, from a file; - for standard input')
    .option('--issuer <url>', 'whose token it has to be; its keys are discovered there, unless --keys is given')
    .option('--keys <file|url>', 'the keys of the issuer, as a JSON Web Key Set')
    .option('--audience <name>', 'for whom it has to be; may be repeated, and then one of them', addText)
    .option('--audience-header <name>', 'for a proof of an AWS identity: the signed header with the audience')
    .option('--policy <file>', 'whether the policy of a verifier would let it pass, and by which rule')
    .option(
      '--provider-secrets <directory>',
      'ask the providers that the policy names about the token; their secrets are there',
    )
    .option('--sts', 'send a proof of an AWS identity to the host of AWS STS that it names')
    .option('--claim <name>', 'also show the value of this claim; may be repeated', addText)
    .option(...jsonOption)
    .addHelpText('after', helpText)
    .action(async (words: readonly string[], flags: VerifyFlags) => verify(cli, words, flags))
}

interface VerifyFlags extends TermFlags {
  readonly file?: string
  readonly claim?: readonly string[]
  readonly json?: true
}

const helpText = `
The token is read from standard input (-, or nothing), which a terminal does not show, from a file, or from what a helper prints:
${programName} verify -- ${locateInstalled('HELPER', 'posix')}
It may be bare, behind Bearer, in quotes, or in the output of a helper in any format. Nothing secret of it is shown. It is sent nowhere but, with --sts, to AWS, and with --provider-secrets to the provider that the policy names for introspection; keys are fetched only for an issuer that --issuer or --policy names, and that says nothing of the token.

Exit status: ${outcomeStatus.done} if nothing is wrong, ${outcomeStatus.no} if a check failed, ${outcomeStatus.usage} if there is no token, ${outcomeStatus['not-configured']} if the policy is wrong, ${outcomeStatus.unavailable} if it could not be found out.`

async function verify(cli: Cli, words: readonly string[], flags: VerifyFlags): Promise<void> {
  const { host, terminal } = cli
  const source: VerifySource = { words, file: flags.file, isSeparated: host.argv.includes('--') }
  const terms = await readTerms(flags)
  const found = await readFound(cli, source)
  const introspection = terms.policy && (await openAskedProviders(cli, terms.policy, flags))
  const world = { now: host.clock.now(), fetch: createFetch(host), ...(introspection && { introspection }) }
  const verified = await verifyToken(found, { claims: flags.claim ?? [], terms, world })
  cli.setExitStatus(verdictStatus[verified.verdict])
  const screen = host.streams.columns()
  if (flags.json) terminal.print(renderJson(toRecord(verified)))
  else terminal.print(renderReport(verified, { paint: terminal.paint, screen }))
}

/** Opens the providers that may be asked about the token; `undefined` unless the flags name their secrets. */
async function openAskedProviders(
  { host }: Cli,
  policy: Policy,
  { policy: path, providerSecrets }: VerifyFlags,
): Promise<ProviderIntrospection | undefined> {
  if (path === undefined || providerSecrets === undefined) return undefined
  const { openIntrospection } = await import('../gateway/verifier/open-introspection.ts')
  const { createIssuerKeys } = await import('../../verify/jwt/issuer-keys.ts')
  const keys = createIssuerKeys({ fetch: createFetch(host), now: host.clock.now })
  const network = await readNetwork(host)
  return openIntrospection({ policy: path, providerSecrets, cacheEntries: 1 }, { host, network, policy, keys })
}

/** The report about a token; it contains no secret. */
interface Verified extends Description {
  readonly bytes: number
  /** The form around the token, in words; `undefined` for a bare token. */
  readonly shape: string | undefined
  readonly notes: readonly string[]
  readonly headers: readonly HeaderDescription[]
  readonly checks: readonly TokenCheck[]
  readonly verdict: TokenVerdict
  /** Epoch milliseconds. */
  readonly now: number
}

/** The settings for examining a token. */
interface VerifySettings {
  /** The names of further claims to show. */
  readonly claims: readonly string[]
  readonly terms: TokenTerms
  readonly world: CheckWorld
}

/** Describes a token, and makes every check of it. */
async function verifyToken(found: FoundToken, { claims, terms, world }: VerifySettings): Promise<Verified> {
  const token = found.token.reveal()
  const description = describeToken(token, claims)
  const { checks, facts } = await checkToken(token, description, terms, world)
  return {
    ...description,
    facts: [...description.facts, ...facts],
    bytes: Buffer.byteLength(token),
    shape: found.shape,
    notes: found.notes,
    headers: describeHeaders(found.headers),
    checks,
    verdict: summarizeChecks(checks),
    now: world.now,
  }
}

/** A header next to a token, without its value. */
interface HeaderDescription {
  readonly name: string
  /** The kind of token in it, in words with an article; absent without a token. */
  readonly title?: string
  /** The end of that token, in epoch milliseconds. */
  readonly expiresAt?: number | undefined
}

/** Describes the content of headers without their values. */
function describeHeaders(headers: Headers): HeaderDescription[] {
  return Object.entries(headers).map(([name, value]) => {
    const { kind, title, life } = describeToken(dropScheme(value))
    if (kind === 'opaque') return { name }
    return { name, title, expiresAt: life.expiresAt }
  })
}

/**
 * The output of the report.
 * @property screen The columns of a terminal; absent for a pipe, which gets no drawing.
 */
interface Surface {
  readonly paint: Terminal['paint']
  readonly screen: number | undefined
}

/** Returns the object that `--json` prints. Later versions may add members, and never rename one. */
function toRecord({ verdict, kind, title, bytes, shape, facts, hidden, life, ...rest }: Verified) {
  const { warnings, notes, headers, checks } = rest
  return {
    status: verdictStatus[verdict],
    verdict,
    kind,
    title,
    bytes,
    shape,
    states: facts,
    notShown: hidden,
    life: {
      issuedAt: toText(life.issuedAt),
      notBefore: toText(life.notBefore),
      expiresAt: toText(life.expiresAt),
    },
    checks,
    headers: headers.map(({ expiresAt, ...header }) => ({ ...header, expiresAt: toText(expiresAt) })),
    warnings,
    notes,
  }
}

/** Renders the description of a token and the results of its checks, for a person. */
function renderReport(verified: Verified, { paint, screen }: Surface): string {
  const { title, bytes, shape } = verified
  const from = shape === undefined ? '' : `, out of ${toOneLine(shape)}`
  const head = `${paint('strong', toOneLine(title))}, ${bytes} bytes${from}`
  const line = screen === undefined ? undefined : renderLifeLine(verified.life, verified.now, screen)
  const lines = [...listFacts(verified), ...listRemarks(verified, paint), ...(line === undefined ? [] : [line])]
  const blocks = [
    [head, ...lines.map((text) => `    ${text}`)],
    verified.checks.flatMap((check) => renderCheck(check, paint)),
    [renderVerdict(verified, paint)],
  ]
  return `${blocks
    .filter((block) => block.length > 0)
    .map((block) => block.join('\n'))
    .join('\n\n')}\n`
}

function listFacts({ facts, hidden, life, headers }: Verified): string[] {
  const { issuedAt, expiresAt } = life
  const lifeSec = issuedAt !== undefined && expiresAt !== undefined ? Math.round((expiresAt - issuedAt) / 1000) : -1
  return [
    ...facts.map(({ name, value }) => toOneLine(`${name}: ${value}`)),
    ...(lifeSec >= 0 ? [`life: ${renderDuration(lifeSec)}`] : []),
    ...(hidden.length > 0 ? [`not shown: ${hidden.join(', ')}`] : []),
    ...(headers.length > 0 ? [`headers beside it: ${headers.map(renderHeader).join(', ')}`] : []),
  ]
}

function renderHeader({ name, title, expiresAt }: HeaderDescription): string {
  const end = expiresAt === undefined ? '' : ` until ${new Date(expiresAt).toISOString()}`
  return toOneLine(`${name}: ${title === undefined ? '***' : `${title}${end}`}`)
}

function listRemarks({ warnings, notes }: Verified, paint: Terminal['paint']): string[] {
  return [...warnings, ...notes].map((text) => `${paint('caution', '!')} ${toOneLine(text)}`)
}

const marks: Readonly<Record<CheckStatus, { readonly text: string; readonly style: Style }>> = {
  met: { text: '✓', style: 'strong' },
  unmet: { text: '✗', style: 'bad' },
  unknown: { text: '?', style: 'caution' },
  'not asked': { text: '–', style: 'quiet' },
}

function renderCheck({ name, status, message, hint }: TokenCheck, paint: Terminal['paint']): string[] {
  const { text, style } = marks[status]
  const line = `${paint(style, text)} ${name}: ${toOneLine(message)}`
  return hint === undefined ? [line] : [line, `    → ${toOneLine(hint)}`]
}

const verdictWords: Readonly<Record<TokenVerdict, { readonly text: string; readonly style: Style }>> = {
  good: { text: 'Good.', style: 'strong' },
  bad: { text: 'Not good.', style: 'bad' },
  'not found out': { text: 'It could not be determined whether the token is good.', style: 'caution' },
  'not judged': { text: 'Nothing is wrong with what it states; who made it was not verified.', style: 'strong' },
}

function renderVerdict({ verdict }: Verified, paint: Terminal['paint']): string {
  const { text, style } = verdictWords[verdict]
  return paint(style, text)
}

/** The exit status of each verdict. */
const verdictStatus: Readonly<Record<TokenVerdict, 0 | 1 | 6>> = {
  good: 0,
  'not judged': 0,
  bad: 1,
  'not found out': 6,
}

function toText(at: number | undefined): string | undefined {
  return at === undefined ? undefined : new Date(at).toISOString()
}
