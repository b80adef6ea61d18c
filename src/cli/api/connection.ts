import { type Command, Help, InvalidArgumentError, Option } from 'commander'
import {
  type ApiConnection,
  createApiFetch,
  defaultSilenceSec,
  type HttpExchange,
  longestSilenceSec,
} from '../../api/api-fetch.ts'
import type { Api } from '../../api/create-api.ts'
import { type BetaFeature, betaFeatures } from '../../contract/http-api.ts'
import { toOneLine } from '../../runtime/failure.ts'
import { secretMark } from '../../runtime/secret.ts'
import { vendor } from '../../vendor.ts'
import type { Cli } from '../cli.ts'
import { addBootstrapOptions, type BootstrapFlags } from '../configuration-server.ts'
import { readNetwork } from '../network.ts'
import { createHelperOption, createYesOption, parseCount } from '../option-values.ts'
import { addressVariable, resolveAccess } from './resolve-access.ts'

/** The options of every command that uses the API. */
export interface ConnectionFlags extends BootstrapFlags {
  readonly baseUrl?: string
  readonly document?: string
  readonly helper?: string
  readonly yes?: true
  readonly workspace?: string
  readonly beta?: readonly BetaFeature[]
  readonly timeout: number
  readonly verbose?: true
}

/** Adds the options of {@link ConnectionFlags} to a command. */
export function addConnectionOptions(command: Command): Command {
  return addBootstrapOptions(command)
    .configureHelp({ optionDescription: describeOption })
    .option('--base-url <url>', `the address of the API (default: the document's, or ${addressVariable})`)
    .addOption(
      new Option(
        '--document <document>',
        `a file or URL that says where the credential comes from (default: ${vendor.apiKeyVariable})`,
      ).conflicts('helper'),
    )
    .addOption(createHelperOption().conflicts('bootstrap'))
    .addOption(createYesOption())
    .option('--workspace <id>', `send ${vendor.workspaceHeader}, for a credential that is not for one workspace`)
    .addOption(
      new Option('--beta <feature...>', 'a beta feature to use; a wrong name prints the list').choices(betaFeatures),
    )
    .option('--timeout <seconds>', 'how long the API may be silent', parseSeconds, defaultSilenceSec)
    .option('--verbose', 'show requests and answers without secrets, on standard error')
}

/** Shortens the help, because the names of all beta features would hide the other options. */
function describeOption(option: Option): string {
  return option.long === '--beta' ? option.description : new Help().optionDescription(option)
}

/** Prepares a request's connection from options, environment and document. */
export async function prepareConnection(cli: Cli, flags: ConnectionFlags): Promise<ApiConnection> {
  const { credentials, baseUrl } = await resolveAccess(cli, flags)
  return {
    baseUrl,
    credentials,
    fetch: createApiFetch({ network: await readNetwork(cli.host), silenceSec: flags.timeout }),
    ...(flags.workspace !== undefined && { workspaceId: flags.workspace }),
    ...(flags.beta && { betas: flags.beta }),
    ...(flags.verbose && { onExchange: (exchange) => cli.terminal.tell(renderExchange(exchange)) }),
  }
}

/** Creates the typed client for {@link prepareConnection}; loaded here, so that other commands start without it. */
export async function openApi(cli: Cli, flags: ConnectionFlags): Promise<Api> {
  const connection = await prepareConnection(cli, flags)
  const { createApi } = await import('../../api/create-api.ts')
  return createApi(connection)
}

function parseSeconds(text: string): number {
  const seconds = parseCount(text)
  if (seconds >= 1 && seconds <= longestSilenceSec) return seconds
  throw new InvalidArgumentError(`expected 1 to ${longestSilenceSec} seconds.`)
}

/** The header in which servers send secrets. */
const maskedHeader = 'set-cookie'

function renderExchange({ method, url, sent, status, received }: HttpExchange): string {
  const lines = (mark: string, headers: HttpExchange['sent']) =>
    Object.entries(headers).map(([name, value]) => `${mark} ${name}: ${name === maskedHeader ? secretMark : value}`)
  const all = [`> ${method} ${url}`, ...lines('>', sent), `< ${status}`, ...lines('<', received)]
  return all.map((line) => `${toOneLine(line)}\n`).join('')
}
