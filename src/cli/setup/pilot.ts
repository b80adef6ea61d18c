import { programName } from '../../version.ts'
import type { FolderFile } from './folder.ts'
import { findVerifierAddress, openMark } from './gateway-files.ts'
import { listManaged, type ManagedSystem, managementTools } from './management.ts'
import { managementSteps } from './management-steps.ts'
import { findMachineDirectory } from './place-files.ts'
import { type AnsweredSetup, findHelper, isNone } from './situation.ts'

/** The pilot on one page: who, in which order, and when to go on or back. */
export function renderPilot(situation: AnsweredSetup, files: readonly FolderFile[]): string {
  const { answers } = situation
  const hasPackage = findHelper(situation) !== undefined
  const hasPlacement = files.some(({ path }) => path.includes('/place-files.'))
  const sections = listManaged(answers).map((managed) => renderSection(managed, { hasPackage, hasPlacement }))
  const order = [
    ...(hasPlacement ? ['the files of the machine'] : []),
    ...(hasPackage ? ['the package'] : []),
    'the document',
  ]
  const told =
    !hasPackage || isNone(answers.outcomes)
      ? ''
      : `, and what ${answers.outcomes === 'system' ? 'the system’s log' : answers.outcomes} is told`
  return `# The pilot

| ring | who | go on when |
|---|---|---|
| 1 | ten machines of those who do this | each says \`as exported\`, and a turn went through after a night |
| 2 | one team on each system | two days without a lost turn |
| 3 | a tenth of all | the provider and the gateway refuse no more than before |
| 4 | everybody | |

**Before ring 1**: ${describeGateway(files)}\`${programName} setup try\` has shown how often people are asked.
Each machine gets, in this order: ${order.join(', ')}. For the next ring, only the group changes.
${sections.join('')}
## After that

**On Monday** look at: the detection${told}, and \`${programName} doctor document.json\` on a machine that fails.
**Back**: first take the document away, then the package${hasPlacement ? `, then ${describeDirectories(situation)}` : ''}. ${answers.recipe !== undefined && !isNone(answers.recipe) ? 'The verifier keeps running: it stores nothing about people.' : ''}
`.replaceAll(/ +$/gm, '')
}

function describeGateway(files: readonly FolderFile[]): string {
  const own = files.filter(({ path }) => path.startsWith('gateway/'))
  if (own.length === 0) return ''
  const isOpen = own.some(({ content }) => String(content).includes(openMark))
  const filled = isOpen ? `, with your values below each \`${openMark}\`` : ''
  const listen = findVerifierAddress(files)
  const where = listen === undefined ? '--listen ADDRESS`, the one that these files name' : `--listen ${listen}\``
  return `the gateway has the files of \`gateway/\`${filled}, and beside it runs \`${programName} gateway verifier --policy policy.json ${where} (docs/gateways/verifier.md); `
}

function renderSection({ system, tool }: ManagedSystem, facts: Parameters<StepsOf>[0]): string {
  const steps = managementSteps[tool][system]?.(facts) ?? []
  const title = `${titles[system]}, with ${managementTools[tool].summary}`
  return `\n## ${title}\n\n${steps.map((step, index) => `${index + 1}. ${step}\n`).join('')}`
}

type StepsOf = NonNullable<(typeof managementSteps)['files']['linux']>

const titles = { linux: 'Linux', macos: 'macOS', windows: 'Windows' } as const

/** Packages leave the files of the machine where they are. */
function describeDirectories({ answers }: AnsweredSetup): string {
  const directories = listManaged(answers).map(({ system }) => `\`${findMachineDirectory(system, answers)}\``)
  return [...new Set(directories)].join(', ')
}
