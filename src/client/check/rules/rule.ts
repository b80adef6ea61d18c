import type { Run } from '../runs/run.ts'
import type { ScenarioName } from '../scenarios/scenario.ts'

export const verdicts = ['pass', 'warn', 'fail', 'not-applicable'] as const

/** `warn`: a client copes. `fail`: a client refuses it, or a person suffers from it. */
export type Verdict = (typeof verdicts)[number]

/** What a rule says of a helper; a warning and a failure come with a hint. */
export type Judgement =
  | { readonly verdict: 'pass' | 'not-applicable'; readonly seen: string }
  | { readonly verdict: 'warn' | 'fail'; readonly seen: string; readonly hint: string }

/** What a rule may look at beside the runs of its own scenarios. */
export interface Matter {
  readonly command: string
  readonly args: readonly string[]
  readonly platform: NodeJS.Platform
  /** What the command's file is, by its first bytes. */
  readonly file: FileKind
  readonly ttlSec: number
  /** How long a token lives that does not say so itself, if the caller knows. */
  readonly tokenLifeSec?: number
  /** In seconds; what the client waits in `mid-session-refresh`. */
  readonly refreshSec: number
  /** Every run that was made, in order. */
  readonly all: readonly Run[]
  readonly exposedFiles: readonly { readonly path: string; readonly what: string }[]
  /** When the credentials in the environment run out, if it says so, in epoch milliseconds. */
  readonly credentialsEnd?: number
}

export type FileKind = 'script' | 'binary' | 'text-without-shebang' | 'unreadable'

/** One promise of a helper. */
export interface Rule {
  /** What it proves, in one line. */
  readonly proves: string
  /** Rules without which this one says nothing. */
  readonly needs: readonly string[]
  readonly sees: readonly ScenarioName[]
  /** Pure. `runs` are those of `sees`, in order; never empty where `sees` is not. */
  readonly judge: (runs: readonly Run[], matter: Matter) => Judgement
}

/** Rules by their stable ids, with the type that they have. */
export function defineRules<Id extends string>(rules: Readonly<Record<Id, Rule>>): Readonly<Record<Id, Rule>> {
  return rules
}

export function pass(seen: string): Judgement {
  return { verdict: 'pass', seen }
}

export function warn(seen: string, hint: string): Judgement {
  return { verdict: 'warn', seen, hint }
}

export function fail(seen: string, hint: string): Judgement {
  return { verdict: 'fail', seen, hint }
}

export function notApplicable(seen: string): Judgement {
  return { verdict: 'not-applicable', seen }
}
