// Folder: where the audit and the spans of the decisions go: a file, the log of the system, a collector.

import { type ChildProcess, spawn } from 'node:child_process'
import { constants } from 'node:fs'
import { access, type FileHandle, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { HelperError } from '../../runtime/failure.ts'
import { escapeControls } from '../../runtime/text/escape.ts'
import { describeLook, ownSystem } from '../../runtime/text/quote.ts'

/** One line of the audit; pure. No claim can begin another line. */
export function renderAuditEntry(entry: object): string {
  return `${escapeControls(JSON.stringify(entry)).replaceAll('\n', String.raw`\n`)}\n`
}

/** Where lines go. Writing never fails: what cannot be written is counted. */
export interface AuditSink {
  write(line: string): void
  /** Whether the last line could not be written. */
  isFailing(): boolean
  /** How many lines could not be written so far. */
  lost(): number
  /** Opens the file again, after it was renamed. */
  reopen(): void
  close(): Promise<void>
}

/** Receives why lines are lost, once for each cause in a row. */
type TellTrouble = (cause: string) => void

/** Lines that wait while a disk is slow; beyond it, lines are lost, because people must get their document all the same. */
const longestQueueBytes = 16 * 1024 * 1024

/**
 * Appends lines to a file that only this user can read, never through a link.
 * @throws {HelperError} `refused` for a file that cannot be written.
 */
export async function openAuditFile(path: string, tellTrouble: TellTrouble): Promise<AuditSink> {
  return new AuditFile(path, tellTrouble, await openForAppend(path))
}

class AuditFile implements AuditSink {
  readonly #path: string
  readonly #tellTrouble: TellTrouble
  #file: FileHandle
  #queue: string[] = []
  #queuedBytes = 0
  #lost = 0
  /** Whether the last line was written in part. */
  #isTorn = false
  #trouble: string | undefined
  #work: Promise<void> = Promise.resolve()
  #isFlushing = false

  constructor(path: string, tellTrouble: TellTrouble, file: FileHandle) {
    this.#path = path
    this.#tellTrouble = tellTrouble
    this.#file = file
  }

  write(line: string): void {
    if (this.#queuedBytes > longestQueueBytes) {
      this.#lose(1, `${this.#path} is written too slowly`)
      return
    }
    this.#queue.push(line)
    this.#queuedBytes += line.length
    if (this.#isFlushing) return
    this.#isFlushing = true
    this.#enqueue(() => this.#flush())
  }

  isFailing(): boolean {
    return this.#trouble !== undefined
  }

  lost(): number {
    return this.#lost
  }

  reopen(): void {
    this.#enqueue(() => this.#openAgain())
  }

  async close(): Promise<void> {
    await this.#work
    await this.#file.close()
  }

  #lose(lines: number, cause: string): void {
    this.#lost += lines
    if (this.#trouble !== cause) this.#tellTrouble(cause)
    this.#trouble = cause
  }

  #enqueue(step: () => Promise<void>): void {
    this.#work = this.#work.then(step)
  }

  async #flush(): Promise<void> {
    this.#isFlushing = false
    const lines = this.#queue
    this.#queue = []
    this.#queuedBytes = 0
    try {
      // A line that was written in part is ended, so that only that one is lost.
      await this.#file.appendFile(`${this.#isTorn ? '\n' : ''}${lines.join('')}`)
      this.#isTorn = false
      this.#trouble = undefined
    } catch (cause) {
      this.#isTorn = true
      this.#lose(lines.length, describeCause(this.#path, cause))
    }
  }

  async #openAgain(): Promise<void> {
    try {
      const next = await openForAppend(this.#path)
      await this.#file.close()
      this.#file = next
      this.#isTorn = false
    } catch (cause) {
      this.#lose(0, describeCause(this.#path, cause)) // the earlier file is written on
    }
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
      code === 'ENOENT'
        ? 'name a file with --audit in a directory that exists'
        : `name a file with --audit in a directory that this user may write: ${describeLook(dirname(path), ownSystem)}`,
      { cause },
    )
  }
  throw new HelperError('refused', `the audit ${path} is not a file`, 'name a file with --audit')
}

/** The program that writes to the system's log on Linux and macOS, by its path, so that no other program of that name is run. */
export const systemLogger = '/usr/bin/logger'

/** A program that ends is started again by the next line, but not more often than this. */
const pauseMs = 1_000

/**
 * Gives lines to the program that writes them to the system's log: the journal or syslog, and macOS' unified log.
 * @param path Where the program is: {@link systemLogger}.
 * @throws {HelperError} `refused` where the program for it is missing.
 */
export async function openSystemAudit(path: string, tellTrouble: TellTrouble): Promise<AuditSink> {
  await access(path, constants.X_OK).catch((cause: unknown) => {
    const message = `there is no ${path}, which writes to the system's log`
    throw new HelperError('refused', message, 'name a file with --audit', { cause })
  })
  return new SystemAudit(path, tellTrouble)
}

class SystemAudit implements AuditSink {
  readonly #path: string
  readonly #tellTrouble: TellTrouble
  #child: ChildProcess | undefined
  #startedAt = Number.NEGATIVE_INFINITY
  #lost = 0
  #isFailing = false

  constructor(path: string, tellTrouble: TellTrouble) {
    this.#path = path
    this.#tellTrouble = tellTrouble
  }

  write(line: string): void {
    if (!this.#child && performance.now() - this.#startedAt >= pauseMs) this.#child = this.#start()
    const stdin = this.#child?.stdin
    this.#isFailing = !stdin || stdin.writableLength > longestQueueBytes
    if (this.#isFailing) this.#lost += 1
    else stdin?.write(line)
  }

  isFailing(): boolean {
    return this.#isFailing
  }

  lost(): number {
    return this.#lost
  }

  reopen(): void {}

  async close(): Promise<void> {
    const ending = this.#child
    this.#child = undefined
    if (!ending) return
    await new Promise<void>((resolve) => {
      ending.once('exit', () => resolve())
      ending.stdin?.end()
    })
  }

  #start(): ChildProcess {
    this.#startedAt = performance.now()
    const options = ['-t', 'gatepass', '-p', 'user.info']
    const started = spawn(this.#path, options, { stdio: ['pipe', 'ignore', 'ignore'], env: {} })
    const end = () => {
      if (this.#child !== started) return
      this.#child = undefined
      this.#isFailing = true
      this.#tellTrouble(`${this.#path} has ended`)
    }
    started.once('error', end)
    started.once('exit', end)
    started.stdin?.on('error', end)
    return started
  }
}
