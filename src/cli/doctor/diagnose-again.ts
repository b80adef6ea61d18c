import { parseHelperMessage } from '../../client/doctor/describe-helper-run.ts'
import type { Part } from '../../client/examination.ts'
import { launch } from '../../client/launch/launch.ts'
import { planLaunch } from '../../client/launch/launch-command.ts'
import type { HelperScriptCredential } from '../../config/document.ts'
import { toContextVariables } from '../../contract/detect-context.ts'
import { toAwsVariables } from '../../contract/environment.ts'
import type { PreparedExchange } from '../../helper/diagnosis.ts'
import { type DiagnosedCall, diagnoseHelper, listAskedByHelper } from '../../helper/run/diagnose-helper.ts'
import { digestNames } from '../../runtime/digest.ts'
import { attemptUnlessFailed } from '../../runtime/failure.ts'
import { type Host, prepareOwnProgram } from '../../runtime/host.ts'
import { redact } from '../../runtime/text/redact.ts'
import { vendor } from '../../vendor.ts'
import { findSuiteHelper } from '../check-with-helper.ts'
import type { Cli } from '../cli.ts'
import { askVersion } from './examine-versions.ts'

/** The diagnosis by a document's helper. */
export interface RepeatedCall extends DiagnosedCall {
  readonly program: string
}

/** The exchange that a helper would have tried, and the call that prepared it. */
export interface ExchangeAttempt extends Pick<RepeatedCall, 'program' | 'call'> {
  readonly attempt: PreparedExchange
}

/**
 * Lets the helper of a document diagnose its run. `undefined` for a program outside the suite, for a helper without `diagnose`, and if the
 * diagnosis fails like the run, because the helper has already printed why.
 */
export async function diagnoseAgain(
  cli: Cli,
  credential: HelperScriptCredential,
  outcome: 'succeeded' | 'failed',
): Promise<RepeatedCall | undefined> {
  const found = findDiagnosed(cli, credential)
  if (!found) return undefined
  const diagnosed = await attemptUnlessFailed(() => diagnoseHelper(found.name, found.helper, found.host, outcome))
  return diagnosed && { ...diagnosed, program: found.name }
}

/** Lists further receivers of requests by {@link diagnoseAgain}, in words; empty without any. */
export async function listAsked(cli: Cli, credential: HelperScriptCredential): Promise<readonly string[]> {
  const found = findDiagnosed(cli, credential)
  if (!found) return []
  return (await attemptUnlessFailed(() => listAskedByHelper(found.name, found.helper, found.host))) ?? []
}

/** Finds the helper of the suite in a document, and the world that the client gives to it. */
function findDiagnosed(cli: Cli, credential: HelperScriptCredential) {
  const found = findSuiteHelper(cli, credential)
  const helper = found && cli.helpers.get(found.name)
  return helper && { name: found.name, helper, host: createHelperHost(cli.host, credential, found.args) }
}

/**
 * Asks the helper for its own diagnosis if its client's names differ from those of this command, because its files are then under those
 * names; `undefined` if the names are equal or do not matter.
 */
export async function askHelper(
  cli: Cli,
  credential: HelperScriptCredential,
  { diagnosis, settings }: RepeatedCall,
): Promise<Part | undefined> {
  const { host } = cli
  const found = findSuiteHelper(cli, credential)
  const resolved = planLaunch({ ...credential, args: [] }, host.platform)
  if (!diagnosis.isNamed || !found || 'problem' in resolved) return undefined
  const { names } = (await askVersion(host, resolved.command.file)) ?? {}
  if (names === undefined || names === digestNames(vendor)) return undefined
  const { args = [] } = credential
  const asked = planLaunch(
    { ...credential, args: [...args.slice(0, args.length - found.args.length), 'whoami', ...found.args] },
    host.platform,
  )
  if ('problem' in asked) return undefined
  const { ended, stdout, stderr } = await launch(asked.command, createHelperHost(host, credential, []).env, longestMs)
  const said = toLines(ended.how === 'exited' && ended.status === 0 ? new TextDecoder().decode(stdout) : stderr)
  const lines = [...settings, `asked the helper itself, because it has other names of the client (${names}):`, ...said]
  if (ended.how === 'exited' && ended.status === 0) return { part: 'identity', outcome: 'good', lines }
  const { message: cause = 'the helper does not say who is signed in', hint } = parseHelperMessage(stderr)
  return {
    part: 'identity',
    outcome: 'bad',
    lines,
    cause: redact(cause, []),
    ...(hint !== undefined && { hint: redact(hint, []) }),
  }
}

/** Longer than the command takes, because it only reads files. */
const longestMs = 60_000

function toLines(text: string): string[] {
  return redact(text, [])
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '')
    .map((line) => `  ${line}`)
}

/** Creates the world that the client gives to the helper, with the time limit of its own call. */
function createHelperHost(host: Host, { awsEnv }: HelperScriptCredential, argv: readonly string[]): Host {
  const begin = host.clock.elapsedMs()
  return {
    ...host,
    argv,
    // The arguments of this process do not end with those of the helper.
    ownCommand: host.ownCommand ?? prepareOwnProgram([]),
    env: { ...host.env, ...toAwsVariables(awsEnv, host.platform), ...toContextVariables('setup-test') },
    clock: { ...host.clock, elapsedMs: () => host.clock.elapsedMs() - begin },
  }
}
