import type { OutputReason, OutputWarning } from '../../../contract/output.ts'
import type { TokenFacts } from '../../../runtime/tokens/token-facts.ts'
import type { LaunchEnd } from '../../launch/launch.ts'
import type { StatedEnd } from './stated-end.ts'
import { type TokenFault, tokenFaults } from './token-fault.ts'

/** What is known of a helper's stdout without its content. */
export type OutputFacts = { readonly bytes: number } & (
  | {
      readonly ok: true
      readonly token: TokenFacts
      /** What shows that the token is certainly none. */
      readonly fault?: TokenFault | undefined
      /** What stands beside the token about its end. */
      readonly statedEnd?: StatedEnd | undefined
      readonly headers: readonly string[]
      /** Headers that a client drops, because their values are no texts. */
      readonly droppedHeaders?: readonly string[]
      readonly warnings: readonly OutputWarning[]
    }
  | {
      readonly ok: false
      readonly reason: OutputReason
      readonly message: string
      /** Why an output that is there cannot be read. */
      readonly obstacle?: 'utf-16' | 'text-after-json'
    }
)

/** A secret that was seen where nobody should see it. */
export interface Exposure {
  /** Which secret, such as `the token`. */
  readonly what: string
  readonly where: 'stderr' | 'arguments' | 'environment'
}

/** One real run of the helper, with everything that was observed and no secret. */
export interface Run {
  /** How it was run, such as `in the context background`. */
  readonly title: string
  /** `killed`: it was killed on purpose, so its end says nothing. */
  readonly purpose: 'observed' | 'killed'
  /** Value of the context variable. */
  readonly context: string | undefined
  readonly mayPrompt: boolean
  /** `false` where a broken proxy replaced the network. */
  readonly isNetworkIntact: boolean
  readonly ended: LaunchEnd
  readonly limitMs: number
  readonly durationMs: number
  /** Epoch milliseconds, by the check's clock. */
  readonly endedAt: number
  readonly output: OutputFacts
  /** With its secrets replaced. */
  readonly stderr: string
  readonly exposures: readonly Exposure[]
  /** Decoy browsers that it called. */
  readonly browsers: readonly string[]
  /** How many of the same program ran at once, each started by the one before. */
  readonly nesting: number
  readonly proxyConnections: number
  /** Addresses that it was connected to past the proxy. */
  readonly remotes: readonly string[]
  /** What it wrote to its terminal, where it had one. */
  readonly terminal: string
}

/** A run from which a client got a token. */
export type HealthyRun = Run & { readonly output: OutputFacts & { readonly ok: true } }

/** Whether a client got a token from it. A sentence, for one, is no token, although a client would send it as one. */
export function isHealthy(run: Run): run is HealthyRun {
  return run.ended.how === 'exited' && run.ended.status === 0 && run.output.ok && run.output.fault === undefined
}

/** How a run went, in words for a report. */
export function describeRun(run: Run | undefined): string {
  if (!run) return 'no run was made'
  const { ended, output } = run
  const after = `after ${renderMs(run.durationMs)}`
  switch (ended.how) {
    case 'timeout':
      return ended.process === 'killed'
        ? `it did not end within ${renderMs(run.limitMs)} ${run.title}${quoteStderr(run)}`
        : `it ended ${run.title}, but what it left behind kept its output open for ${renderMs(run.limitMs)}`
    case 'not-started':
      return `it cannot be started (${ended.code}) ${run.title}`
    case 'signal':
      return `it was killed by ${ended.signal} ${run.title} ${after}`
    case 'flooded':
      return `it printed more than a client reads ${run.title}`
    case 'exited':
      if (ended.status !== 0) return `it failed with exit status ${ended.status} ${run.title}${quoteStderr(run)}`
      if (!output.ok) return `no token ${run.title}: ${output.message}`
      if (output.fault) return `no token ${run.title}: ${tokenFaults[output.fault].seen}`
      return `a token ${run.title} ${after}`
  }
}

function quoteStderr({ stderr }: Run): string {
  const line = stderr.trim().split('\n')[0] ?? ''
  return line === '' ? ', with nothing on stderr' : `; on stderr: ${line.slice(0, 160)}`
}

/** `340 ms`, `1.2 s`, `20 s`. */
export function renderMs(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${Number((ms / 1000).toFixed(1))} s`
}
