import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { runProcess } from '../../../runtime/run-process.ts'

/** A process as others can see it. */
export interface SeenProcess {
  readonly pid: number
  /** Alike for a program and what it forked, another for every program started; absent where the system hides it. */
  readonly image?: string
  /** The process group, by which it can be ended. */
  readonly group: number
  readonly args: readonly string[]
  /** Lines `NAME=value`, where the system shows them to their user. */
  readonly env: readonly string[]
}

/** How a system shows its processes. */
export interface ProcessTable {
  /** How long to wait between looks, in milliseconds. */
  readonly pauseMs: number
  /** A process and everything below it. Whoever ends meanwhile is left out. */
  tree(root: number): Promise<SeenProcess[]>
  /** Process groups with a member whose environment holds `mark`. */
  groupsWith(mark: string): Promise<number[]>
  /** Addresses beyond loopback and link-local that a process has TCP connections to. */
  remotes(pid: number): readonly string[]
}

/** The table of this system; `undefined` where there is none that we can read. */
export function openProcessTable(platform: NodeJS.Platform): ProcessTable | undefined {
  if (platform === 'linux') return procTable
  return platform === 'darwin' ? psTable : undefined
}

const procTable: ProcessTable = {
  pauseMs: 8,
  tree: async (root) => readTree(root),
  groupsWith: async (mark) => {
    const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
    const marked = pids.filter((pid) => read(`/proc/${pid}/environ`).includes(mark))
    return [...new Set(marked.map((pid) => groupOf(Number(pid))))].filter((group) => group > 1)
  },
  remotes: (pid) => {
    const inodes = new Set(socketsOf(pid))
    const rows = ['tcp', 'tcp6'].flatMap((name) => read(`/proc/${pid}/net/${name}`).split('\n').slice(1))
    const own = rows.map((row) => row.trim().split(/\s+/)).filter(({ 9: inode = '' }) => inodes.has(inode))
    return [...new Set(own.map(({ 2: remote = '' }) => renderAddress(remote)))].filter(isBeyond)
  },
}

function readTree(pid: number): SeenProcess[] {
  const args = words(read(`/proc/${pid}/cmdline`))
  const image = statOf(pid, startOfStack)
  const self = { pid, image, group: groupOf(pid), args, env: words(read(`/proc/${pid}/environ`)) }
  const threads = list(`/proc/${pid}/task`)
  const children = threads.flatMap((thread) => read(`/proc/${pid}/task/${thread}/children`).split(' ').filter(Boolean))
  return [...(args.length > 0 ? [self] : []), ...children.flatMap((child) => readTree(Number(child)))]
}

/** Numbers of fields as proc_pid_stat(5) counts them. The stack begins somewhere else in every program started. */
const processGroup = 5
const startOfStack = 28

/** The second field, a name, may hold blanks and brackets. */
function statOf(pid: number, field: number): string {
  const rest = read(`/proc/${pid}/stat`).replace(/^.*\) /s, '')
  return rest.split(' ')[field - 3] ?? ''
}

function groupOf(pid: number): number {
  return Number(statOf(pid, processGroup))
}

function socketsOf(pid: number): string[] {
  return list(`/proc/${pid}/fd`).flatMap((descriptor) => {
    try {
      return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${descriptor}`))?.[1] ?? []
    } catch {
      return [] // closed meanwhile
    }
  })
}

/** `0100007F:1F90` → `127.0.0.1:8080`; every four bytes are in the machine's order. */
function renderAddress(text: string): string {
  const [hex = '', port = '0'] = text.split(':')
  const bytes = (hex.match(/.{8}/g) ?? []).flatMap((word) => [...Buffer.from(word, 'hex').reverse()])
  const isMapped = bytes.length === 16 && bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 255
  const address =
    bytes.length === 4 || isMapped
      ? bytes.slice(-4).join('.')
      : Buffer.from(bytes)
          .toString('hex')
          .replace(/(.{4})(?=.)/g, '$1:')
  return `${address}:${Number.parseInt(port, 16)}`
}

/** Loopback, link-local (where clouds have their metadata) and sockets that only listen are nobody's proxy's business. */
function isBeyond(address: string): boolean {
  return !/^(127\.|0\.0\.0\.0|169\.254\.|fe80:|0000:0000:0000:0000:0000:0000:0000:000[01]:)/.test(address)
}

function words(text: string): string[] {
  return text.split('\0').filter((word) => word !== '')
}

function list(path: string): string[] {
  try {
    return readdirSync(path)
  } catch {
    return [] // the process has ended, or is another user's
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return '' // the process has ended, or is another user's
  }
}

/** `ps` shows arguments and environment as one text. */
const psTable: ProcessTable = {
  pauseMs: 100,
  tree: async (root) => {
    const rows = await listByPs()
    const below = (pid: number): SeenProcess[] =>
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
