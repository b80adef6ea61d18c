// Folder: destinations of the audit and of the spans: a file, the system's log, a collector.

import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { safeOpenFlags } from '../../runtime/disk.ts'
import { findErrorCode, HelperError, renderErrorCode } from '../../runtime/failure.ts'
import { escapeControls } from '../../runtime/text/escape.ts'
import { describeLook, ownSystem } from '../../runtime/text/quote.ts'
import { waitAtMost } from '../../runtime/wait-at-most.ts'

/** The most lines a second about requests of unknown callers, which anybody can cause. Beyond this, only their number is written. */
export const strangersPerSec = 100

/** Renders one line of the audit; pure. A claim cannot begin another line. */
export function renderAuditEntry(entry: object): string {
  return `${escapeControls(JSON.stringify(entry)).replaceAll('\n', String.raw`\n`)}\n`
}

/** A destination of lines. Writing never fails: lines that cannot be written are counted. */
export interface AuditSink {
  write(line: string): void
  /** Whether the last line could not be written. */
  isFailing(): boolean
  /** How many lines could not be written so far. */
  lost(): number
  /** Opens the file again after somebody has renamed it. */
  reopen(): void
  close(): Promise<void>
}

/** Receives why lines are lost or late, once for each series of equal causes. */
export type TellTrouble = (cause: string) => void

/** Counts the lines that a sink loses, and tells why once for each series of equal causes. */
export abstract class LosingSink {
  readonly #tellTrouble: TellTrouble
  #lost = 0
  #trouble: string | undefined

  constructor(tellTrouble: TellTrouble) {
    this.#tellTrouble = tellTrouble
  }

  isFailing(): boolean {
    return this.#trouble !== undefined
  }

  lost(): number {
    return this.#lost
  }

  /** @param lines How many lines are lost; 0 if they are late. */
  protected lose(lines: number, cause: string): void {
    this.#lost += lines
    if (this.#trouble !== cause) this.#tellTrouble(cause)
    this.#trouble = cause
  }

  /** Notes that a line was written, which ends the trouble. */
  protected recover(): void {
    this.#trouble = undefined
  }
}

/** The limits of every sink. */
export const sinkBounds = {
  /** The lines that wait while a disk or a collector is slow. Beyond this, lines are lost, because callers must get their answer anyway. */
  queueBytes: 16 * 1024 * 1024,
  /** A line that is not accepted within this time counts as failed, although it may still be written. */
  slowMs: 5_000,
  /** How long an ending server waits for its lines: a disk or a program that hangs would keep it from ending. */
  closeMs: 5_000,
} as const

/** Describes why lines of a sink are lost or count as failed although it works. */
export function describeSlowness(name: string): string {
  return `${name} takes lines too slowly`
}

/**
 * Appends lines to a file that only this user can read, never through a link.
 * @throws {HelperError} `refused` for a file that cannot be written.
 */
export async function openAuditFile(
  path: string,
  tellTrouble: TellTrouble,
  words: FileWords = { noun: 'audit', setting: '--audit' },
): Promise<AuditSink> {
  return new AuditFile(path, tellTrouble, words, await openForAppend(path, words))
}

interface FileWords {
  readonly noun: 'audit' | 'log'
  /** The name of the setting in hints. */
  readonly setting: string
}

class AuditFile extends LosingSink implements AuditSink {
  readonly #path: string
  readonly #words: FileWords
  #file: FileHandle
  #queue: string[] = []
  #queuedBytes = 0
  /** Whether the last line was written partially. */
  #isTorn = false
  #work: Promise<void> = Promise.resolve()
  #isFlushing = false
  /** When the lines that are being written were passed to the disk; `undefined` while no line is being written. */
  #writingSince: number | undefined
  #checkedAt = Number.NEGATIVE_INFINITY

  constructor(path: string, tellTrouble: TellTrouble, words: FileWords, file: FileHandle) {
    super(tellTrouble)
    this.#path = path
    this.#words = words
    this.#file = file
  }

  write(line: string): void {
    if (this.#queuedBytes > sinkBounds.queueBytes) {
      this.lose(1, this.#describeSlowness())
      return
    }
    if (this.#writingSince !== undefined && performance.now() - this.#writingSince > sinkBounds.slowMs)
      this.lose(0, this.#describeSlowness())
    this.#queue.push(line)
    this.#queuedBytes += line.length
    if (this.#isFlushing) return
    this.#isFlushing = true
    this.#enqueue(() => this.#flush())
  }

  reopen(): void {
    this.#enqueue(() => this.#reopenFile())
  }

  async close(): Promise<void> {
    const ended = this.#work.then(() => this.#file.close())
    await waitAtMost(ended, sinkBounds.closeMs)
  }

  #describeSlowness(): string {
    return `${this.#path} is written too slowly`
  }

  #enqueue(step: () => Promise<void>): void {
    this.#work = this.#work.then(step)
  }

  async #flush(): Promise<void> {
    this.#isFlushing = false
    const lines = this.#queue
    this.#queue = []
    this.#queuedBytes = 0
    this.#writingSince = performance.now()
    try {
      if (performance.now() - this.#checkedAt > checkMs) await this.#reopenIfRemoved()
      // A partial line is ended first, so that no other line is lost.
      await this.#file.appendFile(`${this.#isTorn ? '\n' : ''}${lines.join('')}`)
      this.#isTorn = false
      this.recover()
    } catch (cause) {
      this.#isTorn = true
      this.lose(lines.length, describeCause(this.#path, cause))
    } finally {
      this.#writingSince = undefined
    }
  }

  /** Opens the file again if it was removed, because nobody can read lines in a removed file. A renamed file stays open. */
  async #reopenIfRemoved(): Promise<void> {
    if ((await this.#file.stat()).nlink === 0) {
      this.lose(0, `${this.#path} was removed, and with it what was written to it`)
      await this.#begin(await openForAppend(this.#path, this.#words))
    }
    this.#checkedAt = performance.now() // unset after a failure, so that no line goes to the removed file
  }

  async #begin(next: FileHandle): Promise<void> {
    const earlier = this.#file
    this.#file = next
    this.#isTorn = false
    await earlier.close()
  }

  async #reopenFile(): Promise<void> {
    try {
      await this.#begin(await openForAppend(this.#path, this.#words))
    } catch (cause) {
      this.lose(0, describeCause(this.#path, cause)) // the earlier file stays in use
    }
  }
}

/** The time between two checks that the file exists; lines can be more frequent. */
const checkMs = 1_000

function describeCause(path: string, cause: unknown): string {
  if (cause instanceof HelperError) return cause.message
  return `${path} cannot be written (${renderErrorCode(cause)})`
}

async function openForAppend(path: string, { noun, setting }: FileWords): Promise<FileHandle> {
  const { O_WRONLY, O_APPEND, O_CREAT } = constants
  try {
    const file = await open(path, O_WRONLY | O_APPEND | O_CREAT | safeOpenFlags, 0o600)
    if ((await file.stat()).isFile()) return file
    await file.close()
  } catch (cause) {
    const code = findErrorCode(cause)
    throw new HelperError(
      'refused',
      `the ${noun} ${path} cannot be written (${code})`,
      code === 'ENOENT'
        ? `name a file with ${setting} in a directory that exists`
        : `name a file with ${setting} in a directory that this user may write: ${describeLook(dirname(path), ownSystem)}`,
      { cause },
    )
  }
  throw new HelperError('refused', `the ${noun} ${path} is not a file`, `name a file with ${setting}`)
}
