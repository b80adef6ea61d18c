import { rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  findErrorCode,
  HelperError,
  isWithoutRoom,
  renderHint,
  renderNotice,
  renderWarning,
  toOneLine,
} from '../../runtime/failure.ts'
import { createDirectory } from '../../runtime/files/private-files.ts'
import { roomHint } from '../../runtime/files/replace-file.ts'
import { renderCounted } from '../../runtime/text/counted.ts'
import { quoteForHint } from '../../runtime/text/quote.ts'
import { programName } from '../../version.ts'
import { answerNames, renderAnswers, type SetupAnswers } from './answers.ts'
import { begunPath, readAnswers, toKept } from './folder.ts'

/** The answers of an unfinished conversation, which survive a closed terminal and a restart. */
export class BegunAnswers {
  readonly #directory: string
  #count = 0
  #isFailing = false

  constructor(directory: string) {
    this.#directory = directory
  }

  /** Reads the answers of an unfinished run; empty without one. */
  read(): Promise<SetupAnswers> {
    return readAnswers(this.#directory, begunPath)
  }

  /**
   * Saves the answers for their owner alone. Arguments of a helper are omitted, because one may be a secret. A full disk only disables
   * saving, and is reported at once, because the conversation may have a quarter of an hour to go.
   * @returns The warning when the answers can no longer be saved, once.
   */
  async write({ arg: _, ...answers }: SetupAnswers): Promise<string | undefined> {
    const path = join(this.#directory, begunPath)
    try {
      await createDirectory(this.#directory, 0o777)
      await writeFile(`${path}.new`, renderAnswers(toKept(answers, this.#directory)), { mode: 0o600 })
      await rename(`${path}.new`, path)
      this.#count = countAnswers(answers)
      this.#isFailing = false
      return undefined
    } catch (cause) {
      await rm(`${path}.new`, { force: true }).catch(() => {}) // removes the incomplete file
      const isKnown = this.#isFailing
      this.#isFailing = true
      return isKnown ? undefined : this.#describeFailure(cause)
    }
  }

  /** An earlier file stays, so that its answers are not lost. */
  #describeFailure(cause: unknown): string {
    const hint = isWithoutRoom(cause)
      ? `${roomHint} before the last question`
      : 'check who owns the folder, or name another'
    const what = `your answers cannot be kept in ${this.#directory} (${findErrorCode(cause)}); ${this.#describe()}`
    return renderWarning(programName, what) + renderHint(programName, hint)
  }

  /** Removes the saved answers after a finished run. */
  async remove(): Promise<void> {
    await rm(join(this.#directory, begunPath), { force: true })
  }

  /** Creates the failure of a conversation whose input ended. */
  createEndFailure(options: string): HelperError {
    return new HelperError(
      'usage',
      `the input ended before the last question; ${this.#describe()}`,
      this.#toHint(options),
    )
  }

  /** Renders the message after Ctrl-C. */
  renderInterrupted(options: string): string {
    return `\n${renderNotice(programName, `interrupted; ${this.#describe()}`)}${renderHint(programName, this.#toHint(options))}`
  }

  #describe(): string {
    if (this.#count === 0) return 'nothing is kept'
    return toOneLine(
      `${renderCounted(this.#count, 'answer')} ${this.#count > 1 ? 'are' : 'is'} kept in ${join(this.#directory, begunPath)}`,
    )
  }

  #toHint(options: string): string {
    return `${this.#count === 0 ? 'begin again' : 'go on'} with: ${programName} setup ${quoteForHint(this.#directory)}${options}`
  }
}

/** Counts the answers, without the arguments of the helper. */
export function countAnswers(answers: SetupAnswers): number {
  return answerNames.filter((name) => answers[name] !== undefined).length
}
