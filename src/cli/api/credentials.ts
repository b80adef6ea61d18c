import { resolve } from 'node:path'
import type { ApiCredentialSource } from '../../api/request/connection.ts'
import { findSignIn, isSignIn, type SignInCredential } from '../../client/sign-in/find-sign-in.ts'
import type { GatewayInference } from '../../client/turn/gateway-inference.ts'
import type { Credential } from '../../config/document.ts'
import { HelperError } from '../../runtime/failure.ts'
import { Secret } from '../../runtime/secret.ts'
import type { OidcSettings } from '../../sources/oauth/oidc/settings.ts'
import { vendor } from '../../vendor.ts'
import { askToRun, renderUrl } from '../ask-to-run.ts'
import type { Cli } from '../cli.ts'
import { createCommandSignIn } from '../open-sign-in.ts'
import { programName } from '../program-name.ts'
import { describeSource, readSource } from '../read-source.ts'
import { tellFindings } from '../show-findings.ts'
import { openClientSource } from './client-source.ts'

/** Credentials, and the address that they are sent to. */
export interface Access {
  readonly credentials: ApiCredentialSource
  readonly baseUrl: string
}

/** What names a credential and an address. */
export interface AccessFlags {
  readonly document?: string
  readonly helper?: string
  readonly baseUrl?: string
  readonly yes?: true
}

/** From the document, the helper or the environment: the first that is named. */
export async function resolveAccess(cli: Cli, flags: AccessFlags): Promise<Access> {
  if (flags.document !== undefined) return openDocument(cli, flags.document, flags)
  if (flags.helper !== undefined) {
    const credential = { kind: 'helper-script', command: resolve(flags.helper) } as const
    const baseUrl = requireAddress(cli, flags)
    return { credentials: openClientSource(cli, { baseUrl, credential }, await createCommandSignIn(cli.host)), baseUrl }
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

/** The variable with the address if no option and no document names it. */
export const addressVariable = 'GATEPASS_BASE_URL'

function requireAddress({ host }: Cli, { baseUrl }: AccessFlags, documented?: string): string {
  const address = baseUrl ?? documented ?? host.env[addressVariable]
  if (address) return address
  throw new HelperError('usage', 'the address of the API is missing', `pass --base-url, or set ${addressVariable}`)
}

async function openDocument(cli: Cli, source: string, flags: AccessFlags): Promise<Access> {
  const { document, findings } = await readSource(cli, source)
  const errors = findings.filter(({ severity }) => severity === 'error')
  const hint = `look at it with: ${programName} config check '${source}'`
  if (!document)
    throw new HelperError('usage', `${source} cannot be read: ${errors[0]?.message}`, errors[0]?.hint || hint)
  tellFindings(cli.terminal, describeSource(source), errors)
  const { inference } = document
  if (inference?.provider !== 'gateway') throw new HelperError('not-configured', `${source} names no gateway`, hint)
  const baseUrl = requireAddress(cli, flags, inference.baseUrl)
  return { credentials: await openCredential(cli, { ...inference, baseUrl }, flags, hint), baseUrl }
}

/** As the client obtains it, once the person has agreed to what is run and where the credential goes. */
async function openCredential(
  cli: Cli,
  inference: GatewayInference,
  flags: AccessFlags,
  hint: string,
): Promise<ApiCredentialSource> {
  const { credential, baseUrl } = inference
  const problem = findKindProblem(credential)
  if (problem !== undefined) throw new HelperError('not-configured', problem, hint)
  const helpers = credential?.kind === 'helper-script' ? [credential] : []
  const providers = isSignIn(credential) ? [requireSignIn(credential)] : []
  await askToRun(cli.terminal, { helpers, providers, destination: renderUrl(baseUrl) }, flags.yes)
  return openClientSource(cli, inference, await createCommandSignIn(cli.host))
}

/** The provider of a sign-in. @throws {HelperError} `not-configured` for one that this command cannot make. */
function requireSignIn(credential: SignInCredential): OidcSettings {
  const found = findSignIn(credential)
  if ('failure' in found) throw new HelperError('not-configured', found.message, found.hint)
  return found
}

/** Why a document's credential cannot be used from here. */
function findKindProblem(credential: Credential | undefined): string | undefined {
  switch (credential?.kind) {
    case 'helper-script':
    case 'interactive':
    case 'external-idp':
      return undefined
    case 'static':
      return credential.apiKey === undefined ? 'the document has no key (apiKey) for its static credential' : undefined
    case undefined:
      return 'the document names no credential'
  }
}
