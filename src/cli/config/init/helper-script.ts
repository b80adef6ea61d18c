import type { CredentialKind, HelperScriptCredential } from '../../../config/document.ts'
import { chooseTtlSec, createDocument, type InitAnswers } from '../../../config/render/create-document.ts'
import { suggestedTimeoutSec } from '../../../contract/limits.ts'
import type { AnyHelper } from '../../../helper/define-helper.ts'
import { findFieldProblem } from './check-answer.ts'
import { type InitFlags, toProviderArguments } from './flags.ts'
import { chooseGatewayArguments } from './gateway-arguments.ts'
import { askOptions } from './helper-options.ts'
import { chooseProviderArguments, describeHelperProvider } from './provider-arguments.ts'
import { tellNotices } from './provider-settings.ts'
import { type Interview, resolveAnswer } from './question.ts'

/** One of the suite's helpers, where it is installed, with arguments for what it needs. */
export async function collectHelper(
  interview: Interview,
  flags: InitFlags,
  _kind: CredentialKind,
  baseUrl: string,
): Promise<HelperScriptCredential> {
  const { name, helper } = await chooseHelper(interview, flags.helper)
  const paths = await choosePaths(interview, name, flags)
  const args = await collectArguments(interview, flags, { name, helper }, baseUrl)
  const ttlSec = await askTtl(interview, helper, flags.ttl)
  const timeout = helper.signIn && !hasTimeout(args) ? { timeoutSec: suggestedTimeoutSec } : {}
  return toCredential({ ...paths, ...(args.length > 0 && { args }), ttlSec, ...timeout })
}

/** A helper of the suite. */
export interface NamedHelper {
  readonly name: string
  readonly helper: AnyHelper
}

/** The arguments that flags give a helper, and those for what it needs besides. */
export async function collectArguments(
  interview: Interview,
  flags: InitFlags,
  { name, helper }: NamedHelper,
  baseUrl: string,
): Promise<string[]> {
  const said = [...toProviderArguments(flags), ...(flags.arg ?? [])]
  const given = [...said, ...chooseGatewayArguments(helper, baseUrl, said)]
  const asked = [...given, ...(await askOptions(interview, { name, helper, given }))]
  const args = [...asked, ...(await chooseProviderArguments({ name, helper, args: asked }))]
  tellNotices(interview, await describeHelperProvider({ name, helper, args }))
  return args
}

/** Whoever gives the helper another time writes it into the document, too. */
function hasTimeout(args: readonly string[]): boolean {
  return args.some((argument) => /^--client-timeout(=|$)/.test(argument))
}

/** The helper that the flag names, or a person. */
export async function chooseHelper(interview: Interview, given: string | undefined): Promise<NamedHelper> {
  const { helpers } = interview.cli
  const name = await resolveAnswer(
    interview,
    {
      flag: '--helper',
      words: `Which helper (${[...helpers.keys()].join(', ')})`,
      findProblem: (answer) => (helpers.has(answer) ? undefined : `there is no helper ${JSON.stringify(answer)}`),
    },
    given,
  )
  return { name, helper: helpers.get(name)! } // by the question and by the flag's choices
}

/** Where the helper is installed. */
type Paths = Pick<InitAnswers, 'command' | 'commandWindows'>

/** One path that is given is enough; where none is and nobody answers, the helper is where it is usually installed. */
async function choosePaths(interview: Interview, name: string, flags: InitFlags): Promise<Paths> {
  const { command, commandWindows } = flags
  if (command || commandWindows) return { ...(command && { command }), ...(commandWindows && { commandWindows }) }
  const usual = `/opt/gatepass/${name}`
  const posix = await resolveAnswer(interview, {
    flag: '--command',
    words: `Where is ${name} on macOS and Linux`,
    fallback: { value: usual, words: usual },
    findProblem: (answer) => findPathProblem(interview, 'command', answer),
  })
  const windows = await resolveAnswer(interview, {
    flag: '--command-windows',
    words: 'And on Windows',
    fallback: { value: '', words: 'nowhere' },
    findProblem: (answer) => findPathProblem(interview, 'commandWindows', answer),
  })
  return { command: posix, ...(windows && { commandWindows: windows }) }
}

/** What is wrong with the path of a helper; `undefined` for a good one. */
export function findPathProblem({ cli }: Interview, name: keyof Paths, answer: string): Promise<string | undefined> {
  const credential = toCredential({ [name]: answer })
  return findFieldProblem(cli, { inference: { provider: 'gateway', credential } }, `inference.credential.${name}`)
}

async function askTtl(interview: Interview, helper: AnyHelper, given: string | undefined): Promise<number> {
  const usual = String(helper.suggestedTtlSec ?? chooseTtlSec(helper.longestLifeSec))
  const answer = await resolveAnswer(
    interview,
    {
      flag: '--ttl',
      words: 'For how many seconds may the client keep a token',
      fallback: { value: usual, words: usual },
      findProblem: findTtlProblem,
    },
    given,
  )
  return Number(answer)
}

/** What is wrong with a ttl in text; `undefined` for a good one. */
export function findTtlProblem(text: string): string | undefined {
  return /^[1-9]\d{0,8}$/.test(text) ? undefined : 'expected a whole number of seconds above 0'
}

function toCredential(answers: Omit<InitAnswers, 'baseUrl'>): HelperScriptCredential {
  return createDocument({ baseUrl: '', ...answers }).inference.credential
}
