// Adds the options by which a command asks a configuration server for its document, and prepares the requests.

import { resolve } from 'node:path'
import type { Command } from 'commander'
import { createServedSource, type ServedSource, toAuthentication } from '../client/session/served-source.ts'
import {
  emptyAnchor,
  type HeadersHelper,
  parseTrustAnchor,
  type ServerSignIn,
  type TrustAnchor,
} from '../client/session/trust-anchor.ts'
import type { Finding } from '../config/finding.ts'
import type { ReadResult } from '../config/read/read-document.ts'
import { HelperError } from '../runtime/failure.ts'
import { createStreamFetch } from '../runtime/network/stream-fetch.ts'
import { askToRun, renderUrl, validateDestination } from './ask-to-run.ts'
import type { Cli } from './cli.ts'
import { createCommandSignIn } from './create-command-sign-in.ts'
import { readNetwork } from './network.ts'
import { describeSource, readSource, type SourceShape } from './read-source.ts'
import { tellFindings } from './show-findings.ts'

/** The options for a configuration server. */
export interface BootstrapFlags {
  readonly bootstrap?: string
  readonly bootstrapHelper?: string
}

/** Gives a command the options of {@link BootstrapFlags}. */
export function addBootstrapOptions(command: Command): Command {
  return command
    .option(
      '--bootstrap <url>',
      'take the document that this configuration server gives; a document that is named beside it is that of the device',
    )
    .option(
      '--bootstrap-helper <command>',
      'sign in there with the headers, or the token, that this program prints (default: as the document of the device says)',
    )
}

/** @throws {HelperError} `usage` for a sign-in without a configuration server. */
export function refuseBootstrapFlags({ bootstrap, bootstrapHelper }: BootstrapFlags): void {
  if (bootstrap === undefined && bootstrapHelper !== undefined)
    throw new HelperError(
      'usage',
      '--bootstrap-helper signs in at a configuration server, and none is named',
      'name it with --bootstrap, or remove --bootstrap-helper',
    )
}

/** A configuration server, the device's document, and the device's sign-in. */
interface DeviceBootstrap {
  readonly url: string
  readonly source: ServedSource
  readonly anchor: TrustAnchor
  readonly signIn: ServerSignIn
  /** The document of the device; absent if none was given. */
  readonly local?: ReadResult
  /** The findings about the keys in the device's document that describe the configuration server. */
  readonly findings: readonly Finding[]
}

/** A request of a command to a configuration server. */
export interface BootstrapRequest extends BootstrapFlags {
  readonly bootstrap: string
  /** The document of the device. */
  readonly device: string | undefined
  readonly shape?: SourceShape | undefined
  readonly yes?: true
  /** The client's time in epoch milliseconds, which determines how long a sign-in is kept. */
  readonly now?: () => number
}

/**
 * Prepares the requests of a device to its configuration server, after the person has agreed to the programs and the receiver of the
 * sign-in. Nothing is sent yet.
 * @throws {HelperError} `usage` for an address or a document that cannot be used, `not-configured` if the device has no server, and as
 * `askToRun` does.
 */
export async function prepareBootstrap(cli: Cli, request: BootstrapRequest): Promise<DeviceBootstrap> {
  const { bootstrap: url, device, shape, yes, now = cli.host.clock.now } = request
  const problem = validateDestination(url)
  if (problem) throw new HelperError('usage', `--bootstrap ${problem.message}`, problem.hint)
  const local = device === undefined ? undefined : await readDevice(cli, device, shape)
  const { anchor, findings } = local ? parseTrustAnchor(local) : { anchor: emptyAnchor, findings: [] }
  if (device !== undefined) tellFindings(cli.terminal, describeSource(device), findings)
  if (!anchor.isEnabled)
    throw new HelperError(
      'not-configured',
      `${describeSource(device ?? '')} switches the configuration server off (bootstrapEnabled)`,
      'set it to true, or remove --bootstrap',
    )
  const signIn = toSignIn(request, anchor)
  await askForSignIn(cli, { url, signIn }, yes)
  const { env, platform } = cli.host
  const source = createServedSource({
    url,
    signIn,
    env,
    platform,
    now,
    authentication: toAuthentication(anchor.signIn),
    openSignIn: await createCommandSignIn(cli.host),
    fetch: createStreamFetch({ network: await readNetwork(cli.host), silenceSec: longestSilenceSec }),
  })
  return { url, source, anchor, signIn, findings, ...(local && { local }) }
}

/** Longer than a client waits for a whole answer, which has its own limit. */
const longestSilenceSec = 60

async function readDevice(cli: Cli, device: string, shape: SourceShape | undefined): Promise<ReadResult> {
  const result = await readSource(cli, device, shape)
  const [error] = result.findings
  if (result.document) return result
  throw new HelperError(
    'usage',
    `${describeSource(device)} cannot be read: ${error?.message}`,
    error?.hint || 'name another file',
  )
}

function toSignIn({ bootstrapHelper }: BootstrapFlags, anchor: TrustAnchor): ServerSignIn {
  if (bootstrapHelper === undefined) return anchor.signIn
  const helper: HeadersHelper = { command: resolve(bootstrapHelper), prints: 'headers or a token' }
  return { kind: 'headers', headers: {}, helper }
}

/** Consent is needed only if the device sends something of its own. */
async function askForSignIn(
  { terminal }: Cli,
  { url, signIn }: { readonly url: string; readonly signIn: ServerSignIn },
  yes: true | undefined,
): Promise<void> {
  const destination = renderUrl(url)
  if (signIn.kind === 'oidc') await askToRun(terminal, { providers: [signIn.settings], destination }, yes)
  if (signIn.kind !== 'headers') return
  const helpers = signIn.helper ? [{ kind: 'helper-script', command: signIn.helper.command } as const] : []
  await askToRun(terminal, { helpers, destination }, yes)
}
