import type { Runtime } from '../runtimes.ts'
import type { OriginCheck } from './origin.ts'

/** Renders one line for each kind of evidence. */
export function renderChecks({ target, version }: Runtime, checks: readonly OriginCheck[]): string {
  const lines = checks.map(({ evidence, says }) => `runtime ${target} ${version}, ${evidence}: ${says}\n`)
  return lines.join('')
}
