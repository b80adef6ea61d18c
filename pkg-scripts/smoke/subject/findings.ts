import { stripVTControlCharacters } from 'node:util'
import type { ProgramEnd } from './programs.ts'

/** A step that does not apply to this machine; the message says why. */
export class Skipped extends Error {}

/** The outcome that a step requires; a text is compared whole. */
interface Required {
  readonly status: number
  readonly stdout: string | RegExp
  readonly stderr: string | RegExp
}

/** Describes an outcome with nothing on stderr. */
export function toSuccess(stdout: string | RegExp): Required {
  return { status: 0, stdout, stderr: '' }
}

/** Returns the outcome if it is as required; otherwise throws with all differences. The tokens of these runs are invented. */
export function requireOutcome(what: string, outcome: ProgramEnd, required: Required): ProgramEnd {
  const differences = (['status', 'stdout', 'stderr'] as const)
    .filter((part) => !isAsRequired(outcome[part], required[part]))
    .map((part) => `${part} is ${quote(outcome[part])}, required is ${quote(required[part])}`)
  if (differences.length === 0) return outcome
  // Stderr may explain a different stdout. It is omitted if it is empty, or was required to be empty.
  const said = required.stderr === '' || outcome.stderr === '' ? [] : [`stderr is ${quote(outcome.stderr)}`]
  throw new Error([`${what}:`, ...new Set([...differences, ...said])].join('\n  '))
}

/** @throws if a fact is not the required one. */
export function requireSame<T>(what: string, seen: T, required: T): void {
  if (JSON.stringify(seen) === JSON.stringify(required)) return
  throw new Error(`${what}: it is ${JSON.stringify(seen)}, required is ${JSON.stringify(required)}`)
}

function isAsRequired(seen: string | number, required: string | number | RegExp): boolean {
  return required instanceof RegExp ? required.test(String(seen)) : seen === required
}

/** Returns one line of at most 600 characters. */
function quote(value: string | number | RegExp): string {
  if (typeof value !== 'string') return String(value)
  const line = JSON.stringify(stripVTControlCharacters(value))
  return line.length > 600 ? `${line.slice(0, 600)}…` : line
}
