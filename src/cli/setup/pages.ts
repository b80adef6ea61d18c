import { findKeyGateway, keyServices } from '../../contract/aws/keys.ts'
import { chooseSettings } from '../../contract/identity-providers/choose-settings.ts'
import { describeRedirect } from '../../contract/identity-providers/describe-redirect.ts'
import { detectProviderFamily } from '../../contract/identity-providers/detect-family.ts'
import { listKeyPermissions } from '../../sources/aws/proofs/key-declaration.ts'
import { isNeutral, vendor } from '../../vendor.ts'
import { programName, version } from '../../version.ts'
import { usualHelpers } from '../choose/choices.ts'
import { type SetupAnswers, splitList } from './answers.ts'
import { awsDirectories } from './plan-document.ts'
import { type AnsweredSetup, findHelper, isAwsProof, isNone, isOpenId } from './situation.ts'

interface ListedFile {
  readonly path: string
  readonly about: string
}

/** The folder's README: what each file is, in the order in which they are used. */
export function renderReadme(files: readonly ListedFile[]): string {
  const rows = toRows(files).map(({ path, about }) => `| \`${path}\` | ${about} |\n`)
  const client = isNeutral
    ? '\n**These are neutral names, which reach no client.** Name yours: `gatepass setup --client NAME`.\n'
    : `\nThe client is that of ${vendor.name}.\n`
  return `# A rollout of ${programName}

Read [registration.md](registration.md) first, then try it, \`${programName} setup try\` in this folder, and follow [pilot.md](pilot.md).
${client}
| file | what it is |
|---|---|
${rows.join('')}
Change an answer with its option, such as \`${programName} setup --ttl 600\`: it shows what would change, and \`--write\` writes it. A file
that you have changed yourself is kept, and named. Keep the folder under version control.
`
}

/** The files of a recipe are one row, because their own folders say where each belongs. */
function toRows(files: readonly ListedFile[]): ListedFile[] {
  const recipe = files.filter(({ path }) => /^gateway\/(?!policy)/.test(path))
  const [first] = recipe
  const row = first && { path: 'gateway/…', about: first.about.replace(/: .*/, ', each file below its own path') }
  return files.flatMap((file) => (file === first && row ? [row] : recipe.includes(file) ? [] : [file]))
}

/** What somebody registers with the provider, or permits at AWS. */
export function renderRegistration(situation: AnsweredSetup): string {
  const steps = isOpenId(situation) ? listProviderSteps(situation) : listOtherSteps(situation)
  return `# What to register\n\n${steps.map((step, index) => `${index + 1}. ${step}\n`).join('')}`
}

function listProviderSteps({ cli, answers }: AnsweredSetup): string[] {
  const { issuer, scopes } = answers
  const chosen = chooseSettings({ issuer })
  const settings = { issuer, clientId: answers['client-id'], ...chosen, ...toPort(answers) }
  const { title, publicSetting, gatewayToken, audience, offlineAccess } = detectProviderFamily({ issuer })
  const helper = findHelper({ cli, answers })
  const keepsNone = helper !== undefined && answers['refresh-token-store'] === 'none'
  const token = isNone(scopes)
    ? `The gateway gets the ID token: have it take the issuer \`${issuer}\` and the audience \`${answers['client-id']}\`.`
    : `The gateway gets the access token for \`${scopes}\`: register the gateway as an API with that scope, permit the client to use it, and have the gateway take the issuer \`${issuer}\` and the audience of that API.`
  const renewal = keepsNone
    ? 'No refresh token is asked for: people sign in whenever a token ends.'
    : offlineAccess === 'client'
      ? `Let the client use the grant "refresh token": with ${title} its registration decides.`
      : offlineAccess === 'scope'
        ? 'Let the client use the grants "authorization code" and "refresh token" with the scope offline_access.'
        : 'Let the client use the grant "authorization code"; its refresh token comes without a scope of its own.'
  return [
    `With ${title}: register a public client, a native application without a secret, which uses PKCE.`,
    `${toSentence(publicSetting)}.`,
    `${toSentence(describeRedirect(settings).text)}.`,
    token,
    ...(isNone(scopes) || audience === undefined ? [] : [`${title} names the API by ${audience}.`]),
    ...(isNone(scopes) ? [`Which token fits: ${gatewayToken.why}.`] : []),
    renewal,
    'Grant the consent of an administrator once, so that nobody is asked for it on the first morning.',
    ...(answers['key-header'] === undefined
      ? []
      : [`Hand out a key for \`${answers['key-header']}\`, which each machine keeps: \`${usualHelpers.key} store\`.`]),
  ]
}

function toPort(answers: SetupAnswers): { redirectPort?: number } {
  const port = answers['redirect-port']
  return port === undefined ? {} : { redirectPort: Number(port) }
}

function toSentence(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`
}

function listOtherSteps(situation: AnsweredSetup): string[] {
  const { answers } = situation
  const helper = findHelper(situation)
  if (answers.identity === 'static') return ['Create the key at the gateway, with an end, and replace it before that.']
  if (!helper || !Object.hasOwn(helper.options, 'profile'))
    return [`Nothing but what \`${answers.identity}\` needs: its page, docs/helpers/${answers.identity}.md, says it.`]
  const assign = isNone(answers['sso-start-url'])
    ? ['Give people an AWS profile, of any kind.']
    : [
        `In IAM Identity Center, create the permission set \`${answers['sso-role']}\`, and assign it to the people’s group in the account \`${answers['sso-account']}\`.`,
      ]
  if (isAwsProof(situation))
    return [...assign, 'No permission is needed: AWS tells every identity who it is. The gateway asks AWS STS.']
  return [...assign, ...listPolicySteps(situation)]
}

/** The permissions of a helper that makes keys, as one policy to paste. */
function listPolicySteps({ answers, cli }: AnsweredSetup): string[] {
  const helper = findHelper({ cli, answers })
  const host = URL.parse(answers['base-url'] ?? '')?.hostname ?? ''
  if (!helper || !Object.hasOwn(helper.options, 'service'))
    return [`Permit what \`${answers.identity} --explain\` names.`]
  const gateway = findKeyGateway(host)
  const service = gateway?.service.name ?? keyServices[0]!.name
  const region = gateway?.region ?? answers['sso-region'] ?? 'us-east-1'
  const permissions = listKeyPermissions({ service, workspace: undefined }, { region })
  const statements = permissions.map(({ action, resource }) => ({
    Effect: 'Allow',
    Action: action,
    Resource: resource,
  }))
  const policy = JSON.stringify({ Version: '2012-10-17', Statement: statements }, undefined, 2)
  return [`Give it this policy:\n\n${'```'}json\n${policy}\n${'```'}\n`]
}

/** The packages of each system, and how they are checked. */
export function renderPackages({ systems }: SetupAnswers): string {
  const rows = splitList(systems).map((system) => `| ${system} | ${packageFiles[system]?.join('<br>') ?? ''} |\n`)
  return `# Packages to fetch

From the release ${version}, for every desktop:

| system | file |
|---|---|
${rows.join('')}
Check what you fetched: \`sha256sum --check --ignore-missing SHA256SUMS\`. docs/verify-release.md says who has signed it, docs/install.md how it is
installed. Install it after \`vendor.json\` and the machine's file, and before the document.
`
}

const helpers = `${programName}-helpers`
const packageFiles: Readonly<Record<string, readonly string[]>> = {
  linux: [
    `\`${helpers}_${version}_amd64.deb\``,
    `\`${helpers}-${version}-1.x86_64.rpm\``,
    `\`${helpers}-${version}-linux-x64.tar.xz\``,
  ],
  macos: [`\`${helpers}-${version}-darwin-arm64.tar.xz\`, or the \`.pkg\` made from it`],
  windows: [`\`${helpers}-${version}-win32-x64.msi\``],
}

/** The pilot on one page: who, in which order, and when to go on or back. */
export function renderPilot(situation: AnsweredSetup, files: readonly ListedFile[]): string {
  const { answers } = situation
  const { identity = '', outcomes } = answers
  const helper = findHelper(situation)
  const has = (path: string) => files.some((file) => file.path === path)
  const order = [
    ...(has('vendor.json') ? ['`vendor.json`, into the machine’s directory'] : []),
    ...(helper ? [`\`machine/${identity}.json\`, beside it`] : []),
    ...(has('aws/config')
      ? [`\`aws/config\`, into \`${awsDirectories.posix}\` (on macOS too), on Windows \`${awsDirectories.windows}\``]
      : []),
    ...(helper ? ['the package'] : []),
    'the document, as exported for each system',
  ]
  const machineDirectory =
    '`/etc/gatepass`, on macOS `/Library/Application Support/Gatepass`, on Windows `C:\\Program Files\\Gatepass`'
  const told =
    !helper || isNone(outcomes) ? '' : `, and what ${outcomes === 'system' ? 'the system’s log' : outcomes} is told`
  return `# The pilot

| ring | who | go on when |
|---|---|---|
| 1 | those who do this | each machine’s detection says \`as exported\`, and a turn went through after a night |
| 2 | one team on each system | two days without a lost turn |
| 3 | a tenth of all | the provider and the gateway refuse no more than before |
| 4 | everybody | |

Each machine gets, in this order:

${order.map((words, index) => `${index + 1}. ${words}\n`).join('')}
The machine’s directory is ${machineDirectory}: only an administrator may write there.

**Before ring 1**: \`${programName} setup try\` has shown how often people are asked.
**On Monday** look at: the detection${told}, and \`${programName} doctor document.json\` on a machine that fails.
**Back**: first take the document away, then the package. ${has('gateway/policy.json') ? 'The verifier keeps running: it stores nothing about people.' : ''}
`
}
