import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { runProcess } from '../../../runtime/run-process.ts'

/** A process as the system shows it. */
export interface ProcessEntry {
  readonly pid: number
  /** A text that is equal for a program and its forks, and different for every started program; absent if the system hides it. */
  readonly image?: string
  /** The process group, through which it can be ended. */
  readonly group: number
  readonly args: readonly string[]
  /** Lines `NAME=value`, if the system shows them to the owner of the process. */
  readonly env: readonly string[]
}

/** Facts about the processes of this system that a run may have started. */
export interface ProcessTable {
  /** The pause between two polls, in milliseconds. */
  readonly pauseMs: number
  /** A process and its descendants, without those that have ended. */
  tree(root: number): Promise<ProcessEntry[]>
  /** The process groups with a member whose environment contains `mark`. */
  listGroupsWith(mark: string): Promise<number[]>
  /** The addresses of a process's TCP connections, except loopback and link-local ones. */
  remotes(pid: number): readonly string[]
}

/** Uses `ps`, which shows arguments and environment as one text. */
export const psProcessTable: ProcessTable = {
  pauseMs: 100,
  tree: async (root) => {
    const rows = await listByPs()
    const below = (pid: number): ProcessEntry[] =>
      rows.filter(({ parent }) => parent === pid).flatMap((row) => [row, ...below(row.pid)])
    return [...rows.filter(({ pid }) => pid === root), ...below(root)]
  },
  listGroupsWith: async (mark) => {
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
    const [, pid, parent, group, command = ''] = /^\s*(\d+)\s+(\d+)\s+(\d+)\s(.*)$/.exec(line) ?? []
    return pid === undefined
      ? []
      : [{ pid: Number(pid), parent: Number(parent), group: Number(group), args: command.split(' '), env: [] }]
  })
}

/** Uses `/proc` (proc(5)) and starts no process, so that frequent polls are cheap. */
export const linuxProcessTable: ProcessTable = {
  pauseMs: 8,
  tree: async (root) => readTree(root),
  listGroupsWith: async (mark) => {
    const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
    const marked = pids.filter((pid) => readText(`/proc/${pid}/environ`).includes(mark))
    return [...new Set(marked.map((pid) => readGroup(Number(pid))))].filter((group) => group > 1)
  },
  remotes: (pid) => {
    const inodes = new Set(readSocketInodes(pid))
    const rows = ['tcp', 'tcp6'].flatMap((name) => readText(`/proc/${pid}/net/${name}`).split('\n').slice(1))
    const ofProcess = rows.map((row) => row.trim().split(/\s+/)).filter(({ 9: inode = '' }) => inodes.has(inode))
    return [...new Set(ofProcess.map(({ 2: remote = '' }) => renderAddress(remote)))].filter(isRemote)
  },
}

function readTree(pid: number): ProcessEntry[] {
  const args = splitWords(readText(`/proc/${pid}/cmdline`))
  const image = readStatField(pid, startOfStack)
  const self = { pid, image, group: readGroup(pid), args, env: splitWords(readText(`/proc/${pid}/environ`)) }
  const threads = readNames(`/proc/${pid}/task`)
  const children = threads.flatMap((thread) =>
    readText(`/proc/${pid}/task/${thread}/children`).split(' ').filter(Boolean),
  )
  return [...(args.length > 0 ? [self] : []), ...children.flatMap((child) => readTree(Number(child)))]
}

/** Field numbers of proc_pid_stat(5). The start of the stack differs between programs, but not between forks of one program. */
const processGroup = 5
const startOfStack = 28

/** Reads one field of `stat`. The second field is a name, which may contain spaces and brackets (proc_pid_stat(5)). */
function readStatField(pid: number, field: number): string {
  const afterName = readText(`/proc/${pid}/stat`).replace(/^.*\) /s, '')
  return afterName.split(' ')[field - 3] ?? ''
}

function readGroup(pid: number): number {
  return Number(readStatField(pid, processGroup))
}

function readSocketInodes(pid: number): string[] {
  return readNames(`/proc/${pid}/fd`).flatMap((descriptor) => {
    try {
      return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${descriptor}`))?.[1] ?? []
    } catch {
      return [] // closed meanwhile
    }
  })
}

/** Renders `0100007F:1F90` as `127.0.0.1:8080`; each group of four bytes is in the machine's byte order. */
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

/**
 * Returns whether an address is neither loopback, nor link-local (metadata services of clouds), nor a listening socket; a proxy forwards
 * none of these.
 */
function isRemote(address: string): boolean {
  return !/^(127\.|0\.0\.0\.0|169\.254\.|fe80:|0000:0000:0000:0000:0000:0000:0000:000[01]:)/.test(address)
}

function splitWords(text: string): string[] {
  return text.split('\0').filter((word) => word !== '')
}

function readNames(path: string): string[] {
  try {
    return readdirSync(path)
  } catch {
    return [] // the process has ended, or is another user's
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return '' // the process has ended, or is another user's
  }
}
