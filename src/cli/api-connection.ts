import { type Command, InvalidArgumentError, Option } from 'commander'
import type { ApiConnection, Exchange } from '../api/api-connection.ts'
import type { Api } from '../api/create-api.ts'
import { type BetaFeature, betaFeatures } from '../contract/http-api.ts'
import { HelperError, oneLine } from '../runtime/failure.ts'
import { vendor } from '../vendor.ts'
import { resolveAccess } from './api-credentials.ts'
import type { Cli } from './cli.ts'

/** What every command that uses the API can be told. */
export interface ConnectionFlags {
  readonly baseUrl?: string
  readonly document?: string
  readonly helper?: string
  readonly yes?: true
  readonly workspace?: string
  readonly beta?: readonly BetaFeature[]
  readonly verbose?: true
}

/** Where the address stands if no option and no document names it. */
const addressVariable = 'GATEPASS_BASE_URL'

/** How long the API may take to answer. */
const answerTimeoutMs = 60_000

/** Gives a command the options of {@link ConnectionFlags}. */
export function addConnectionOptions(command: Command): Command {
  return command
    .option('--base-url <url>', `the address of the API (default: the document's, or ${addressVariable})`)
    .addOption(
      new Option(
        '--document <document>',
        `a file or URL that says where the credential comes from (default: ${vendor.apiKeyVariable})`,
      ).conflicts('helper'),
    )
    .option('--helper <command>', 'a credential helper to run, as a full path')
    .option('--yes', 'run and send what the document says without asking')
    .option('--workspace <id>', `send ${vendor.workspaceHeader}, for a credential that is not for one workspace`)
    .addOption(new Option('--beta <feature...>', 'a beta feature to use').choices(betaFeatures))
    .option('--verbose', 'show requests and answers without secrets, on standard error')
}

/** Everything that a request needs, from options, environment and document. */
export async function resolveConnection(cli: Cli, flags: ConnectionFlags): Promise<ApiConnection> {
  const access = await resolveAccess(cli, flags)
  const baseUrl = flags.baseUrl ?? access.baseUrl ?? cli.host.env[addressVariable]
  if (!baseUrl)
    throw new HelperError('usage', 'the address of the API is missing', `pass --base-url, or set ${addressVariable}`)
  return {
    baseUrl,
    credentials: access.credentials,
    fetch: (url, init) => fetchOrExplain(url, init),
    ...(flags.workspace !== undefined && { workspaceId: flags.workspace }),
    ...(flags.beta && { betas: flags.beta }),
    ...(flags.verbose && { onExchange: (exchange) => cli.terminal.tell(renderExchange(exchange)) }),
  }
}

/** The typed client for {@link resolveConnection}; loaded here, so that other commands start without it. */
export async function openApi(cli: Cli, flags: ConnectionFlags): Promise<Api> {
  const connection = await resolveConnection(cli, flags)
  const { createApi } = await import('../api/create-api.ts')
  return createApi(connection)
}

/** A whole number, for an option. */
export function parseCount(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('expected a whole number.')
}

async function fetchOrExplain(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, { ...init, signal: AbortSignal.timeout(answerTimeoutMs) })
  } catch (cause) {
    const { origin } = new URL(url)
    const { code } = ((cause as Error).cause ?? {}) as NodeJS.ErrnoException
    throw new HelperError(
      'unavailable',
      `${origin} does not answer${code === undefined ? '' : ` (${code})`}`,
      `check that it is the address of the API: curl -sS -o /dev/null -w '%{http_code}\\n' '${origin}'`,
      { cause },
    )
  }
}

/** Headers that carry a secret of the server's own. */
const masked = new Set(['set-cookie'])

function renderExchange({ method, url, sent, status, received }: Exchange): string {
  const lines = (mark: string, headers: Exchange['sent']) =>
    Object.entries(headers).map(([name, value]) => `${mark} ${name}: ${masked.has(name) ? '[secret]' : value}`)
  const all = [`> ${method} ${url}`, ...lines('>', sent), `< ${status}`, ...lines('<', received)]
  return all.map((line) => `${oneLine(line)}\n`).join('')
}
