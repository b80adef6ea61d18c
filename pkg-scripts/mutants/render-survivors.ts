/** What became of one mutant, as far as it is told; Stryker's own type has more. */
export interface Mutant {
  readonly status: string
  readonly fileName: string
  /** Stryker counts both from 1. */
  readonly location: { readonly start: { readonly line: number; readonly column: number } }
  readonly mutatorName: string
  readonly replacement?: string | undefined
}

/** Statuses of mutants with which every test passes: `NoCoverage` is code that no chosen test runs. */
const surviving: readonly string[] = ['Survived', 'NoCoverage']

/** Every mutant that survived, one a line by place, and how many of all there were. */
export function renderSurvivors(mutants: readonly Mutant[]): string {
  const judged = mutants.filter(({ status }) => status !== 'Ignored')
  const alive = judged.filter(({ status }) => surviving.includes(status)).toSorted(byPlace)
  return `${alive.map(renderMutant).join('')}${alive.length} of ${judged.length} mutants survived\n`
}

function byPlace(a: Mutant, b: Mutant): number {
  return a.fileName.localeCompare(b.fileName) || a.location.start.line - b.location.start.line
}

function renderMutant({ status, fileName, location: { start }, mutatorName, replacement = '' }: Mutant): string {
  const text = replacement.replace(/\s+/g, ' ').slice(0, 100)
  const note = status === 'NoCoverage' ? ' (no test runs it)' : ''
  return `${fileName}:${start.line}:${start.column}  ${mutatorName}: ${text}${note}\n`
}
