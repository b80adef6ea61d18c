import { rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { HelperError, renderNotice, toOneLine } from '../../runtime/failure.ts'
import { createDirectory } from '../../runtime/files/private-files.ts'
import { renderCounted } from '../../runtime/text/counted.ts'
import { quoteWord } from '../../runtime/text/quote.ts'
import { programName } from '../../version.ts'
import { answerNames, renderAnswers, type SetupAnswers } from './answers.ts'
import { begunPath, readAnswers, toKept } from './folder.ts'

/** The answers of a conversation that has not reached its end; they outlive a closed terminal and a restart. */
export class BegunAnswers {
  readonly #directory: string
  #count = 0

  constructor(directory: string) {
    this.#directory = directory
  }

  /** The answers of a run that did not reach its end; none if there was no such run. */
  read(): Promise<SetupAnswers> {
    return readAnswers(this.#directory, begunPath)
  }

  /**
   * Keeps the answers so far, for their owner alone. Arguments of a helper are left out, because one may be a secret. A disk that is full
   * costs this help, and not the conversation.
   */
  async write({ arg: _, ...answers }: SetupAnswers): Promise<void> {
    const path = join(this.#directory, begunPath)
    try {
      await createDirectory(this.#directory, 0o777)
      await writeFile(`${path}.new`, renderAnswers(toKept(answers, this.#directory)), { mode: 0o600 })
      await rename(`${path}.new`, path)
      this.#count = countAnswers(answers)
    } catch {
      this.#count = 0 // the folder itself cannot be written then, which its own write reports
    }
  }

  /** Removes what a finished run no longer needs. */
  async remove(): Promise<void> {
    await rm(join(this.#directory, begunPath), { force: true })
  }

  /** The failure of a conversation whose input ended. */
  createEndFailure(options: string): HelperError {
    return new HelperError(
      'usage',
      `the input ended before the last question; ${this.#describe()}`,
      this.#toHint(options),
    )
  }

  /** The words after Ctrl-C. */
  renderInterrupted(options: string): string {
    return `\n${renderNotice(programName, `interrupted; ${this.#describe()}`)}${programName}: hint: ${this.#toHint(options)}\n`
  }

  #describe(): string {
    if (this.#count === 0) return 'nothing is kept'
    return toOneLine(
      `${renderCounted(this.#count, 'answer')} ${this.#count > 1 ? 'are' : 'is'} kept in ${join(this.#directory, begunPath)}`,
    )
  }

  #toHint(options: string): string {
    return `${this.#count === 0 ? 'begin again' : 'go on'} with: ${programName} setup ${quoteWord(this.#directory)}${options}`
  }
}

/** How many answers there are, arguments aside. */
export function countAnswers(answers: SetupAnswers): number {
  return answerNames.filter((name) => answers[name] !== undefined).length
}

/** Ctrl-C while setup runs: the first one ends the conversation with words, and the second one the process. */
export function openInterrupt(): Disposable & { readonly pressed: Promise<'interrupted'> } {
  const { promise: pressed, resolve } = Promise.withResolvers<'interrupted'>()
  const end = () => resolve('interrupted')
  process.once('SIGINT', end)
  return { pressed, [Symbol.dispose]: () => void process.off('SIGINT', end) }
}
