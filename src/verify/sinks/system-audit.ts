import { type ChildProcess, spawn } from 'node:child_process'
import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { HelperError } from '../../runtime/failure.ts'
import { waitAtMost } from '../../runtime/wait-at-most.ts'
import { programName } from '../../version.ts'
import { type AuditSink, describeSlowness, LosingSink, sinkBounds, type TellTrouble } from './audit-sinks.ts'

/**
 * Passes lines to the program that writes them to the system's log: the journal or syslog, or macOS' unified log.
 * @param path The path of the program: `systemLogger` of the host.
 * @param platform The system, as in `process.platform`.
 * @throws {HelperError} `refused` if the program is missing.
 */
export async function openSystemAudit(
  path: string,
  tellTrouble: TellTrouble,
  platform: NodeJS.Platform,
): Promise<AuditSink> {
  await access(path, constants.X_OK).catch((cause: unknown) => {
    const message = `there is no ${path}, which writes to the system's log`
    throw new HelperError('refused', message, 'name a file with --audit', { cause })
  })
  return new SystemAudit(path, tellTrouble, [...loggerOptions, ...(platform === 'linux' ? linuxOptions : [])])
}

const loggerOptions = ['-t', programName, '-p', 'user.info']

/**
 * Without these options, `logger` of util-linux drops lines silently if there is no log, and splits a line of more than 1 KiB, so that a
 * caller could choose the beginning of the next line.
 */
const linuxOptions = ['--socket-errors=on', '--size=64KiB']

class SystemAudit extends LosingSink implements AuditSink {
  readonly #path: string
  readonly #options: readonly string[]
  #child: ChildProcess | undefined
  #startedAt = Number.NEGATIVE_INFINITY
  /** Whether the program has received a line since it was started. */
  #isGivenLines = false
  /** Since when the program accepts no line; `undefined` while it accepts lines. */
  #waitingSince: number | undefined

  constructor(path: string, tellTrouble: TellTrouble, options: readonly string[]) {
    super(tellTrouble)
    this.#path = path
    this.#options = options
    this.#child = this.#start()
  }

  write(line: string): void {
    if (!this.#child && performance.now() - this.#startedAt >= pauseMs) this.#child = this.#start()
    const stdin = this.#child?.stdin
    const isFull = (stdin?.writableLength ?? 0) > sinkBounds.queueBytes
    if (isFull || this.#isSlow()) this.lose(isFull ? 1 : 0, describeSlowness(this.#path))
    if (!stdin) this.lose(1, this.#describeEnd())
    if (!stdin || isFull) return
    this.#isGivenLines = true
    if (!stdin.write(line)) this.#waitingSince ??= performance.now()
  }

  reopen(): void {}

  async close(): Promise<void> {
    const ending = this.#child
    this.#child = undefined
    if (!ending) return
    const ended = new Promise((resolve) => ending.once('exit', resolve))
    ending.stdin?.end()
    await waitAtMost(ended, sinkBounds.closeMs)
    ending.kill('SIGKILL') // a program that hangs would outlive the server
  }

  #describeEnd(): string {
    return `${this.#path} has ended`
  }

  #isSlow(): boolean {
    return this.#waitingSince !== undefined && performance.now() - this.#waitingSince > sinkBounds.slowMs
  }

  #start(): ChildProcess {
    this.#startedAt = performance.now()
    this.#isGivenLines = false
    const started = spawn(this.#path, this.#options, { stdio: ['pipe', 'ignore', 'ignore'], env: {} })
    const trial = setTimeout(() => this.#endTrial(started), trialMs).unref()
    const end = () => {
      clearTimeout(trial)
      if (this.#child !== started) return
      this.#child = undefined
      this.#waitingSince = undefined
      this.lose(this.#isGivenLines ? 1 : 0, this.#describeEnd()) // it does not report how many lines it had not written
    }
    started.once('error', end)
    started.once('exit', end)
    started.stdin?.on('error', end)
    started.stdin?.on('drain', () => {
      this.#waitingSince = undefined
      if (performance.now() - this.#startedAt >= trialMs) this.#endTrial(started)
    })
    return started
  }

  #endTrial(child: ChildProcess): void {
    if (this.#child === child && this.#waitingSince === undefined) this.recover()
  }
}

/** The shortest time between two starts of the program, which the next line starts again. */
const pauseMs = 1_000

/** How long the program must run after a failure before the audit counts as written: without a log it ends within milliseconds. */
const trialMs = 500
