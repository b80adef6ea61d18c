import { isPromptAllowed } from '../../contract/context.ts'
import { isAction } from '../../contract/output-format.ts'
import { HelperError } from '../../runtime/failure.ts'
import { locateCacheDirectory } from '../../runtime/files/private-files.ts'
import type { Host } from '../../runtime/host.ts'
import { detectRenewalStep, renewalCommand } from '../../runtime/program/renewal-command.ts'
import { escapeControls } from '../../runtime/text/escape.ts'
import { findNearestName } from '../../runtime/text/nearest-name.ts'
import { describeMoment } from '../../runtime/values/duration.ts'
import { renderJson } from '../../runtime/values/json-value.ts'
import { removeCachedTokens } from '../cache/inventory.ts'
import type { AnyHelper, Call, CommandCall, HelperCommand, HelperCommands } from '../define-helper.ts'
import { describeTypedCommand } from '../mint/serve-after-sign-in.ts'
import { stripAction } from '../options/arguments.ts'
import type { OptionTable } from '../options/option-table.ts'
import { describeSignedIn, type SignInSession, type SignInState } from '../sign-in.ts'

/** Lists the commands that a person can type: the declaration's, and `sign-in`, `sign-out` and `whoami` if it signs people in. */
export function createCommands(helper: AnyHelper): HelperCommands {
  const { signIn, signOut, whoami, commands } = helper
  return {
    ...(signIn && { 'sign-in': createSignInCommand(signIn, whoami) }),
    ...(whoami && { whoami: createWhoamiCommand(whoami) }),
    ...(signOut && { 'sign-out': createSignOutCommand(signOut) }),
    ...commands,
  }
}

/** Finds the command that the first argument names. It may be the renewal for which another run has started this process. */
export function findCommand(helper: AnyHelper, { argv: [name = ''], env }: Host): HelperCommand | undefined {
  if (name === renewalCommand && detectRenewalStep(env) === 'hold') return findRenewalCommand(helper)
  const commands = createCommands(helper)
  return Object.hasOwn(commands, name) ? commands[name] : undefined
}

/**
 * Refuses a first argument that looks like a command, if the helper has none of that name. It is not repeated, because it may be a secret.
 * @throws {HelperError} `usage`
 */
export function refuseUnknownCommand(program: string, helper: AnyHelper, [word = '']: readonly string[]): void {
  const names = Object.keys(createCommands(helper))
  if (names.length === 0 || !/^[a-z][a-z_-]*$/.test(word) || isAction(word)) return
  const near = findNearestName(word, names)
  throw new HelperError(
    'usage',
    `the first argument is not a command${near === undefined ? '' : ` (did you mean ${near}?)`}`,
    `use one of: ${names.join(', ')}; see: ${program} --help`,
  )
}

/**
 * Refuses a command behind the options, where a person who adds it to a line writes it.
 * @param argv The options before it.
 * @throws {HelperError} `usage`
 */
export function refuseLateCommand(program: string, helper: AnyHelper, word: string, argv: readonly string[]): void {
  if (!Object.hasOwn(createCommands(helper), word)) return
  throw new HelperError(
    'usage',
    `the command ${word} stands after the options`,
    describeTypedCommand('write it first', program, word, argv),
  )
}

/**
 * Refuses a command in the arguments of a client, whose run would start it in place of a call, or refuse it behind the options.
 * @throws {HelperError} `usage`
 */
export function refuseCommand(helper: AnyHelper, table: OptionTable, argv: readonly string[]): void {
  const words = { first: argv[0] ?? '', last: stripAction(table, argv).action ?? '' }
  for (const [position, word] of Object.entries(words)) {
    if (!Object.hasOwn(createCommands(helper), word)) continue
    throw new HelperError(
      'usage',
      `the ${position} argument is the command ${word}, which is for a person`,
      `remove ${word} here; a person types it in a terminal, followed by the other arguments`,
    )
  }
}

/** In seconds: the deadline of a process that renews a sign-in, even if its provider does not answer. */
const longestRenewalSec = 90

/** Returns the command of a process that renews a sign-in. Only another run starts it; no person types it. */
function findRenewalCommand({ renew }: AnyHelper): HelperCommand | undefined {
  if (!renew) return undefined
  return {
    summary: 'renews a sign-in',
    longestSec: longestRenewalSec,
    run: (host, options, call, plan) =>
      call.deadline.during('sign-in', 'the renewal', () => renew(host, options, call, plan)),
  }
}

/** Creates the command that signs a person in and prints the account. */
function createSignInCommand(signIn: NonNullable<AnyHelper['signIn']>, whoami: AnyHelper['whoami']): HelperCommand {
  return {
    summary: 'signs you in, and says as whom',
    longestSec: 3_600,
    async run(host, options, call, plan) {
      refuseSilentContext(host, call)
      const found = await signIn(host, options, call, plan)
      if (!found) throw toNoPerson(call, '; the option sign-in must not be off')
      const { isWatched } = await call.deadline.during('sign-in', 'the sign-in', () => found.perform())
      const state = isWatched ? await whoami?.(host, options, call, plan) : undefined
      if (state) call.tell(describeSignedIn(state, host.clock.now()))
      const { shortcoming } = state?.session ?? {}
      if (shortcoming) call.warn(`${shortcoming.what}; ${shortcoming.way}`)
    },
  }
}

function refuseSilentContext(host: Host, { context, program }: CommandCall): void {
  if (isPromptAllowed(context)) return
  throw new HelperError(
    'sign-in-required',
    `in the context ${context} nobody can be asked to sign in`,
    describeTypedCommand('run in a terminal', program, 'sign-in', listOwnArguments(host)),
  )
}

/** Creates the command that prints who is signed in, until when, and how that is renewed. It only reads files. */
function createWhoamiCommand(whoami: NonNullable<AnyHelper['whoami']>): HelperCommand {
  return {
    summary: 'says who is signed in',
    longestSec: 60,
    options,
    async run(host, values, call, plan) {
      const state = await call.deadline.during('sign-in', 'reading the sign-in', () => whoami(host, values, call, plan))
      if (!state) throw toNoPerson(call)
      const { session } = state
      if (!session)
        throw new HelperError(
          'sign-in-required',
          state.ended ?? `nobody is signed in to ${state.subject}`,
          describeTypedCommand('sign in', call.program, 'sign-in', listOwnArguments(host)),
        )
      const { json } = values as { json?: boolean } // the command's own options
      call.print(
        escapeControls(json ? renderSignInDocument(state, session) : renderText(state, session, host.clock.now())),
      )
    },
  }
}

/**
 * Creates the command that signs a person out and removes the cached tokens. They would not be served any more, because the sign-in's id is
 * part of their key, but would stay on disk until they expire.
 */
function createSignOutCommand(signOut: NonNullable<AnyHelper['signOut']>): HelperCommand {
  return {
    summary: 'signs you out, here and at the provider',
    longestSec: 60,
    async run(host, options, call, plan) {
      const { subject, wasSignedIn, wasUnderWay } = await call.deadline.during('sign-in', 'the sign-out', () =>
        signOut(host, options, call, plan),
      )
      const ended = wasUnderWay ? '; the sign-in that was under way is ended' : ''
      call.tell(`${wasSignedIn ? 'signed out of' : 'nobody was signed in to'} ${subject}${ended}`)
      const directory = locateCacheDirectory(host)
      await call.deadline
        .during('cache', `removing tokens from ${directory}`, () => removeCachedTokens(directory, call.program))
        .catch(({ message }: Error) => call.warn(`cannot remove the cached tokens from ${directory}: ${message}`))
    },
  }
}

const options = {
  json: { value: 'flag', only: 'command line', summary: 'with whoami: print it as JSON', cacheKey: 'excluded' },
} as const satisfies OptionTable

/** Lists the arguments that `sign-in` accepts too, for a hint. */
function listOwnArguments({ argv: [, ...given] }: Pick<Host, 'argv'>): string[] {
  return given.filter((word) => word !== '--json')
}

/** Creates the failure of a command about a sign-in when no person signs in, because the source needs nobody or the option `sign-in` is `off`. */
function toNoPerson({ program }: Pick<Call, 'program'>, more = ''): HelperError {
  return new HelperError(
    'not-configured',
    'with these options nobody is signed in here',
    `see what is used with: ${program} --explain${more}`,
  )
}

function renderSignInDocument({ subject, purpose }: SignInState, session: SignInSession): string {
  const { account = null, since, what, endsAt, renewal } = session
  const toTime = (at: number | undefined) => (at === undefined ? null : new Date(at).toISOString())
  const shown = {
    account,
    signedInTo: subject,
    for: purpose ?? null,
    since: toTime(since),
    until: toTime(endsAt),
    of: what,
    renewal: { withoutPerson: renewal.isSilent, how: renewal.how },
  }
  return renderJson(shown)
}

function renderText({ subject, purpose }: SignInState, session: SignInSession, now: number): string {
  const { account, since, what, endsAt, renewal } = session
  const lines = [
    ['signed in to', purpose === undefined ? subject : `${subject}, for ${purpose}`],
    ...(since === undefined ? [] : [['since', describeMoment(since, now)]]),
    ['until', endsAt === undefined ? 'nobody knows' : `${describeMoment(endsAt, now)} (${what})`],
    ['renewed', renewal.how],
  ]
  const rows = lines.map(([name = '', value]) => `  ${name.padEnd(14)}${value}\n`)
  return `${account ?? 'somebody: no file here says who'}\n${rows.join('')}`
}
