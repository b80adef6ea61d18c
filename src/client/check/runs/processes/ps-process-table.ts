import { runProcess } from '../../../../runtime/run-process.ts'
import type { ProcessEntry, ProcessTable } from './process-table.ts'

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
