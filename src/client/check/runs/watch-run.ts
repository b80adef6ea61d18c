import { setTimeout as sleep } from 'node:timers/promises'
import type { Environment } from '../../../runtime/environment.ts'
import type { ProcessTable, SeenProcess } from './process-table.ts'

/** What was seen of a run and its children while it worked. */
export interface Watched {
  /** Arguments and environment entries that the run was not given. */
  readonly args: readonly string[]
  readonly env: readonly string[]
  /** How many of the same program there were at once, itself included. */
  readonly nesting: number
  /** Addresses that somebody in the run was connected to. */
  readonly remotes: readonly string[]
}

export interface Watch {
  stop(): Promise<Watched>
}

export interface WatchedRun {
  readonly pid: number
  readonly command: string
  readonly args: readonly string[]
  readonly env: Environment
  /** Connections are looked up only where they matter: that costs more than the rest. */
  readonly looksAt: 'processes' | 'processes and connections'
  /** Told when a program has started itself this often, which would not end. */
  readonly onEndless: () => void
}

/** A program among its own descendants this often is a cycle; wrappers stay under it. */
export const endlessNesting = 5

/** Looks at a run again and again until it is stopped. What lives shorter than the pause may be missed. */
export function startWatch(table: ProcessTable, run: WatchedRun): Watch {
  const stopped = new AbortController()
  const args = new Set<string>()
  const env = new Set<string>()
  const remotes = new Set<string>()
  const givenArgs = new Set([run.command, ...run.args])
  let nesting = 0
  const look = async () => {
    const processes = await table.tree(run.pid)
    for (const seen of processes) {
      for (const word of seen.args) if (!givenArgs.has(word)) args.add(word)
      for (const line of seen.env) if (!isGiven(line, run.env)) env.add(line)
      if (run.looksAt === 'processes and connections') for (const to of table.remotes(seen.pid)) remotes.add(to)
    }
    nesting = Math.max(nesting, countSelves(processes, run.command))
    if (nesting >= endlessNesting) run.onEndless()
  }
  const looking = (async () => {
    while (!stopped.signal.aborted) {
      await look()
      await sleep(table.pauseMs, undefined, { signal: stopped.signal }).catch(() => undefined) // stopped
    }
  })()
  return {
    stop: async () => {
      stopped.abort()
      await looking
      return { args: [...args], env: [...env], nesting, remotes: [...remotes] }
    },
  }
}

function isGiven(line: string, env: Environment): boolean {
  const at = line.indexOf('=')
  return env[line.slice(0, at)] === line.slice(at + 1)
}

/** Counts programs started, not forks of one. */
function countSelves(processes: readonly SeenProcess[], command: string): number {
  return new Set(processes.filter(({ args }) => args.includes(command)).flatMap(({ image }) => image ?? [])).size
}
