import { detectContext, isPromptAllowed } from '../../contract/context.ts'
import { Deadline } from '../../runtime/deadline.ts'
import { HelperError } from '../../runtime/failure.ts'
import type { Host } from '../../runtime/host.ts'
import type { AnyHelper } from '../define-helper.ts'
import { readOptions, toValues } from '../options/read-options.ts'
import { requireOptions } from '../options/require.ts'
import { type CommonOptions, commonOptions } from '../options/table.ts'
import type { OptionValue } from '../options/value.ts'
import type { CallRecord } from '../record/call-record.ts'
import type { Answer } from './answer-call.ts'
import { createCall } from './create-call.ts'

/** A sign-in that hangs ends by itself, an hour after it began. */
const longestSec = 3_600

/**
 * Signs a person in, for `NAME sign-in [OPTIONS]`. It prints nothing on stdout.
 * @throws {HelperError} how it ended otherwise, or that this run may ask nobody.
 */
export async function runSignInCommand(
  program: string,
  helper: AnyHelper,
  host: Host,
  { record, given }: { record: CallRecord; given: ReadonlyMap<string, OptionValue> },
): Promise<Answer> {
  refuseSilentContext(program, host)
  const table = { ...commonOptions, ...helper.options }
  const deadline = new Deadline({ seconds: longestSec, hint: 'start again' }, host.clock)
  const resolved = await deadline.during('reading the configuration files', () =>
    readOptions(host, program, table, given),
  )
  record.resolved = resolved
  requireOptions(program, helper.options, resolved)
  const options = toValues<CommonOptions>(resolved)
  const call = { ...createCall(program, host, resolved, record), deadline }
  const plan = await deadline.during('reading the configuration', () => helper.plan(host, options, call))
  record.uses = plan.steps
  const signIn = await helper.signIn?.(host, options, call, plan)
  if (!signIn)
    throw new HelperError(
      'not-configured',
      'with these options nobody is signed in here',
      `see what is used with: ${program} --explain; the option sign-in must not be off`,
    )
  await deadline.during('the sign-in', () => signIn.perform())
  return { text: '', work: 'finished' }
}

/** A person who runs the command asks for it, with or without a terminal; a client in a silent context does not. */
function refuseSilentContext(program: string, { env }: Host): void {
  const context = detectContext(env, () => 'terminal')
  if (isPromptAllowed(context)) return
  throw new HelperError(
    'sign-in-required',
    `in the context ${context} nobody can be asked to sign in`,
    `run in a terminal: ${program} sign-in`,
  )
}
