import { resolve } from 'node:path'
import type { ApiCredential, ApiCredentialSource } from '../../api/api-fetch.ts'
import type { ClientEventBody } from '../../client/client-event.ts'
import type { SessionCredential } from '../../client/credentials/helper-source.ts'
import { selectCredentialSource, unnamedCredential } from '../../client/credentials/select-credential-source.ts'
import { isSignIn, type SignInCredential, toSignInSettings } from '../../client/credentials/sign-in-settings.ts'
import { type HeldCredential, runCredentialHelper } from '../../client/launch/run-credential-helper.ts'
import { defaultLookAheadSec } from '../../client/session/client.ts'
import { type ConfigDocument, type Credential, type GatewayInference, toAuthScheme } from '../../config/document.ts'
import type { Finding } from '../../config/finding.ts'
import { mergeHeaders } from '../../contract/headers.ts'
import { HelperError, toOneLine } from '../../runtime/failure.ts'
import { Secret } from '../../runtime/secret.ts'
import { quoteForHint } from '../../runtime/text/quote.ts'
import type { OidcSettings } from '../../sources/oauth/oidc/oidc-settings.ts'
import { vendor } from '../../vendor.ts'
import { programName } from '../../version.ts'
import { askToRun, renderUrl } from '../ask-to-run.ts'
import type { Cli } from '../cli.ts'
import { type BootstrapFlags, prepareBootstrap, refuseBootstrapFlags } from '../configuration-server.ts'
import { createCommandSignIn } from '../create-command-sign-in.ts'
import { describeSource, readSource } from '../read-source.ts'
import { tellErrors } from '../show-findings.ts'

/**
 * Resolves the access to the API. The credential is that of the served document, the document, the helper or the environment: the first
 * that is given. The address is that of `--base-url`, else the document's, else that of {@link addressVariable}.
 * @throws {HelperError} `not-configured` without a credential, `usage` without an address.
 */
export async function resolveAccess(cli: Cli, flags: AccessFlags): Promise<ApiAccess> {
  refuseBootstrapFlags(flags)
  if (flags.bootstrap !== undefined) return openServedDocument(cli, { ...flags, bootstrap: flags.bootstrap })
  if (flags.document !== undefined) return openDocument(cli, flags.document, flags)
  if (flags.helper !== undefined) {
    const credential = { kind: 'helper-script', command: resolve(flags.helper) } as const
    const baseUrl = requireAddress(cli, flags)
    return { credentials: await openClientSource(cli, { baseUrl, credential }, flags), baseUrl }
  }
  const key = cli.host.env[vendor.apiKeyVariable]
  if (!key)
    throw new HelperError(
      'not-configured',
      `there is no credential: ${vendor.apiKeyVariable} is not set`,
      `set ${vendor.apiKeyVariable}, or pass --helper or --document`,
    )
  const credential = { token: new Secret(key), scheme: 'bearer', headers: {} } as const
  const credentials = { current: async () => credential, renew: async () => undefined }
  return { credentials, baseUrl: requireAddress(cli, flags) }
}

/** Credentials, and the address of the API. */
interface ApiAccess {
  readonly credentials: ApiCredentialSource
  readonly baseUrl: string
}

/** The options that name a credential and an address. */
interface AccessFlags extends BootstrapFlags {
  readonly document?: string
  readonly helper?: string
  readonly baseUrl?: string
  readonly yes?: true
  /** Ends a helper run whose result is no longer needed. */
  readonly signal?: AbortSignal
}

/** The variable for the address if neither an option nor a document names one. */
export const addressVariable = 'GATEPASS_BASE_URL'

function requireAddress({ host }: Cli, { baseUrl }: AccessFlags, documented?: string): string {
  const address = baseUrl ?? documented ?? host.env[addressVariable]
  if (address) return address
  throw new HelperError('usage', 'the address of the API is missing', `pass --base-url, or set ${addressVariable}`)
}

/**
 * Opens the document of a configuration server, as the device would get it.
 * @throws {HelperError} without a document.
 */
async function openServedDocument(cli: Cli, flags: AccessFlags & { readonly bootstrap: string }): Promise<ApiAccess> {
  const { source } = await prepareBootstrap(cli, { ...flags, device: flags.document })
  const { answer } = await source.ask('launch')
  const shown = renderUrl(flags.bootstrap)
  const hint = `look at it with: ${programName} doctor --bootstrap ${quoteForHint(shown)}`
  if (answer.outcome === 'document')
    return openInference(
      cli,
      { source: shown, document: answer.document, findings: answer.result.findings, hint },
      flags,
    )
  const { message, hint: ownHint } = answer.outcome === 'unchanged' ? { message: '', hint } : answer
  const kind = answer.outcome === 'refused' ? 'refused' : 'unavailable'
  throw new HelperError(kind, `${shown} gives no document: ${message}`, ownHint)
}

interface OpenedDocument {
  /** The file or address of the document, in a form that is safe to show. */
  readonly source: string
  readonly document: ConfigDocument
  readonly findings: readonly Finding[]
  readonly hint: string
}

async function openDocument(cli: Cli, source: string, flags: AccessFlags): Promise<ApiAccess> {
  const { document, findings } = await readSource(cli, source)
  const error = findings.find(({ severity }) => severity === 'error')
  const hint = `look at it with: ${programName} config check ${quoteForHint(source)}`
  if (!document) throw new HelperError('usage', `${source} cannot be read: ${error?.message}`, error?.hint || hint)
  return openInference(cli, { source, document, findings, hint }, flags)
}

async function openInference(
  cli: Cli,
  { source, document, findings, hint }: OpenedDocument,
  flags: AccessFlags,
): Promise<ApiAccess> {
  tellErrors(cli.terminal, describeSource(source), findings)
  const { inference } = document
  if (inference?.provider !== 'gateway') throw new HelperError('not-configured', `${source} names no gateway`, hint)
  const baseUrl = requireAddress(cli, flags, inference.baseUrl)
  return { credentials: await openCredential(cli, { ...inference, baseUrl }, flags, hint), baseUrl }
}

/** Obtains the credential as the client does, after the person has agreed to the programs and the receiver of the credential. */
async function openCredential(
  cli: Cli,
  inference: GatewayInference,
  flags: AccessFlags,
  hint: string,
): Promise<ApiCredentialSource> {
  const { credential, baseUrl } = inference
  const problem = validateCredential(credential)
  if (problem !== undefined) throw new HelperError('not-configured', problem, hint)
  const helpers = credential?.kind === 'helper-script' ? [credential] : []
  const providers = isSignIn(credential) ? [requireSignIn(credential)] : []
  await askToRun(cli.terminal, { helpers, providers, destination: renderUrl(baseUrl) }, flags.yes)
  return openClientSource(cli, inference, flags)
}

/** Validates that a document's credential can be used here. */
function validateCredential(credential: Credential | undefined): string | undefined {
  switch (credential?.kind) {
    case 'helper-script':
    case 'interactive':
    case 'external-idp':
      return undefined
    case 'static':
      return credential.apiKey === undefined ? 'the document has no key (apiKey) for its static credential' : undefined
    case undefined:
      return unnamedCredential
  }
}

/**
 * Returns the provider of a sign-in.
 * @throws {HelperError} `not-configured` for a sign-in that this command does not support.
 */
function requireSignIn(credential: SignInCredential): OidcSettings {
  const found = toSignInSettings(credential)
  if ('failure' in found) throw new HelperError('not-configured', found.message, found.hint)
  return found
}

/** Opens the credential of a document by the client's own rules: the command is a session, and each request a turn. */
async function openClientSource(
  { host, terminal }: Cli,
  inference: GatewayInference,
  { signal }: AccessFlags,
): Promise<ApiCredentialSource> {
  const source = await openSessionSource(host, inference, signal)
  const { tell, findFailure } = createTeller(terminal, inference)
  let starting: Promise<SessionCredential> | undefined
  let held: HeldCredential | undefined
  const requireSession = () => {
    const context = host.streams.attached() === 'terminal' ? 'interactive' : 'scheduled-task'
    starting ??= source.startSession(context, tell).then(({ session }) => session)
    return starting
  }
  return {
    current: async () => {
      held = await (await requireSession()).beforeTurn(tell)
      if (held) return toApiCredential(held, inference)
      throw findFailure() ?? toMissing(source.missing, inference)
    },
    renew: async () => {
      const renewed = held && (await (await requireSession()).afterRefusal(held, tell))
      if (renewed) return toApiCredential(renewed, inference)
      const failure = findFailure()
      if (failure) throw failure
      return undefined
    },
  }
}

async function openSessionSource(host: Cli['host'], { credential }: GatewayInference, signal: AbortSignal | undefined) {
  const { env, platform, clock } = host
  return selectCredentialSource(credential, {
    env,
    platform,
    now: clock.now,
    signal,
    lookAheadSec: defaultLookAheadSec,
    runHelper: runCredentialHelper,
    openSignIn: await createCommandSignIn(host),
  })
}

/** Prints the messages of a helper, and keeps the last failure. */
function createTeller(terminal: Cli['terminal'], inference: GatewayInference) {
  let failure: HelperError | undefined
  const tell = (event: ClientEventBody) => {
    if ('stderr' in event) terminal.tell(renderStderr(event.stderr))
    if (event.type === 'helper-failed') failure = describeFailure(event.message, inference)
    if (event.type === 'sign-in-failed' || event.type === 'renewal-failed')
      failure = new HelperError(event.reason, event.message, signInAgain)
    if (event.type === 'expiry-prompt' && !isSignIn(inference.credential)) terminal.tell(renewalIsOff)
  }
  return { tell, findFailure: () => failure }
}

const signInAgain = 'run the command again, which begins a new sign-in'

/** Marks each line of a helper's messages, so that none looks like a line of this command. */
function renderStderr(stderr: string): string {
  const lines = stderr.trim().split(/\r?\n/)
  return stderr.trim() === '' ? '' : lines.map((line) => `helper: ${toOneLine(line)}\n`).join('')
}

const renewalIsOff = `${programName}: the credential was refused and is not renewed: silentRefreshEnabled is false\n`

function toApiCredential({ token, headers }: HeldCredential, inference: GatewayInference): ApiCredential {
  return { token, headers: mergeHeaders(inference.customHeaders ?? {}, headers), scheme: toAuthScheme(inference) }
}

function toMissing({ message }: { readonly message: string }, { credential }: GatewayInference): HelperError {
  if (!isSignIn(credential)) return new HelperError('not-configured', message, 'correct the document')
  const reason = 'a person has to sign in, and standard input is not a terminal'
  return new HelperError('sign-in-required', reason, 'run the command in a terminal')
}

function describeFailure(message: string, { credential }: GatewayInference): HelperError {
  const helper = credential?.kind === 'helper-script' ? credential : undefined
  return new HelperError(
    'refused',
    `the credential helper gave no credential: ${message}`,
    `see what it says: ${programName} check-helper ${quoteForHint(toOneLine(helper?.command ?? helper?.commandWindows ?? ''))}`,
  )
}
