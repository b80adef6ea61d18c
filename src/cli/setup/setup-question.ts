import { resolve } from 'node:path'
import type { AnyHelper } from '../../helper/define-helper.ts'
import { expandHome } from '../../runtime/disk.ts'
import { toOneLine } from '../../runtime/failure.ts'
import { findNearestName } from '../../runtime/text/nearest-name.ts'
import type { Cli } from '../cli.ts'
import { type AnswerName, type SetupAnswers, splitList } from './answers.ts'
import type { TriedAddress } from './examine-addresses.ts'

/** The world, and the answers so far. */
export interface AnsweredSetup {
  readonly cli: Cli
  readonly answers: SetupAnswers
}

/** The facts on which a question may depend. */
export interface SetupSituation extends AnsweredSetup {
  /** Whether a tried address had an untrusted certificate. */
  readonly isUntrusted: boolean
}

/** A question for an administrator, which an option can answer. */
export interface SetupQuestion {
  readonly name: AnswerName
  /** The description of the option in the help. */
  readonly summary: string
  /** The question without its mark; absent for an answer that is only an option. */
  readonly words?: string
  /** The effects of the possible answers, one a line. */
  readonly told?: (situation: SetupSituation) => readonly string[]
  /** The accepted words with their meanings; a person may also type the number of a line. */
  readonly choices?: (situation: SetupSituation) => Readonly<Record<string, string>>
  readonly takes?: 'several'
  /** Other names of a choice, in lower case, that people may type. */
  readonly aliases?: Readonly<Record<string, string>>
  /** Words with a special meaning, if any other text is an answer too; their case does not matter. */
  readonly names?: readonly string[]
  /** The spelling in which an answer is kept. */
  readonly normalize?: (answer: string, situation: SetupSituation) => string
  /** Whether the answer applies here; always by default. */
  readonly applies?: (situation: SetupSituation) => boolean
  /** Whether the question is asked if it applies; by default, if it has words. */
  readonly isAsked?: (situation: SetupSituation) => boolean
  /** The files that need the answer, if it may be postponed: until then they are missing. */
  readonly missingUntil?: 'document' | 'recipe'
  readonly fallback?: (situation: SetupSituation) => { readonly value: string; readonly words?: string } | undefined
  readonly validate?: (answer: string, situation: SetupSituation) => Promise<string | undefined> | string | undefined
  /** A warning about a valid answer. */
  readonly warn?: (
    answer: string,
    situation: SetupSituation,
  ) => { readonly message: string; readonly hint: string } | undefined
  /** Tries the answer over the network. */
  readonly examine?: (answer: string, situation: SetupSituation) => Promise<TriedAddress>
}
/** Finds the helper of the answers; `undefined` if the client needs none. */
export function findHelper({ cli, answers }: AnsweredSetup): AnyHelper | undefined {
  return cli.helpers.get(answers.identity ?? '')
}

export function isOpenId(situation: AnsweredSetup): boolean {
  return situation.answers.identity === 'external-idp' || hasOption(situation, 'client-id')
}

export function hasOption(situation: AnsweredSetup, name: string): boolean {
  return Object.hasOwn(findHelper(situation)?.options ?? {}, name)
}

/** Returns whether the helper proves an AWS identity, which a verifier confirms with AWS. */
export function isAwsProof(situation: AnsweredSetup): boolean {
  return hasOption(situation, 'audience-header')
}

export function isAws(situation: AnsweredSetup): boolean {
  return hasOption(situation, 'profile')
}

/** Returns a path as it is kept. No shell has processed a person's answer, so `~` is expanded here. */
export function toFullPath(path: string, { cli }: SetupSituation): string {
  return path === '' ? '' : resolve(expandHome(path, cli.host.home))
}

/** The fallback of an answer that may be postponed. */
export const later = { value: 'later' }

/** The fallback of an answer that may mean that there is nothing. */
export const none = { value: 'none' }

/**
 * Returns an answer as the folder keeps it: words with a special meaning in the case of their table, the number of a line as its word, and
 * another name of a word as that word. Any other text is unchanged.
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

/** Returns whether an answer is another name of a choice. */
export function isAlias({ aliases = {} }: SetupQuestion, answer: string): boolean {
  return Object.hasOwn(aliases, answer.toLowerCase())
}

function toAliased(word: string, aliases: Readonly<Record<string, string>>): string {
  const key = word.toLowerCase()
  return Object.hasOwn(aliases, key) ? aliases[key]! : word
}

/** Describes the problem of an answer that must be one of these words, or several if several are accepted; `undefined` for a valid one. */
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

/** Finds the word that was probably meant, in any case: the most similar, or the only one with the same beginning. */
export function findNearestWord(text: string, words: readonly string[]): string | undefined {
  const wanted = text.toLowerCase()
  const beginning = words.filter((word) => word.startsWith(wanted))
  const only = wanted.length >= fewestLetters && beginning.length === 1 ? beginning[0] : undefined
  return findNearestName(wanted, words) ?? only
}

/** Fewer letters do not show which word was meant. */
const fewestLetters = 3
