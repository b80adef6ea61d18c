import { toOneLine } from '../../runtime/failure.ts'
import { findNearestName } from '../../runtime/text/nearest-name.ts'
import { splitList } from './answers.ts'
import type { SetupQuestion, SetupSituation } from './setup-question.ts'

/**
 * An answer as the folder keeps it: words that have a meaning of their own in the case of their table, the number of a line as its word,
 * and another name for a word as that word. Every other text stays as it is.
 */
export function normalizeAnswer(question: SetupQuestion, answer: string, situation: SetupSituation): string {
  const choices = question.choices && Object.keys(question.choices(situation))
  if (!choices) return findWord(answer, question.names ?? []) ?? question.normalize?.(answer, situation) ?? answer
  const aliases = question.aliases ?? {}
  const toName = (word: string) => findWord(word, choices) ?? choices[Number(word) - 1] ?? toAliased(word, aliases)
  return question.takes ? splitList(answer).map(toName).join(',') : toName(answer)
}

function findWord(text: string, words: readonly string[]): string | undefined {
  return words.find((word) => word.toLowerCase() === text.toLowerCase())
}

/** Whether an answer is another name for a choice. */
export function isAlias({ aliases = {} }: SetupQuestion, answer: string): boolean {
  return Object.hasOwn(aliases, answer.toLowerCase())
}

function toAliased(word: string, aliases: Readonly<Record<string, string>>): string {
  const key = word.toLowerCase()
  return Object.hasOwn(aliases, key) ? aliases[key]! : word
}

/** The problem with an answer that has to be one of these words; `undefined` if it is one, or several where several are taken. */
export function describeUnknownWord(
  answer: string,
  words: readonly string[],
  takes: SetupQuestion['takes'],
): string | undefined {
  const unknown = (takes ? splitList(answer) : [answer]).find((word) => !words.includes(word))
  if (unknown === undefined) return undefined
  const near = findNearestWord(unknown, words)
  const way = near === undefined ? `expected ${words.join(', ')}` : `did you mean ${near}?`
  return toOneLine(`there is no ${JSON.stringify(unknown)}; ${way}`)
}

/** The word that somebody most likely meant, in any case: the nearest, or the only one that begins like it. */
export function findNearestWord(text: string, words: readonly string[]): string | undefined {
  const wanted = text.toLowerCase()
  const beginning = words.filter((word) => word.startsWith(wanted))
  const only = wanted.length >= fewestLetters && beginning.length === 1 ? beginning[0] : undefined
  return findNearestName(wanted, words) ?? only
}

/** Fewer letters say nothing about the word that was meant. */
const fewestLetters = 3
