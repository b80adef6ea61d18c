/** Renders every mutant that survived, one a line by place, the lines that no test runs, by file, and the numbers of both. */
export function renderSurvivors(mutants: readonly Mutant[]): string {
  const count = (status: string) => mutants.filter((mutant) => mutant.status === status).length
  const judged = mutants.length - count('Ignored')
  const summary = `${count('Survived')} of ${judged} mutants survived; no test runs ${count('NoCoverage')} more\n`
  const files = Map.groupBy(mutants.toSorted(comparePlaces), ({ fileName }) => fileName)
  return [...files].map(([file, own]) => renderFile(file, own)).join('') + summary
}

/** The result of one mutant, as far as it is reported; Stryker's own type has more. */
interface Mutant {
  readonly status: string
  readonly fileName: string
  /** Stryker counts both from 1. */
  readonly location: { readonly start: { readonly line: number; readonly column: number } }
  readonly mutatorName: string
  readonly replacement?: string | undefined
}

function comparePlaces(a: Mutant, b: Mutant): number {
  return a.fileName.localeCompare(b.fileName) || a.location.start.line - b.location.start.line
}

function renderFile(file: string, mutants: readonly Mutant[]): string {
  const survived = mutants.filter(({ status }) => status === 'Survived').map(renderMutant)
  const unseen = mutants.filter(({ status }) => status === 'NoCoverage').map(({ location }) => location.start.line)
  const lines = unseen.length > 0 ? `${file}: no test runs line ${[...new Set(unseen)].join(', ')}\n` : ''
  return survived.join('') + lines
}

function renderMutant({ fileName, location: { start }, mutatorName, replacement = '' }: Mutant): string {
  return `${fileName}:${start.line}:${start.column}  ${mutatorName}: ${replacement.replace(/\s+/g, ' ').slice(0, 100)}\n`
}
