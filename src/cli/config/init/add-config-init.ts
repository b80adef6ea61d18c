// Folder: `gatepass config init`: its questions, its flags and its answers.

import { type Command, InvalidArgumentError, Option } from 'commander'
import { credentialKinds } from '../../../config/field.ts'
import { parseDocument } from '../../../config/read/read-document.ts'
import { renderNested } from '../../../config/render/shapes.ts'
import { clientNames } from '../../../contract/clients.ts'
import { authSchemes } from '../../../contract/headers.ts'
import { bearerTokenTypes, redirectHosts } from '../../../contract/oauth-names.ts'
import { outcomeStatus } from '../../../runtime/failure.ts'
import { programName } from '../../../version.ts'
import { checkOnEverySystem } from '../../check-with-helper.ts'
import type { Cli } from '../../cli.ts'
import { createOutOption } from '../../option-values.ts'
import { tellFindings, toStatus } from '../../show-findings.ts'
import { chooseReaders, writeAnswer } from '../write-answer.ts'
import { collectAnswers } from './collect-answers.ts'
import { validateTtl } from './collect-helper.ts'
import { type InitFlags, refuseClientFlags } from './flags.ts'
import { baseUrlSummary, commandSummary } from './question.ts'
import { writeClientConfiguration } from './write-client-configuration.ts'

/** Adds `gatepass config init`: a valid document for any kind of credential, or the configuration of another client. */
export function addConfigInit(config: Command, cli: Cli): void {
  config
    .command('init')
    .description('write a new document; on a terminal it asks for what is missing')
    .addOption(new Option('--client <name>', 'the client that runs the helper (default: desktop)').choices(clientNames))
    .addOption(new Option('--kind <kind>', 'where the credential comes from').choices(credentialKinds))
    .option('--base-url <url>', baseUrlSummary)
    .addOption(new Option('--helper <name>', 'for helper-script: the helper').choices([...cli.helpers.keys()]))
    .option('--command <path>', commandSummary)
    .option('--command-windows <path>', 'where the helper is on Windows')
    .option('--arg <argument...>', 'an argument for the helper; may be repeated')
    .option(
      '--ttl <seconds>',
      'how long the client keeps a token; for codex and goose 0, until it is refused (default: what suits the helper)',
      parseTtl,
    )
    .option('--name <name>', `what the entry of the client is called, where it has one (default: ${programName})`)
    .option(
      '--wrapper <file>',
      'for a client that passes no arguments: the script to write (default: beside the helper)',
    )
    .option('--api-key-file <file>', 'for static: a file that holds the API key')
    .addOption(new Option('--auth-scheme <scheme>', 'how the key is sent').choices(authSchemes))
    .addOption(new Option('--auth-flow <flow>', 'for interactive and external-idp').choices(['browser', 'broker']))
    .option('--client-id <id>', 'the client ID of the app registration at the identity provider')
    .option('--issuer <url>', 'the HTTPS issuer; without discovery, give both URLs instead')
    .option('--authorization-url <url>', 'the authorization endpoint')
    .option('--token-url <url>', 'the token endpoint')
    .option('--scopes <scopes>', 'the scopes to ask for, with spaces between them')
    .addOption(new Option('--bearer-token-type <type>', 'the token to send').choices([...bearerTokenTypes]))
    .option('--no-offline-access', 'do not ask for a refresh token')
    .option('--resource <uri>', 'the resource indicator of the gateway (RFC 8707)')
    .option('--redirect-port <port>', 'a fixed port for the redirect (default: any free one)', parsePort)
    .addOption(new Option('--redirect-host <host>', 'as it is registered').choices(redirectHosts))
    .option('--additional-redirect-referrer-hosts <hosts>', 'more hosts from which the sign-in may come back')
    .addOption(createOutOption())
    .option(
      '--force',
      `replace an existing file, and write a document that would not work; the status stays ${outcomeStatus.no}`,
    )
    .addHelpText(
      'after',
      `\nExit status: ${outcomeStatus.done}; ${outcomeStatus.no} if the document would not work, and nothing is written without --force; ${outcomeStatus.usage} for a wrong command line; ${outcomeStatus.refused} if the file exists or cannot be written.`,
    )
    .action(async (flags: InitCommandFlags) => runInit(cli, flags))
}

interface InitCommandFlags extends InitFlags {
  readonly out?: string
  readonly force?: true
}

function parseTtl(text: string): string {
  const problem = validateTtl(text)
  // Some clients take 0 for "only after a refusal"; for others it is refused below.
  if (problem === undefined || text === '0') return text
  throw new InvalidArgumentError(`${problem}.`)
}

function parsePort(text: string): string {
  if (/^\d{1,9}$/.test(text)) return text
  throw new InvalidArgumentError('expected the number of a port.')
}

async function runInit(cli: Cli, { out, force, offlineAccess, ...others }: InitCommandFlags): Promise<void> {
  // Commander sets `true` if the flag is absent.
  const flags = { ...others, ...(offlineAccess === false && { offlineAccess }) }
  const { client = 'desktop' } = flags
  const target = { out, file: force ? 'replaced' : 'new' } as const
  if (client !== 'desktop') return writeClientConfiguration(cli, client, flags, target)
  refuseClientFlags(flags)
  const document = renderNested(await collectAnswers(cli, flags))
  const result = parseDocument(Buffer.from(document))
  const findings = await checkOnEverySystem(cli, result)
  const status = toStatus(findings)
  tellFindings(cli.terminal, 'the document', findings)
  cli.setExitStatus(status)
  const readers = chooseReaders(result.document)
  const destination = { ...target, readers }
  if (status === outcomeStatus.done || force) await writeAnswer(cli.terminal, document, destination)
}
