import { resolve } from 'node:path'
import type { ApiCredential, ApiCredentialSource } from '../api/api-connection.ts'
import type { GatewayInference } from '../client/gateway-inference.ts'
import { runCredentialHelper } from '../client/run-credential-helper.ts'
import type { HelperScriptCredential } from '../config/document.ts'
import type { ClientContext } from '../contract/context.ts'
import { type Headers, mergeHeaders } from '../contract/headers.ts'
import { HelperError, oneLine } from '../runtime/failure.ts'
import { Secret } from '../runtime/secret.ts'
import { vendor } from '../vendor.ts'
import { askToRun, renderUrl } from './ask-to-run.ts'
import { type Cli, programName } from './cli.ts'
import { nameSource, readSource } from './read-source.ts'
import { tellFindings } from './show-findings.ts'

/** Credentials, and the address that they are sent to. */
export interface Access {
  readonly credentials: ApiCredentialSource
  readonly baseUrl: string
}

export interface AccessFlags {
  readonly document?: string
  readonly helper?: string
  readonly baseUrl?: string
  readonly yes?: true
}

/** From the document, from the helper, or from the environment: the first that is named. */
export async function resolveAccess(cli: Cli, flags: AccessFlags): Promise<Access> {
  if (flags.document !== undefined) return openDocument(cli, flags.document, flags)
  if (flags.helper !== undefined) {
    const helper = { kind: 'helper-script', command: resolve(flags.helper) } as const
    return { credentials: helperSource(cli, helper, {}), baseUrl: demandAddress(cli, flags) }
  }
  const key = cli.host.env[vendor.apiKeyVariable]
  if (!key)
    throw new HelperError(
      'not-configured',
      `there is no credential: ${vendor.apiKeyVariable} is not set`,
      `set ${vendor.apiKeyVariable}, or pass --helper or --document`,
    )
  const credentials = constantSource({ token: new Secret(key), scheme: 'bearer', headers: {} })
  return { credentials, baseUrl: demandAddress(cli, flags) }
}

/** Where the address stands if no option and no document names it. */
export const addressVariable = 'GATEPASS_BASE_URL'

function demandAddress({ host }: Cli, { baseUrl }: AccessFlags, documented?: string): string {
  const address = baseUrl ?? documented ?? host.env[addressVariable]
  if (address) return address
  throw new HelperError('usage', 'the address of the API is missing', `pass --base-url, or set ${addressVariable}`)
}

async function openDocument(cli: Cli, source: string, flags: AccessFlags): Promise<Access> {
  const { document, findings } = await readSource(cli, source)
  const errors = findings.filter(({ severity }) => severity === 'error')
  const hint = `look at it with: ${programName} config check '${source}'`
  if (!document)
    throw new HelperError('not-configured', `${source} cannot be read: ${errors[0]?.message}`, errors[0]?.hint || hint)
  tellFindings(cli.terminal, nameSource(source), errors)
  const { inference } = document
  if (inference?.provider !== 'gateway') throw new HelperError('not-configured', `${source} names no gateway`, hint)
  const baseUrl = demandAddress(cli, flags, inference.baseUrl)
  return { credentials: await openCredential(cli, { ...inference, baseUrl }, flags, hint), baseUrl }
}

/** The kinds that need no sign-in of the client's own. */
async function openCredential(
  cli: Cli,
  { credential, customHeaders = {}, baseUrl }: GatewayInference,
  flags: AccessFlags,
  hint: string,
): Promise<ApiCredentialSource> {
  const ask = (helpers: readonly HelperScriptCredential[]) =>
    askToRun(cli.terminal, { helpers, destination: renderUrl(baseUrl) }, flags.yes)
  if (credential?.kind === 'helper-script') {
    await ask([credential])
    return helperSource(cli, credential, customHeaders)
  }
  if (credential?.kind !== 'static' || credential.apiKey === undefined)
    throw new HelperError(
      'not-configured',
      `the document has no credential that can be used from here (${credential?.kind ?? 'none'})`,
      hint,
    )
  await ask([])
  const { apiKey, authScheme: scheme = 'bearer' } = credential
  return constantSource({ token: new Secret(apiKey), scheme, headers: customHeaders })
}

function constantSource(credential: ApiCredential): ApiCredentialSource {
  return { current: async () => credential, renew: async () => undefined }
}

/** Runs the helper as the client does: once for this command, and once more when its credential is refused. */
function helperSource(cli: Cli, helper: HelperScriptCredential, custom: Headers): ApiCredentialSource {
  let held: Promise<ApiCredential> | undefined
  const run = (context: ClientContext) => runHelper(cli, helper, context, custom)
  return {
    current: () => {
      held ??= run(cli.host.streams.attached() === 'terminal' ? 'interactive' : 'background')
      return held
    },
    renew: () => {
      held = run('mid-session-refresh')
      return held
    },
  }
}

async function runHelper(
  { host, terminal }: Cli,
  helper: HelperScriptCredential,
  context: ClientContext,
  custom: Headers,
): Promise<ApiCredential> {
  const outcome = await runCredentialHelper(helper, context, { env: host.env, platform: host.platform })
  terminal.tell(outcome.stderr)
  if (outcome.ok) {
    const { token, headers } = outcome.credential
    return { token, headers: mergeHeaders(custom, headers), scheme: helper.authScheme ?? 'bearer' }
  }
  const command = helper.command ?? helper.commandWindows ?? ''
  throw new HelperError(
    'refused',
    `the credential helper gave nothing: ${outcome.message}`,
    `see what it says: ${programName} check-helper '${oneLine(command)}'`,
  )
}
