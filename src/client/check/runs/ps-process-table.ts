import { runProcess } from '../../../runtime/run-process.ts'

/** A process as other processes see it. */
export interface ProcessEntry {
  readonly pid: number
  /** The same for a program and its forks, and different for every program started; absent if the system hides it. */
  readonly image?: string
  /** The process group, through which it can be ended. */
  readonly group: number
  readonly args: readonly string[]
  /** Lines `NAME=value`, if the system shows them to the process's user. */
  readonly env: readonly string[]
}

/** The processes of this system. */
export interface ProcessTable {
  /** How long to wait between two polls, in milliseconds. */
  readonly pauseMs: number
  /** A process and its descendants, without those that end meanwhile. */
  tree(root: number): Promise<ProcessEntry[]>
  /** Process groups with a member whose environment holds `mark`. */
  groupsWith(mark: string): Promise<number[]>
  /** Addresses beyond loopback and link-local to which a process has TCP connections. */
  remotes(pid: number): readonly string[]
}

/** Runs `ps`, which shows arguments and environment as one text. */
export const psProcessTable: ProcessTable = {
  pauseMs: 100,
  tree: async (root) => {
    const rows = await listByPs()
    const below = (pid: number): ProcessEntry[] =>
      rows.filter(({ parent }) => parent === pid).flatMap((row) => [row, ...below(row.pid)])
    return [...rows.filter(({ pid }) => pid === root), ...below(root)]
  },
  groupsWith: async (mark) => {
    const rows = await listByPs()
    return [...new Set(rows.filter(({ args }) => args.join(' ').includes(mark)).map(({ group }) => group))]
  },
  remotes: () => [],
}

async function listByPs() {
  const outcome = await runProcess({
    command: { program: '/bin/ps', args: ['-axEww', '-o', 'pid=,ppid=,pgid=,command='] },
    env: { LC_ALL: 'C' },
    signal: AbortSignal.timeout(5000),
  })
  const text = outcome.ended === 'exited' ? Buffer.from(outcome.stdout).toString('utf8') : ''
  return text.split('\n').flatMap((line) => {
    const [, pid, parent, group, rest = ''] = /^\s*(\d+)\s+(\d+)\s+(\d+)\s(.*)$/.exec(line) ?? []
    return pid === undefined
      ? []
      : [{ pid: Number(pid), parent: Number(parent), group: Number(group), args: rest.split(' '), env: [] }]
  })
}
