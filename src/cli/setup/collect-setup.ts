import { HelperError, renderHint, renderNotice, renderWarning, toOneLine } from '../../runtime/failure.ts'
import { renderCounted } from '../../runtime/text/counted.ts'
import { programName } from '../../version.ts'
import type { Cli } from '../cli.ts'
import { askOptions } from '../config/init/ask-helper-options.ts'
import { type Interview, resolveAnswer } from '../config/init/question.ts'
import type { Conversation } from '../terminal.ts'
import type { AnswerName, SetupAnswers } from './answers.ts'
import type { TriedAddress } from './examine-addresses.ts'
import { listHelperArguments, listMissingOptions } from './plan-document.ts'
import { explainUnused, questions, validateAnswer, withPlaceholders } from './questions.ts'
import {
  findHelper,
  isAlias,
  later,
  normalizeAnswer,
  type SetupQuestion,
  type SetupSituation,
} from './setup-question.ts'
import { countAnswers } from './unfinished-answers.ts'

/**
 * Collects all answers, in this order: the command line, the answers file, those of an interrupted conversation, those that the folder
 * keeps, a person's, the default of a question.
 * @throws {HelperError} `usage` that lists everything that is missing if no person can answer, or that is invalid.
 */
export async function collectSetup(cli: Cli, given: GivenAnswers): Promise<CollectedAnswers> {
  using conversation = cli.terminal.startConversation()
  const asked = conversation && withEnd(conversation, given.createEndFailure)
  if (asked) tellBegun(cli, given.begun)
  const collector = new AnswerCollector({ command: 'setup', cli, conversation: asked }, given)
  for (const question of questions) await collector.collect(question)
  await collector.collectArguments()
  collector.refuseProblems()
  return { answers: collector.answers, assumed: collector.assumed }
}

/** The answers before a person is asked. */
interface GivenAnswers {
  readonly said: SetupAnswers
  /** The answers of the folder's last run, without those that no longer apply. */
  readonly kept: SetupAnswers
  /** The answers of an interrupted conversation. */
  readonly begun: SetupAnswers
  /** `offline`: no address is tried. */
  readonly network: 'tried' | 'offline'
  /** Saves the answers after each answer of a person. */
  readonly remember: (answers: SetupAnswers) => Promise<void>
  /** The failure if a person ends the input before the last question. */
  readonly createEndFailure: () => HelperError
}

/** All answers, and the names of those that are defaults. */
interface CollectedAnswers {
  readonly answers: SetupAnswers
  readonly assumed: readonly AnswerName[]
}

/** A person who ends the input has not accepted the defaults of the remaining questions. */
function withEnd({ ask }: Conversation, createEndFailure: () => HelperError): Conversation {
  return {
    ask: async (question) => {
      const answer = await ask(question)
      if (answer === undefined) throw createEndFailure()
      return answer
    },
    [Symbol.dispose]: () => {},
  }
}

function tellBegun({ terminal }: Cli, begun: SetupAnswers): void {
  const count = countAnswers(begun)
  if (count > 0)
    terminal.tell(`Going on after ${renderCounted(count, 'answer')} of a run that was cut off; --ask asks again.\n`)
}

/** A missing or invalid answer. */
interface AnswerProblem {
  readonly flag: string
  readonly words: string
  /** The hint, if correcting the answer is not sufficient. */
  readonly hint?: string
}

class AnswerCollector {
  answers: SetupAnswers
  readonly assumed: AnswerName[] = []
  readonly #interview: Interview
  readonly #given: GivenAnswers
  readonly #missing: AnswerProblem[] = []
  readonly #wrong: AnswerProblem[] = []
  #isUntrusted = false

  constructor(interview: Interview, given: GivenAnswers) {
    this.#interview = interview
    this.#given = given
    this.answers = {}
  }

  async collect(question: SetupQuestion): Promise<void> {
    const { name } = question
    const { said, kept, begun } = this.#given
    if (question.applies?.(this.#situation) === false) {
      if (said[name] !== undefined && this.answers.identity !== undefined)
        this.#wrong.push({ flag: `--${name}`, ...explainUnused(question, this.#situation) })
      return
    }
    const value = said[name] ?? begun[name] ?? kept[name]
    if (value !== undefined) return this.#take(question, value)
    const isAsked = question.words !== undefined && (question.isAsked?.(this.#situation) ?? true)
    if (isAsked && this.#interview.conversation) {
      this.#refuseWrong() // no further questions after an invalid answer
      await this.#ask(question)
      // The answers to later questions are those of the earlier run, which may be interrupted again.
      return this.#given.remember({ ...begun, ...this.answers })
    }
    const fallback = question.fallback?.(this.#situation)
    // The first run determines values without a question and a default, and they stay.
    if (fallback || (question.words === undefined && countAnswers(kept) === 0)) this.assumed.push(name)
    if (fallback) this.#set(name, fallback.value)
    else if (isAsked) this.#missing.push(toProblem(question, question.words ?? ''))
  }

  /** Collects the arguments that the helper needs in addition to those from the answers; a person is asked for each. */
  async collectArguments(): Promise<void> {
    const { said, kept } = this.#given
    const given = said.arg ?? kept.arg ?? []
    const helper = findHelper(this.#situation)
    const name = this.answers.identity ?? ''
    if (!helper) {
      if (said.arg && name !== '')
        this.#wrong.push({ flag: '--arg', words: `does not go with --identity ${name}`, hint: 'remove --arg' })
      return
    }
    this.answers = { ...this.answers, arg: given }
    const { cli } = this.#interview
    const fixed = listHelperArguments(cli, withPlaceholders(cli, this.answers))
    const isToAsk = this.#interview.conversation !== undefined && kept.identity !== name
    const asked = isToAsk ? await askOptions(this.#interview, { name, helper, given: fixed, os: 'linux' }) : []
    this.answers = { ...this.answers, arg: [...given, ...asked] }
    const named = this.#missing.map(({ flag }) => flag)
    const options = await listMissingOptions(cli, withPlaceholders(cli, this.answers))
    for (const option of options.filter((each) => !named.includes(`--${each}`)))
      this.#missing.push({ flag: `--arg=--${option}=…`, words: helper.options[option]?.summary ?? '' })
  }

  /** @throws {HelperError} `usage` */
  refuseProblems(): void {
    this.#refuseWrong()
    if (this.#missing.length === 0) return
    const width = Math.max(...this.#missing.map(({ flag }) => flag.length))
    const lines = this.#missing.map(({ flag, words }) => `  ${flag.padEnd(width)}  ${toOneLine(words)}\n`)
    const why = this.#interview.conversation ? '' : ', and standard input is not a terminal'
    this.#interview.cli.terminal.tell(`These answers are missing${why}:\n${lines.join('')}`)
    const keys = this.#missing.map(({ flag }) => flag.split('=')[0]).join(', ')
    const hint = 'pass these options, or a JSON file with the same names: --answers FILE'
    throw new HelperError('usage', `answers are missing: ${keys}`, hint)
  }

  #refuseWrong(): void {
    if (this.#wrong.length === 0) return
    const [first, ...others] = this.#wrong.map(({ flag, words }) => `${flag} ${words}`)
    for (const words of others) this.#interview.cli.terminal.tell(renderNotice(programName, words))
    const onlyHint = this.#wrong[0]!.hint ?? `correct it; see: ${programName} setup --help`
    const hint = others.length > 0 ? `correct these answers; see: ${programName} setup --help` : onlyHint
    throw new HelperError('usage', first!, hint)
  }

  get #situation(): SetupSituation {
    return { cli: this.#interview.cli, answers: this.answers, isUntrusted: this.#isUntrusted }
  }

  #accept(question: SetupQuestion, given: string, value: string): void {
    const { terminal } = this.#interview.cli
    this.#set(question.name, value)
    if (isAlias(question, given)) terminal.tell(`  ${toOneLine(given)} stands for ${value}\n`)
    const warning = question.warn?.(value, this.#situation)
    if (warning) terminal.tell(renderWarning(programName, warning.message) + renderHint(programName, warning.hint))
  }

  /** A postponed question stays without an answer, so that the next run asks again. */
  #set(name: AnswerName, value: string): void {
    if (value === later.value) return
    this.answers = { ...this.answers, [name]: value }
  }

  async #take(question: SetupQuestion, given: string): Promise<void> {
    const value = normalizeAnswer(question, given, this.#situation)
    const problem = await validateAnswer(question, value, this.#situation)
    if (problem !== undefined) {
      this.#wrong.push(toProblem(question, `cannot be used: ${problem}`))
      return
    }
    this.#accept(question, given, value)
    const sight = await this.#examine(question, value)
    if (sight?.trouble === 'wrong') this.#wrong.push(toProblem(question, sight.lines.join('; ')))
    else this.#tell(sight)
  }

  async #ask(question: SetupQuestion): Promise<void> {
    const { terminal } = this.#interview.cli
    const choices = question.choices?.(this.#situation)
    const lines = [...(question.told?.(this.#situation) ?? []), ...(choices ? renderChoices(choices) : [])]
    terminal.tell(lines.map((line) => `  ${line}\n`).join(''))
    let fallback = question.fallback?.(this.#situation)
    let doubted: string | undefined
    for (;;) {
      const given = await this.#askOnce(question, fallback)
      const answer = normalizeAnswer(question, given, this.#situation)
      // A repeated answer means that the person is sure and knows the finding.
      if (answer === doubted) return
      this.#accept(question, given, answer)
      const sight = await this.#examine(question, answer)
      this.#tell(sight)
      if (sight?.trouble === undefined || sight.trouble === 'certificate') return
      doubted = answer
      fallback = { value: answer, words: `keep ${answer}` }
    }
  }

  async #askOnce(
    { name, words = '', ...question }: SetupQuestion,
    fallback: { readonly value: string; readonly words?: string } | undefined,
  ): Promise<string> {
    const toWords = (answer: string) => normalizeAnswer({ ...question, name }, answer, this.#situation)
    return resolveAnswer(this.#interview, {
      flag: `--${name}`,
      words,
      ...(fallback && { fallback: { value: fallback.value, words: fallback.words ?? fallback.value } }),
      validate: (text) => validateAnswer({ ...question, name }, toWords(text), this.#situation),
    })
  }

  async #examine(question: SetupQuestion, value: string): Promise<TriedAddress | undefined> {
    if (this.#given.network === 'offline') return undefined
    const sight = await question.examine?.(value, this.#situation)
    if (sight?.trouble === 'certificate') this.#isUntrusted = true
    return sight
  }

  #tell(sight: TriedAddress | undefined): void {
    this.#interview.cli.terminal.tell((sight?.lines ?? []).map((line) => `  ${toOneLine(line)}\n`).join(''))
  }
}

function toProblem({ name }: SetupQuestion, words: string): AnswerProblem {
  return { flag: `--${name}`, words }
}

function renderChoices(choices: Readonly<Record<string, string>>): string[] {
  const width = Math.max(...Object.keys(choices).map((name) => name.length))
  return Object.entries(choices).map(([name, words], index) => `${index + 1}  ${name.padEnd(width)}  ${words}`)
}
