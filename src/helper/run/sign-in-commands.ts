import { detectContext, isPromptAllowed } from '../../contract/context.ts'
import { Deadline } from '../../runtime/deadline.ts'
import { HelperError, renderNotice } from '../../runtime/failure.ts'
import type { Host } from '../../runtime/host.ts'
import { locateCacheDirectory } from '../../runtime/private/locate-cache.ts'
import { removeCachedTokens } from '../cache/inventory.ts'
import type { AnyHelper, NetworkCall, Plan } from '../define-helper.ts'
import { readOptions, toValues } from '../options/read-options.ts'
import { requireOptions } from '../options/require.ts'
import { type CommonOptions, commonOptions } from '../options/table.ts'
import type { OptionValue } from '../options/value.ts'
import type { CallRecord } from '../record/call-record.ts'
import type { Answer } from './answer-call.ts'
import { createCall } from './create-call.ts'

/** What a person has typed: `NAME sign-in [OPTIONS]`, or `sign-out`. */
interface Typed {
  readonly program: string
  readonly helper: AnyHelper
  readonly host: Host
  readonly record: CallRecord
  readonly given: ReadonlyMap<string, OptionValue>
}

/** Each prints nothing on stdout. A command that hangs ends by itself, after so many seconds. */
const commands = {
  'sign-in': { run: signIn, longestSec: 3_600 },
  'sign-out': { run: signOut, longestSec: 60 },
} as const

/**
 * Signs a person in or out.
 * @throws {HelperError} how it ended otherwise, or that this run may ask nobody.
 */
export async function runSignInCommand(command: keyof typeof commands, typed: Typed): Promise<Answer> {
  const { run, longestSec } = commands[command]
  if (command === 'sign-in') refuseSilentContext(typed)
  await run(typed, await prepareCommand(typed, longestSec))
  return { text: '', work: 'finished' }
}

/** What the options of a command lead to. */
interface Prepared {
  readonly options: CommonOptions
  readonly call: NetworkCall
  readonly plan: Plan
}

async function prepareCommand({ program, helper, host, record, given }: Typed, seconds: number): Promise<Prepared> {
  const table = { ...commonOptions, ...helper.options }
  const deadline = new Deadline({ seconds, hint: 'start again' }, host.clock)
  const resolved = await deadline.during('reading the configuration files', () =>
    readOptions(host, program, table, given),
  )
  record.resolved = resolved
  requireOptions(program, helper.options, resolved)
  const options = toValues<CommonOptions>(resolved)
  const call = { ...createCall(program, host, resolved, record), deadline }
  const plan = await deadline.during('reading the configuration', () => helper.plan(host, options, call))
  record.uses = plan.steps
  return { options, call, plan }
}

async function signIn({ program, helper, host }: Typed, { options, call, plan }: Prepared): Promise<void> {
  const found = await helper.signIn?.(host, options, call, plan)
  if (!found)
    throw new HelperError(
      'not-configured',
      'with these options nobody is signed in here',
      `see what is used with: ${program} --explain; the option sign-in must not be off`,
    )
  await call.deadline.during('the sign-in', () => found.perform())
}

/** Cached tokens are no longer served then, because the id of the sign-in is part of their key; but they would lie there until they expire. */
async function signOut({ program, helper, host }: Typed, { options, call, plan }: Prepared): Promise<void> {
  const found = await call.deadline.during('the sign-out', async () => helper.signOut?.(host, options, call, plan))
  if (!found) return
  const { subject, wasSignedIn } = found
  const said = wasSignedIn ? `signed out of ${subject}` : `nobody was signed in to ${subject}`
  host.streams.stderr(renderNotice(program, said))
  const directory = locateCacheDirectory(host)
  await call.deadline
    .during(`removing tokens from ${directory}`, () => removeCachedTokens(directory, program))
    .catch(({ message }: Error) => call.warn(`cannot remove the cached tokens from ${directory}: ${message}`))
}

/** A person who runs the command asks for it, with or without a terminal; a client in a silent context does not. */
function refuseSilentContext({ program, host }: Typed): void {
  const context = detectContext(host.env, () => 'terminal')
  if (isPromptAllowed(context)) return
  throw new HelperError(
    'sign-in-required',
    `in the context ${context} nobody can be asked to sign in`,
    `run in a terminal: ${program} sign-in`,
  )
}
