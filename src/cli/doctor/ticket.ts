// The file of `gatepass doctor --report`, which a person attaches to a support ticket.

import { access, constants, lstat, rm, writeFile } from 'node:fs/promises'
import { release, version as systemVersion } from 'node:os'
import { isSignIn } from '../../client/credentials/sign-in-settings.ts'
import type { Part } from '../../client/examination.ts'
import { launch } from '../../client/launch/launch.ts'
import { planLaunch } from '../../client/launch/launch-command.ts'
import type { ConfigDocument, HelperScriptCredential } from '../../config/document.ts'
import { listValues } from '../../config/document-values.ts'
import { toContextVariables } from '../../contract/detect-context.ts'
import { toAwsVariables } from '../../contract/environment.ts'
import { computeHelperTimeoutSec } from '../../contract/freshness.ts'
import { locateOptionFiles } from '../../helper/options/option-files.ts'
import { describeOptions } from '../../helper/options/resolve-options.ts'
import { selectNetworkSettings } from '../../helper/run/call-settings.ts'
import { renderVersion } from '../../helper/run/help.ts'
import { readStatus } from '../../runtime/disk.ts'
import { findErrorCode, HelperError, toOneLine } from '../../runtime/failure.ts'
import type { Host } from '../../runtime/host.ts'
import { findProxy } from '../../runtime/network/find-proxy.ts'
import type { Environment } from '../../runtime/run-process.ts'
import { hideArgumentSecrets } from '../../runtime/text/credential-text.ts'
import { hideHeaderValues, redact } from '../../runtime/text/redact.ts'
import { locateAwsFiles } from '../../sources/aws/files/aws-files.ts'
import { vendor } from '../../vendor.ts'
import { programName } from '../../version.ts'
import { renderUrl } from '../ask-to-run.ts'
import { findSuiteHelper } from '../check-with-helper.ts'
import type { Cli } from '../cli.ts'
import { readNetwork, readNetworkOptions } from '../network.ts'
import { isUrl } from '../read-source.ts'

/** The options for the file of a ticket. */
export interface TicketFlags {
  readonly report?: string
  readonly force?: true
}

/**
 * Refuses, before anything runs, a report that could not be written.
 * @throws {HelperError} `usage` for `--force` without a file, `refused` for an existing file.
 */
export async function refuseReport({ report, force }: TicketFlags): Promise<void> {
  if (report === undefined && force)
    throw new HelperError(
      'usage',
      '--force is for the file of --report',
      'name that file with --report, or remove --force',
    )
  if (report === undefined || force) return
  const isThere = await lstat(report).then(
    () => true,
    () => false, // missing, or in an unreadable folder, which writing reports
  )
  if (isThere) throw new HelperError('refused', `${report} exists already`, 'name another file, or pass --force')
}

/** The document and the helper whose files are listed. */
interface TicketFacts {
  readonly source: string
  readonly helper: HelperScriptCredential | undefined
  readonly env: Environment
}

/** An examination that is to be reported. */
interface TicketContent {
  readonly source: string
  readonly document: ConfigDocument | undefined
  readonly parts: readonly Part[]
  /** The examination as it was printed on the terminal. */
  readonly examination: string
}

/** Writes the file for a support ticket, which only its owner can read. @throws {HelperError} `refused` */
export async function writeTicket(cli: Cli, { report, force }: TicketFlags, examined: TicketContent): Promise<void> {
  if (report === undefined) return
  const text = await renderTicket(cli, examined)
  try {
    // A new file, because an existing one would keep its permissions, and a link would lead elsewhere.
    if (force) await rm(report, { force: true })
    await writeFile(report, text, { flag: 'wx', mode: 0o600 })
  } catch (cause) {
    const code = findErrorCode(cause)
    throw new HelperError('refused', `${report} cannot be written (${code})`, 'name another file with --report', {
      cause,
    })
  }
  cli.terminal.tell(`The report is in ${toOneLine(report)}: read it before you send it.\n`)
}

/** Renders the text for a support ticket; it contains no secret. */
async function renderTicket(cli: Cli, { source, document, parts, examination }: TicketContent): Promise<string> {
  const { host } = cli
  const credential = document?.inference?.credential
  const helper = credential?.kind === 'helper-script' ? credential : undefined
  const aws = toAwsVariables(helper?.awsEnv, host.platform)
  const env: Environment = { ...host.env, ...aws, ...toContextVariables('setup-test') }
  const sections: [title: string, lines: readonly string[]][] = [
    [
      `${programName} doctor`,
      [new Date(host.clock.now()).toISOString(), `of ${isUrl(source) ? renderUrl(source) : source}`],
    ],
    ['System', describeSystem(cli)],
    ['Settings of the document', document ? describeDocument(document) : ['it cannot be read']],
    ['Files', await describeFiles(cli, { source, helper, env })],
    ['Variables that are set', listVariables(env)],
    ['Network of this command', await describeNetwork(host, listAddresses(document))],
    ['The helper explains itself', await collectExplanation(cli, { helper, parts, env })],
  ]
  const text = `${sections.map(([title, lines]) => renderSection(title, lines)).join('\n')}\nExamination\n${examination}`
  return hideMailAddresses(text)
}

function describeSystem({ host: { platform, runtimeVersion } }: Cli): string[] {
  const { timeZone, locale } = Intl.DateTimeFormat().resolvedOptions()
  return [
    renderVersion(programName, runtimeVersion),
    `${platform} ${release()} ${process.arch}, ${systemVersion()}`,
    `time zone ${timeZone}, language ${locale}`,
  ]
}

/** The variables whose values influence helpers and this command. */
const tellingVariables =
  /^(GATEPASS_|AWS_|NODE_|SSL_CERT|XDG_|(https?|all|no)_proxy$|HOME$|APPDATA$|PATH$|LANG$|LC_ALL$)/i

/** Describes the settings of a document, one field a line, without the values of keys and headers. */
function describeDocument(document: ConfigDocument): string[] {
  const lines = listValues(document).map(
    ({ field, value }) => `${field.path} = ${field.secret ? '***' : renderValue(value)}`,
  )
  return lines.length === 0 ? ['nothing'] : lines
}

function renderValue(value: unknown): string {
  if (Array.isArray(value)) return redact(hideArgumentSecrets(value).join(' '), [])
  if (typeof value === 'object' && value !== null) return hideHeaderValues(Object.keys(value)).join(', ')
  if (typeof value !== 'string') return String(value)
  return redact(isUrl(value) ? renderUrl(value) : value, [])
}

/** Describes every file from which this command or the helper reads settings, without its content. */
async function describeFiles(cli: Cli, { source, helper, env }: TicketFacts): Promise<string[]> {
  const { host } = cli
  const found = helper && findSuiteHelper(cli, helper)
  const options = [programName, ...(found ? [found.name] : [])].flatMap((name) => {
    const { user, machine } = locateOptionFiles(host, name)
    return [user, machine]
  })
  const aws = locateAwsFiles({ env, home: host.home })
  const authorities = await readNetwork(host).then(
    (network) => network.authorities.map(({ path }) => path),
    () => [], // the section about the network reports why
  )
  const document = source === '-' || isUrl(source) ? [] : [source]
  const command = helper?.command === undefined ? [] : [helper.command]
  const paths = [...new Set([...document, ...command, ...options, ...aws, ...authorities])]
  return Promise.all(paths.map(async (path) => `${path}: ${await describeFile(path)}`))
}

/** Only names are listed, because a value may be a secret. */
function listVariables(env: Environment): string[] {
  const names = Object.keys(env).filter(
    (name) => env[name] !== undefined && (tellingVariables.test(name) || name.startsWith(`${vendor.envPrefix}_`)),
  )
  return names.length === 0 ? ['none'] : [names.sort().join(', ')]
}

/** Lists the gateway, and the provider of sign-ins. */
function listAddresses(document: ConfigDocument | undefined): (string | undefined)[] {
  const { baseUrl, credential } = document?.inference ?? {}
  const { issuer, tokenUrl } = isSignIn(credential) ? (credential.oidc ?? {}) : {}
  return [baseUrl, issuer ?? tokenUrl]
}

async function describeFile(path: string): Promise<string> {
  try {
    const { size, mode, mtime, uid } = await readStatus(path)
    await access(path, constants.R_OK)
    return `${size} bytes, mode ${(mode & 0o7777).toString(8)}, user ${uid}, changed ${mtime.toISOString()}`
  } catch (error) {
    const code = findErrorCode(error)
    return code === 'ENOENT' ? 'not there' : `cannot be read (${code})`
  }
}

/** Describes the proxy for each URL, and the settings that determine it, each with its source; passwords are omitted. */
async function describeNetwork(host: Host, addresses: readonly (string | undefined)[]): Promise<string[]> {
  try {
    return renderNetwork(host, await readNetworkOptions(host), addresses)
  } catch (error) {
    if (error instanceof HelperError) return [error.message, error.hint]
    throw error
  }
}

function renderNetwork(
  host: Host,
  resolved: Awaited<ReturnType<typeof readNetworkOptions>>,
  addresses: readonly (string | undefined)[],
): string[] {
  const network = selectNetworkSettings(host, resolved)
  const urls = addresses.flatMap((address) => URL.parse(address ?? '') ?? [])
  return [
    ...urls.map((url) => `${url.host} is reached ${findProxy(url, network) ? 'through the proxy' : 'without a proxy'}`),
    ...describeOptions(resolved),
    ...network.authorities.map(({ path, origin }) => `certificate authorities in ${path} (${origin})`),
    `certificates are verified: ${network.verification}`,
  ]
}

/** Runs the helper only if it has already run, because then a person has consented to it. */
async function collectExplanation(
  cli: Cli,
  {
    helper,
    parts,
    env,
  }: { helper: HelperScriptCredential | undefined; parts: TicketContent['parts']; env: Environment },
): Promise<string[]> {
  if (!helper) return ['the document names none']
  const hasRun = parts.some(({ part, outcome }) => part === 'run' && outcome !== 'not examined')
  return hasRun ? askForExplanation(cli, helper, env) : ['it was not run: an earlier part failed']
}

/** Runs a helper of ours again with `--explain`, which prints what it uses and why, and never the token. */
async function askForExplanation(cli: Cli, credential: HelperScriptCredential, env: Environment): Promise<string[]> {
  if (!findSuiteHelper(cli, credential)) return ['it does not belong to this suite, so it was not asked']
  const resolved = planLaunch({ ...credential, args: [...(credential.args ?? []), '--explain'] }, cli.host.platform)
  if ('problem' in resolved) return [resolved.problem]
  const timeoutMs = computeHelperTimeoutSec(credential, 'setup-test') * 1000
  const { ended, stdout, stderr } = await launch(resolved.command, env, timeoutMs)
  const end = ended.how === 'exited' ? `exit status ${ended.status}` : ended.how
  return [end, ...quoteLines(new TextDecoder().decode(stdout)), ...quoteLines(stderr)]
}

function quoteLines(text: string): string[] {
  const shown = redact(text, []).trimEnd()
  return shown === '' ? [] : shown.split(/\r?\n/).map((line) => `| ${line}`)
}

function renderSection(title: string, lines: readonly string[]): string {
  return `${title}\n${lines.map((line) => `  ${toOneLine(line)}\n`).join('')}`
}

/** Hides mail addresses of people, such as the person who signed in, because others read a ticket. */
function hideMailAddresses(text: string): string {
  return text.replace(/[\w.+%-]+@[\w-]+(\.[\w-]+)+/g, '[mail address]')
}
