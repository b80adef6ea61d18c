import { operatingSystems, systemTitles } from '../../config/check/rule.ts'
import { programName } from '../../version.ts'
import { isNone } from './answers.ts'
import { backSteps } from './back-steps.ts'
import { documentPath, type FolderFile, windowsDocumentPath } from './folder.ts'
import { findVerifierAddress, openMark } from './gateway-files.ts'
import { listManaged, type ManagedSystem, managementTools } from './management.ts'
import { managementSteps } from './management-steps.ts'
import { listPlaced, locatePlacement } from './place-files.ts'
import { type AnsweredSetup, findHelper } from './setup-question.ts'

/** Renders the pilot on one page: the people, the order, and when to continue or go back. */
export function renderPilot(situation: AnsweredSetup, files: readonly FolderFile[]): string {
  const { answers } = situation
  const hasPackage = findHelper(situation) !== undefined
  const placements = operatingSystems.map(locatePlacement)
  const hasPlacement = files.some(({ path }) => placements.includes(path))
  const facts = { hasPackage, hasPlacement }
  const sections = listManaged(answers).map((managed) =>
    renderSection(managed, managementSteps[managed.tool][managed.system]?.(facts) ?? []),
  )
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
The machines of each ring get, in this order: ${order.join(', ')}. Wait where a step says so.
${sections.join('')}
## After that

**On Monday** look at: the detection${told}.
**Where a client fails**: ${describeDiagnosis(files)}
**Back**: [back.md](back.md).
`.replaceAll(/ +$/gm, '')
}

/** Renders the way back for a ring: first the document and the tool that sets it, then the package, then the files of the machine. */
export function renderBack(situation: AnsweredSetup, files: readonly FolderFile[]): string {
  const { answers } = situation
  const hasPackage = findHelper(situation) !== undefined
  const sections = listManaged(answers).map((managed) => {
    const placed = listPlaced(managed.system, answers, files).map((path) => `\`${path}\``)
    const steps = backSteps[managed.tool][managed.system]?.({ hasPackage, hasPlacement: placed.length > 0 }) ?? []
    const last = placed.length > 0 ? [`Delete on each machine: ${placed.join(', ')}.`] : []
    return renderSection(managed, [...steps, ...last])
  })
  const verifier = files.some(({ path }) => path.startsWith('gateway/'))
    ? '\nThe verifier keeps running: it stores nothing about people.\n'
    : ''
  return `# The way back\n\nFor the machines of a ring, in this order.\n${sections.join('')}${verifier}`
}

function describeGateway(files: readonly FolderFile[]): string {
  const gatewayFiles = files.filter(({ path }) => path.startsWith('gateway/'))
  if (gatewayFiles.length === 0) return ''
  const isOpen = gatewayFiles.some(({ content }) => String(content).includes(openMark))
  const filled = isOpen ? `, with your values below each \`${openMark}\`` : ''
  const listen = findVerifierAddress(files)
  const where = listen === undefined ? '--listen ADDRESS`, the one that these files name' : `--listen ${listen}\``
  return `the gateway has the files of \`gateway/\`${filled}, and beside it runs \`${programName} gateway verifier --policy policy.json ${where}; `
}

/** Desktops have only the helpers; a full examination needs the package for administrators. */
function describeDiagnosis(files: readonly FolderFile[]): string {
  const names = files.flatMap(({ path }) => (/\/explain\./.test(path) ? [`\`${path}\``] : []))
  const paths = files.map(({ path }) => path).filter((path) => path === documentPath || path === windowsDocumentPath)
  const documents = paths.map((path) => `\`${path}\``).join(' (on Windows ') + (paths.length > 1 ? ')' : '')
  const doctor = `install the package \`${programName}\` on that machine, and run \`${programName} doctor\` as that person with ${documents} of this folder.`
  if (paths.length === 0) return 'the folder has no document yet.'
  if (names.length === 0) return doctor
  return `have that person run ${names.join(', ')}: the package for desktops is enough for it. To try the gateway as well, ${doctor}`
}

function renderSection({ system, tool }: ManagedSystem, steps: readonly string[]): string {
  const lines = steps.map((step, index) => `${index + 1}. ${step}\n`)
  return `\n## ${systemTitles[system]}, with ${managementTools[tool].summary}\n\n${lines.join('')}`
}
