// Plans the documents of a setup folder; `plan-folder.ts` plans the whole folder.

import type { OperatingSystem } from '../../config/check/rule.ts'
import type { ConfigDocument } from '../../config/document.ts'
import type { Finding } from '../../config/finding.ts'
import { parseDocument, type ReadResult } from '../../config/read/read-document.ts'
import { renderNested } from '../../config/render/shapes.ts'
import { findKeyGateway } from '../../contract/aws/keys.ts'
import { listMissing } from '../../helper/options/option-table.ts'
import { hasArgument } from '../../helper/options/option-value.ts'
import { requireGiven } from '../../helper/run/validate-options.ts'
import { HelperError } from '../../runtime/failure.ts'
import { machineDirectories } from '../../runtime/host.ts'
import { installDirectories, locateInstalled } from '../../suite/installed-programs.ts'
import { checkOnEverySystem, toValidated } from '../check-with-helper.ts'
import type { Cli } from '../cli.ts'
import { collectAnswers } from '../config/init/collect-answers.ts'
import { type InitFlags, toArguments, toProviderArguments } from '../config/init/flags.ts'
import { acceptLoopback } from '../doctor/examine-source.ts'
import { usualHelpers } from '../helper-choices.ts'
import { isNone, type SetupAnswers, splitList } from './answers.ts'
import { documentPath, type OwnTexts, windowsDocumentPath } from './folder.ts'
import { findHelper } from './setup-question.ts'

/** The checked document of some systems. */
export interface PlannedDocument {
  /** The path of the document below the folder. */
  readonly path: string
  readonly systems: readonly OperatingSystem[]
  readonly text: string
  /** The text from the answers, if a person's own document replaces it. */
  readonly proposed?: string | undefined
  readonly result: ReadResult
  readonly findings: readonly Finding[]
}

/** The profile in a distributed file. */
export const handedOutProfile = 'inference'
/** The directories of the AWS files for the client; macOS uses that of Linux. */
export const awsDirectories = {
  posix: `${machineDirectories.linux}/aws`,
  windows: String.raw`${installDirectories.windows}\aws`,
} as const

/**
 * Creates the document like `gatepass config init`, and checks it: one for all systems, or two if the distributed profiles have another
 * path on Windows. A person's own document is used instead, and checked in the same way.
 */
export async function planDocuments(cli: Cli, answers: SetupAnswers, texts: OwnTexts): Promise<PlannedDocument[]> {
  const systems = splitList(answers.systems) as OperatingSystem[] // the question accepts only these words
  const document = await collectAnswers(withoutPerson(cli), toInitFlags(cli, answers))
  if (isNone(answers['sso-start-url']))
    return [await planDocument(cli, document, texts, { path: documentPath, systems })]
  const posix = systems.filter((system) => system !== 'windows')
  const planned = [
    { path: documentPath, systems: posix, awsDir: awsDirectories.posix },
    {
      path: posix.length > 0 ? windowsDocumentPath : documentPath,
      systems: systems.filter((system) => system === 'windows'),
      awsDir: awsDirectories.windows,
    },
  ].filter(({ systems }) => systems.length > 0)
  return Promise.all(
    planned.map(({ awsDir, ...target }) => {
      const isWindows = awsDir === awsDirectories.windows
      return planDocument(cli, withAwsDir(document, awsDir, isWindows ? 'command' : 'commandWindows'), texts, target)
    }),
  )
}

/** Returns a world without a person: everything is answered, and the notices about a provider are in the folder. */
function withoutPerson(cli: Cli): Cli {
  return { ...cli, terminal: { ...cli.terminal, startConversation: () => undefined, tell: () => {} } }
}

function toInitFlags(cli: Cli, answers: SetupAnswers): InitFlags {
  const { identity = '', scopes } = answers
  const isHelper = findHelper({ cli, answers }) !== undefined
  const systems = splitList(answers.systems)
  const given = {
    baseUrl: answers['base-url'],
    apiKeyFile: answers['api-key-file'],
    ...(isHelper ? {} : toProviderFlags(answers)),
    ...(isHelper && {
      helper: identity,
      command: systems.some((system) => system !== 'windows')
        ? (answers.command ?? locateInstalled(identity, 'posix'))
        : undefined,
      commandWindows: systems.includes('windows')
        ? (answers['command-windows'] ?? locateInstalled(identity, 'windows'))
        : undefined,
      arg: listHelperArguments(cli, answers),
      ttl: answers.ttl,
    }),
    ...(!isHelper && !isNone(scopes) && { bearerTokenType: 'access_token' as const }),
  }
  const set = Object.entries(given).filter(([, value]) => value !== undefined)
  return { kind: isHelper ? 'helper-script' : identity, ...Object.fromEntries(set) } as InitFlags // every name above is that of a flag
}

async function planDocument(
  cli: Cli,
  document: ConfigDocument,
  texts: OwnTexts,
  target: Pick<PlannedDocument, 'path' | 'systems'>,
): Promise<PlannedDocument> {
  const proposed = renderNested(document)
  const ownText = texts.get(target.path)
  const text = ownText ?? proposed
  const result = parseDocument(Buffer.from(text))
  const findings = await checkOnEverySystem(cli, result)
  return {
    ...target,
    text,
    proposed: ownText === undefined ? undefined : proposed,
    result,
    findings: findings.map((finding) => acceptLoopback(finding, result)),
  }
}

/** Returns the document for the systems with that directory, without the helper's path on other systems. */
function withAwsDir(
  { inference, ...document }: ConfigDocument,
  awsDir: string,
  other: 'command' | 'commandWindows',
): ConfigDocument {
  const credential = inference?.credential
  if (credential?.kind !== 'helper-script') return { ...document, ...(inference && { inference }) }
  const { [other]: _, ...own } = credential
  return { ...document, inference: { ...inference, credential: { ...own, awsEnv: { awsDir } } } }
}

function toProviderFlags({ issuer, scopes, ...answers }: SetupAnswers): InitFlags {
  return {
    ...(answers['client-id'] !== undefined && { clientId: answers['client-id'] }),
    ...(issuer !== undefined && { issuer }),
    ...(!isNone(scopes) && { scopes: scopes!, bearerTokenType: 'access_token' as const }),
    ...(answers['redirect-port'] !== undefined && { redirectPort: answers['redirect-port'] }),
  }
}

/** Lists the arguments of the helper from the answers, and the administrator's further arguments. */
export function listHelperArguments(cli: Cli, answers: SetupAnswers): string[] {
  const { options = {} } = findHelper({ cli, answers }) ?? {}
  const said = answers.arg ?? []
  const isSaid = (option: string) => hasArgument(said, option)
  const one = (option: string, value: string | undefined) =>
    value === undefined || !Object.hasOwn(options, option) || isSaid(option) ? [] : toArguments(option, value)
  const store = answers['refresh-token-store']
  const key = answers['key-header']
  return [
    ...toProviderArguments(toProviderFlags(answers)),
    ...(store === 'none' ? [] : one('refresh-token-store', store)),
    ...one('profile', isNone(answers['sso-start-url']) ? undefined : handedOutProfile),
    ...(findKeyGateway(URL.parse(answers['base-url'] ?? '')?.hostname ?? '') === undefined
      ? one('region', answers['sso-region'])
      : []),
    ...one('audience', answers['gateway-audience']),
    ...(key === undefined ? [] : ['--second-helper', usualHelpers.key, '--header', `${key}: {second.token}`]),
    ...said,
  ]
}

/** Lists the required options of the helper that nothing sets. */
export async function listMissingOptions(cli: Cli, answers: SetupAnswers): Promise<string[]> {
  const helper = findHelper({ cli, answers })
  if (!helper) return []
  const name = answers.identity ?? ''
  try {
    const values = await requireGiven(toValidated(cli, { name, helper }, 'linux'), listHelperArguments(cli, answers))
    return listMissing(helper.options, values)
  } catch (error) {
    // The check of the document reports wrong arguments.
    if (error instanceof HelperError) return []
    throw error
  }
}
