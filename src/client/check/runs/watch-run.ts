import { setTimeout as sleep } from 'node:timers/promises'
import type { Environment } from '../../../runtime/run-process.ts'
import type { ProcessEntry, ProcessTable } from './process-table.ts'

/** The observations of a running helper and its descendants. */
export interface WatchResult {
  /** Arguments and environment entries that the check did not set. */
  readonly args: readonly string[]
  readonly env: readonly string[]
  /** How many instances of the same program ran at once, itself included. */
  readonly nesting: number
  /** The addresses to which a process of the run was connected. */
  readonly remotes: readonly string[]
}

/** A program that starts itself this often never stops; wrappers start themselves fewer times. */
export const recursionLimit = 5

/** Polls the processes of a run until the watch is stopped. It may miss a process that ends within one pause. */
export function startWatch(table: ProcessTable, run: WatchedRun): { stop(): Promise<WatchResult> } {
  const stopped = new AbortController()
  const args = new Set<string>()
  const env = new Set<string>()
  const remotes = new Set<string>()
  const givenArgs = new Set([run.command, ...run.args])
  let nesting = 0
  const poll = async () => {
    const processes = await table.tree(run.pid)
    for (const seen of processes) {
      for (const word of seen.args) if (!givenArgs.has(word)) args.add(word)
      for (const line of seen.env) if (!isGiven(line, run.env)) env.add(line)
      if (run.watches === 'processes and connections') for (const to of table.remotes(seen.pid)) remotes.add(to)
    }
    nesting = Math.max(nesting, countStarts(processes, run.command))
    if (nesting >= recursionLimit) run.onRecursion()
  }
  const polling = (async () => {
    while (!stopped.signal.aborted) {
      await poll()
      await sleep(table.pauseMs, undefined, { signal: stopped.signal }).catch(() => undefined) // stopped
    }
  })()
  return {
    stop: async () => {
      stopped.abort()
      await polling
      return { args: [...args], env: [...env], nesting, remotes: [...remotes] }
    },
  }
}

interface WatchedRun {
  readonly pid: number
  readonly command: string
  readonly args: readonly string[]
  readonly env: Environment
  /** Connections are read only for rules that need them, because reading them is slow. */
  readonly watches: 'processes' | 'processes and connections'
  /** Called when the program has started itself {@link recursionLimit} times. */
  readonly onRecursion: () => void
}

function isGiven(line: string, env: Environment): boolean {
  const at = line.indexOf('=')
  return env[line.slice(0, at)] === line.slice(at + 1)
}

/** Counts how often the command was started, without its forks. */
function countStarts(processes: readonly ProcessEntry[], command: string): number {
  return new Set(processes.filter(({ args }) => args.includes(command)).flatMap(({ image }) => image ?? [])).size
}
