import type { HelperClient } from '../../../contract/client.ts'
import { findPassingFailure } from '../../../runtime/program/passing-failure.ts'
import type { ScenarioName } from '../check-scenario.ts'
import type { ExposureSearch } from '../runs/exposed-files.ts'
import { describeRun, isHealthy, type Run } from '../runs/run.ts'

/** The verdicts, in the order of the summary. */
export const verdicts = ['pass', 'warn', 'fail', 'not-applicable'] as const

/** `warn`: a client tolerates it. `fail`: a client refuses the output, or a person is affected. */
export type RuleOutcome = (typeof verdicts)[number]

/** The result of one rule; a warning and a failure come with a hint. */
export type RuleResult =
  | { readonly verdict: 'pass' | 'not-applicable'; readonly seen: string }
  | { readonly verdict: 'warn' | 'fail'; readonly seen: string; readonly hint: string }

/** The facts for a rule besides the runs of its scenarios. */
export interface CheckFacts {
  /** The client whose rules are checked. */
  readonly client: HelperClient
  readonly command: string
  readonly args: readonly string[]
  readonly platform: NodeJS.Platform
  /** The kind of the command's file, by its first bytes. */
  readonly file: FileKind
  /** The variables of this environment that a program started from a desktop lacks. */
  readonly shellVariables: readonly string[]
  readonly ttlSec: number
  /** The life of a token that does not state its end, if the caller knows it. */
  readonly tokenLifeSec: number | undefined
  /** The host of the gateway, if the caller names one. */
  readonly gatewayHost: string | undefined
  /** How long the client waits in `mid-session-refresh`, in seconds. */
  readonly refreshSec: number
  /** Every run that was made, in order. */
  readonly allRuns: readonly Run[]
  /** Secrets in files that every user can read. */
  readonly fileSearch: ExposureSearch
  /** When the credentials in the environment expire, in epoch milliseconds, if the environment says so. */
  readonly credentialsEnd: number | undefined
}

/** The kind of a command's file, by its first bytes. */
export type FileKind = 'script' | 'binary' | 'text-without-shebang' | 'directory' | 'unreadable'

/** A promise of a helper to its client, and the observation that proves or refutes it. */
export interface ContractRule {
  /** The clients to which it applies; every client by default. */
  readonly isFor?: (client: HelperClient) => boolean
  /** The property of a helper that the rule proves, in one line. */
  readonly proves: string
  /** The rules that must pass before this one can be checked. */
  readonly needs: readonly string[]
  /** The scenarios whose runs it reads; empty for a rule about the command line alone. */
  readonly scenarios: readonly ScenarioName[]
  /** Pure. `runs` are those of `scenarios` in order; never empty unless `scenarios` is. */
  readonly validate: (runs: readonly Run[], facts: CheckFacts) => RuleResult
}

/** Returns the rules unchanged; it only infers the type of their ids. */
export function defineRules<Id extends string>(
  rules: Readonly<Record<Id, ContractRule>>,
): Readonly<Record<Id, ContractRule>> {
  return rules
}

/**
 * Makes the result of a rule that passed.
 * @param seen The observation that shows it.
 */
export function pass(seen: string): RuleResult {
  return { verdict: 'pass', seen }
}

/** Makes the result of a rule that failed, but whose failure a client tolerates. */
export function warn(seen: string, hint: string): RuleResult {
  return { verdict: 'warn', seen, hint }
}

/**
 * Makes the result of a rule that failed.
 * @param seen The observation, in words.
 */
export function fail(seen: string, hint: string): RuleResult {
  return { verdict: 'fail', seen, hint }
}

/**
 * Makes the result of a rule that cannot be checked here.
 * @param seen The reason.
 */
export function skip(seen: string): RuleResult {
  return { verdict: 'not-applicable', seen }
}

/**
 * Validates that a run gave a token.
 * @param hint As for {@link chooseHint}.
 */
export function validateHealth(run: Run | undefined, hint: string): RuleResult {
  const seen = describeRun(run)
  return run && isHealthy(run) ? pass(seen) : fail(seen, chooseHint(run, hint))
}

/**
 * Chooses the hint for a run without a token: `hint`, unless the helper's own message names another cause than the tried condition, or only
 * a process that it left behind kept its output open.
 */
export function chooseHint(run: Run | undefined, hint: string): string {
  if (run?.ended.how === 'timeout' && run.ended.process === 'exited')
    return 'start what it leaves behind with stdout and stderr of its own, such as COMMAND >/dev/null 2>&1 &'
  const said = findPassing(run)
  return said === undefined
    ? hint
    : `it says "${said.slice(0, 120)}": see why the service answers so; after a pause ask it once more, and keep one token for all runs instead of asking in each`
}

/** Returns whether the helper reports a failed service, so that the tried condition may not be the cause. */
export function isPassing(run: Run): boolean {
  return findPassing(run) !== undefined
}

function findPassing(run: Run | undefined): string | undefined {
  return run?.ended.how === 'exited' && run.ended.status !== 0 ? findPassingFailure(run.stderr) : undefined
}

/** Why rules about opened browsers are skipped on Windows. */
export const decoySystems = 'decoy browsers work on Linux and macOS only'

/** Describes a credential that a run repeats, and whose end is not known. */
export function describeUnknownEnd(seen: string): string {
  return `${seen}, and nothing says when it ends`
}
