import type { OutputReason, OutputWarning } from '../../../contract/output.ts'
import type { LaunchEnd } from '../../launch/launch.ts'
import type { TokenFacts } from '../../token/token-facts.ts'

/** What a helper's stdout was, without anything that it said. */
export type OutputFacts = { readonly bytes: number } & (
  | {
      readonly ok: true
      readonly token: TokenFacts
      readonly headers: readonly string[]
      readonly warnings: readonly OutputWarning[]
    }
  | {
      readonly ok: false
      readonly reason: OutputReason
      readonly message: string
      /** What keeps a reader from an output that is there. */
      readonly obstacle?: 'utf-16' | 'text-after-json'
    }
)

/** Where a secret was seen that nobody should see. */
export interface Exposure {
  /** In words, such as `the token`. */
  readonly what: string
  readonly where: 'stderr' | 'arguments' | 'environment'
}

/** One real run of the helper, with everything that was seen of it and no secret. */
export interface Run {
  /** How it was run, such as `in the context background`. */
  readonly title: string
  /** `killed`: it was to be cut off; its end says nothing. */
  readonly purpose: 'seen' | 'killed'
  /** Value of the context variable. */
  readonly context: string | undefined
  readonly mayPrompt: boolean
  /** Whether the network was as it is. */
  readonly isNetworkWell: boolean
  readonly ended: LaunchEnd
  readonly limitMs: number
  readonly durationMs: number
  /** Epoch milliseconds, by the check's clock. */
  readonly endedAt: number
  readonly output: OutputFacts
  /** Secrets in it are hidden. */
  readonly stderr: string
  readonly exposures: readonly Exposure[]
  /** Names under which it called for a browser. */
  readonly browsers: readonly string[]
  readonly nesting: number
  readonly proxyConnections: number
  /** Addresses that it was connected to past the proxy. */
  readonly remotes: readonly string[]
  /** What it wrote to its terminal, where it had one. */
  readonly terminal: string
}

/** A run that gave a client a token. */
export type HealthyRun = Run & { readonly output: OutputFacts & { readonly ok: true } }

/** Whether a client got a token from it; a sentence is none, although a client would send it. */
export function isHealthy(run: Run): run is HealthyRun {
  return run.ended.how === 'exited' && run.ended.status === 0 && run.output.ok && !isSentence(run.output)
}

function isSentence(output: OutputFacts): boolean {
  return output.ok && output.warnings.includes('token-with-spaces')
}

/** How a run went, in words: what a report says was seen. */
export function describeRun(run: Run): string {
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
      return `it was ended by ${ended.signal} ${run.title} ${after}`
    case 'flooded':
      return `it printed more than a client reads ${run.title}`
    case 'exited':
      if (ended.status !== 0) return `it failed with exit status ${ended.status} ${run.title}${quoteStderr(run)}`
      if (isSentence(output))
        return `no token ${run.title}: stdout is a line with spaces in it, which a client would send`
      return output.ok ? `a token ${run.title} ${after}` : `no token ${run.title}: ${output.message}`
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
