import { resolve } from 'node:path'
import type { ApiCredential, ApiCredentialSource } from '../api/api-connection.ts'
import { runCredentialHelper } from '../client/run-credential-helper.ts'
import type { HelperScriptCredential, Inference } from '../config/document.ts'
import type { ClientContext } from '../contract/context.ts'
import { type Headers, mergeHeaders } from '../contract/headers.ts'
import { HelperError, oneLine } from '../runtime/failure.ts'
import { Secret } from '../runtime/secret.ts'
import { vendor } from '../vendor.ts'
import { askToRun, renderUrl } from './ask-to-run.ts'
import { type Cli, programName } from './cli.ts'
import { readSource } from './read-source.ts'

/** Credentials, and the address that goes with them if the document names one. */
export interface Access {
  readonly credentials: ApiCredentialSource
  readonly baseUrl: string | undefined
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
    return { credentials: helperSource(cli, helper, {}), baseUrl: undefined }
  }
  const key = cli.host.env[vendor.apiKeyVariable]
  if (!key)
    throw new HelperError(
      'not-configured',
      `there is no credential: ${vendor.apiKeyVariable} is not set`,
      `set ${vendor.apiKeyVariable}, or pass --helper or --document`,
    )
  return { credentials: constantSource({ token: new Secret(key), scheme: 'bearer', headers: {} }), baseUrl: undefined }
}

async function openDocument(cli: Cli, source: string, flags: AccessFlags): Promise<Access> {
  const { document } = await readSource(cli.terminal, source)
  const inference = document?.inference
  const hint = `look at it with: ${programName} config check '${source}'`
  if (inference?.provider !== 'gateway')
    throw new HelperError('not-configured', `${source} names no gateway, or cannot be read`, hint)
  return { credentials: await openCredential(cli, inference, flags, hint), baseUrl: inference.baseUrl }
}

/** The kinds that need no sign-in of the client's own. */
async function openCredential(
  cli: Cli,
  { credential, customHeaders = {}, baseUrl }: Inference,
  flags: AccessFlags,
  hint: string,
): Promise<ApiCredentialSource> {
  const url = flags.baseUrl ?? baseUrl
  const destination = url === undefined ? 'nobody' : renderUrl(url)
  const ask = (helpers: readonly HelperScriptCredential[]) =>
    askToRun(cli.terminal, { helpers, destination }, flags.yes)
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
