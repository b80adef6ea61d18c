import { isNeutral, vendor } from '../../vendor.ts'
import { programName, version } from '../../version.ts'
import { type SetupAnswers, splitList } from './answers.ts'
import { awsDirectories } from './plan-document.ts'
import { type AnsweredSetup, findHelper, isNone } from './situation.ts'

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
