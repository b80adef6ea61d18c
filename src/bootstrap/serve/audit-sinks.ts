import { type ChildProcess, spawn } from 'node:child_process'
import { constants } from 'node:fs'
import { access, type FileHandle, open } from 'node:fs/promises'
import { HelperError } from '../../runtime/failure.ts'
import { quoteWord } from '../../runtime/text/quote.ts'
import type { AuditSink } from './audit.ts'

/** Receives why lines are lost, once for each cause in a row. */
type TellTrouble = (cause: string) => void

/** Lines that wait while a disk is slow; beyond it, lines are lost, because people must get their document all the same. */
const longestQueueBytes = 16 * 1024 * 1024

/**
 * Appends lines to a file that only this user can read, never through a link.
 * @throws {HelperError} `refused` for a file that cannot be written.
 */
export async function openAuditFile(path: string, tellTrouble: TellTrouble): Promise<AuditSink> {
  let file = await openForAppend(path)
  let queue: string[] = []
  let queuedBytes = 0
  let lost = 0
  let isTorn = false
  let trouble: string | undefined
  let work: Promise<void> = Promise.resolve()
  let isFlushing = false
  const lose = (lines: number, cause: string) => {
    lost += lines
    if (trouble !== cause) tellTrouble(cause)
    trouble = cause
  }
  const flush = async () => {
    isFlushing = false
    const lines = queue
    queue = []
    queuedBytes = 0
    if (lines.length === 0) return
    try {
      // A line that was written in part is ended, so that only that one is lost.
      await file.appendFile(`${isTorn ? '\n' : ''}${lines.join('')}`)
      isTorn = false
      trouble = undefined
    } catch (cause) {
      isTorn = true
      lose(lines.length, describeCause(path, cause))
    }
  }
  const enqueue = (step: () => Promise<void>) => {
    work = work.then(step)
  }
  const openAgain = async () => {
    try {
      const next = await openForAppend(path)
      await file.close()
      file = next
      isTorn = false
    } catch (cause) {
      lose(0, describeCause(path, cause)) // the earlier file is written on
    }
  }
  return {
    write(line) {
      if (queuedBytes > longestQueueBytes) return lose(1, `${path} is written too slowly`)
      queue.push(line)
      queuedBytes += line.length
      if (isFlushing) return
      isFlushing = true
      enqueue(flush)
    },
    lost: () => lost,
    reopen: () => enqueue(openAgain),
    async close() {
      await work
      await file.close()
    },
  }
}

function describeCause(path: string, cause: unknown): string {
  return `${path} cannot be written (${(cause as NodeJS.ErrnoException).code ?? 'unknown error'})`
}

async function openForAppend(path: string): Promise<FileHandle> {
  const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants
  try {
    const file = await open(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600)
    if ((await file.stat()).isFile()) return file
    await file.close()
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException // of the file system alone
    throw new HelperError(
      'refused',
      `the audit ${path} cannot be written (${code})`,
      `name a file with --audit in a directory that this user may write: ls -ld ${quoteWord(path)}`,
      { cause },
    )
  }
  throw new HelperError('refused', `the audit ${path} is not a file`, 'name a file with --audit')
}

/** The program that writes to the system's log on Linux and macOS, by its path, so that no other program of that name is run. */
const loggerPath = '/usr/bin/logger'

/** A program that ends is started again by the next line, but not more often than this. */
const pauseMs = 1_000

/**
 * Gives lines to the system's log: the journal or syslog, and macOS' unified log.
 * @throws {HelperError} `refused` where the program for it is missing.
 */
export async function openSystemAudit(tellTrouble: TellTrouble, path = loggerPath): Promise<AuditSink> {
  await access(path, constants.X_OK).catch((cause: unknown) => {
    throw new HelperError(
      'refused',
      `there is no ${path}, which writes to the system's log`,
      'name a file with --audit',
      {
        cause,
      },
    )
  })
  let child: ChildProcess | undefined
  let startedAt = Number.NEGATIVE_INFINITY
  let lost = 0
  const start = (): ChildProcess => {
    startedAt = performance.now()
    const started = spawn(path, ['-t', 'gatepass', '-p', 'user.info'], { stdio: ['pipe', 'ignore', 'ignore'], env: {} })
    const end = () => {
      if (child !== started) return
      child = undefined
      tellTrouble(`${path} has ended`)
    }
    started.once('error', end)
    started.once('exit', end)
    started.stdin?.on('error', end)
    return started
  }
  return {
    write(line) {
      if (!child && performance.now() - startedAt >= pauseMs) child = start()
      const stdin = child?.stdin
      if (!stdin || stdin.writableLength > longestQueueBytes) lost += 1
      else stdin.write(line)
    },
    lost: () => lost,
    reopen: () => {},
    async close() {
      const ending = child
      child = undefined
      if (!ending) return
      await new Promise<void>((resolve) => {
        ending.once('exit', () => resolve())
        ending.stdin?.end()
      })
    },
  }
}
