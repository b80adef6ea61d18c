import { release, version as systemVersion } from 'node:os'
import type { Part } from '../../../client/examination.ts'
import { isSignIn } from '../../../client/sign-in/find-sign-in.ts'
import type { ConfigDocument, HelperScriptCredential } from '../../../config/document.ts'
import { toContextVariables } from '../../../contract/detect-context.ts'
import { toAwsVariables } from '../../../contract/environment.ts'
import { renderVersion } from '../../../helper/run/help.ts'
import type { Environment } from '../../../runtime/environment.ts'
import { toOneLine } from '../../../runtime/failure.ts'
import { vendor } from '../../../vendor.ts'
import { renderUrl } from '../../ask-to-run.ts'
import type { Cli } from '../../cli.ts'
import { programName } from '../../program-name.ts'
import { describeDocument } from './document.ts'
import { describeFiles } from './files.ts'
import { explainHelper } from './helper.ts'
import { describeNetwork } from './network.ts'

/** An examination that is to be reported. */
export interface Examined {
  readonly source: string
  readonly document: ConfigDocument | undefined
  readonly parts: readonly Part[]
  /** The same for a person. */
  readonly examination: string
}

/** What a support ticket needs to know, as text; it holds no secret. */
export async function renderTicket(cli: Cli, { source, document, parts, examination }: Examined): Promise<string> {
  const { host } = cli
  const credential = document?.inference?.credential
  const helper = credential?.kind === 'helper-script' ? credential : undefined
  const aws = toAwsVariables(helper?.awsEnv, host.platform === 'win32' ? '\\' : '/')
  const env: Environment = { ...host.env, ...aws, ...toContextVariables('setup-test') }
  const sections: [title: string, lines: readonly string[]][] = [
    [
      `${programName} doctor`,
      [new Date(host.clock.now()).toISOString(), `of ${/^https?:/i.test(source) ? renderUrl(source) : source}`],
    ],
    ['System', describeSystem(cli)],
    ['Settings of the document', document ? describeDocument(document) : ['it cannot be read']],
    ['Files', await describeFiles(cli, { source, helper, env })],
    ['Variables that are set', listVariables(env)],
    ['Network of this command', await describeNetwork(host, listAddresses(document))],
    ['The helper explains itself', await explain(cli, { helper, parts, env })],
  ]
  const text = `${sections.map(([title, lines]) => renderSection(title, lines)).join('\n')}\nExamination\n${examination}`
  return hideMailAddresses(text)
}

/** Of people, such as the one who is signed in: a ticket is read by others. */
export function hideMailAddresses(text: string): string {
  return text.replace(/[\w.+%-]+@[\w-]+(\.[\w-]+)+/g, '[mail address]')
}

/** Only where it has run already: then somebody has agreed to that. */
async function explain(
  cli: Cli,
  { helper, parts, env }: { helper: HelperScriptCredential | undefined; parts: Examined['parts']; env: Environment },
): Promise<string[]> {
  if (!helper) return ['the document names none']
  const hasRun = parts.some(({ part, outcome }) => part === 'run' && outcome !== 'not examined')
  return hasRun ? explainHelper(cli, helper, env) : ['it was not run: an earlier part failed']
}

function renderSection(title: string, lines: readonly string[]): string {
  return `${title}\n${lines.map((line) => `  ${toOneLine(line)}\n`).join('')}`
}

function describeSystem({ host: { platform, runtimeVersion } }: Cli): string[] {
  const { timeZone, locale } = Intl.DateTimeFormat().resolvedOptions()
  return [
    renderVersion(programName, runtimeVersion),
    `${platform} ${release()} ${process.arch}, ${systemVersion()}`,
    `time zone ${timeZone}, language ${locale}`,
  ]
}

/** Names whose values decide what helpers and this command do. */
const telling = /^(GATEPASS_|AWS_|NODE_|SSL_CERT|XDG_|(https?|all|no)_proxy$|HOME$|APPDATA$|PATH$|LANG$|LC_ALL$)/i

/** The names alone: a value may be a secret. */
function listVariables(env: Environment): string[] {
  const names = Object.keys(env).filter(
    (name) => env[name] !== undefined && (telling.test(name) || name.startsWith(`${vendor.envPrefix}_`)),
  )
  return names.length === 0 ? ['none'] : [names.sort().join(', ')]
}

/** The gateway, and the provider with which people sign in. */
function listAddresses(document: ConfigDocument | undefined): (string | undefined)[] {
  const { baseUrl, credential } = document?.inference ?? {}
  const { issuer, tokenUrl } = isSignIn(credential) ? (credential.oidc ?? {}) : {}
  return [baseUrl, issuer ?? tokenUrl]
}
