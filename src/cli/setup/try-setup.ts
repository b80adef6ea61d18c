import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { type Command, InvalidArgumentError } from 'commander'
import { isSignIn, type SignInCredential, toSignInSettings } from '../../client/credentials/sign-in-settings.ts'
import { hasAnswered } from '../../client/doctor/choose-verdict.ts'
import { describeHelperRun } from '../../client/doctor/describe-helper-run.ts'
import { examineCredential } from '../../client/doctor/examine-credential.ts'
import { hasPassed, type Part } from '../../client/examination.ts'
import { runCredentialHelper } from '../../client/launch/run-credential-helper.ts'
import { detectSystem, findDocumentHelper } from '../../config/check/rule.ts'
import type { GatewayInference, HelperScriptCredential } from '../../config/document.ts'
import { refreshCauseVariable } from '../../contract/refresh.ts'
import { HelperError, outcomeStatus, renderHint, renderWarning, toOneLine } from '../../runtime/failure.ts'
import { type Host, prepareOwnProgram } from '../../runtime/host.ts'
import { findProgramFile } from '../../runtime/program/find-program-file.ts'
import { Secret } from '../../runtime/secret.ts'
import { quoteForHint } from '../../runtime/text/quote.ts'
import { parseTokenFacts } from '../../runtime/tokens/token-facts.ts'
import { parseObject } from '../../runtime/values/json-value.ts'
import { programName } from '../../version.ts'
import { askToRun, renderUrl, validateDestination } from '../ask-to-run.ts'
import type { Cli } from '../cli.ts'
import { observePerson } from '../doctor/examine-sign-in.ts'
import { renderExamination } from '../doctor/render-examination.ts'
import { createTurnFetch } from '../network.ts'
import { toFlag } from '../option-values.ts'
import { readSource } from '../read-source.ts'
import { tellErrors } from '../show-findings.ts'
import type { SetupAnswers } from './answers.ts'
import { listStale, tellStale } from './changes/stale-exports.ts'
import { endUnfinishedWrite } from './changes/write-folder.ts'
import { withNetwork } from './examine-addresses.ts'
import {
  describeCompletion,
  documentPath,
  readIfThere,
  readKept,
  resolveFolder,
  windowsDocumentPath,
} from './folder.ts'
import { type ObservedCredential, playWorkingDay, renderDay } from './play-day.ts'
import { listPostponed } from './questions.ts'
import type { SetupQuestion } from './setup-question.ts'

/** Adds `gatepass setup try`: one real sign-in and one real request, and a simulated working day with the observed facts. */
export function addSetupTry(setup: Command, cli: Cli): void {
  setup
    .command('try')
    .description(
      'sign in once, send one request, and play a working day: how often people are asked, and which turns wait',
    )
    .argument('[folder]', `the folder of ${programName} setup (default: this one, else ./rollout)`)
    .option('--helper <path>', 'the helper, where it is not installed at the path of the document yet', parsePath)
    .option('--yes', 'run the helper, or sign in, and send the token without asking')
    .addHelpText(
      'after',
      `
The day is played on a clock of its own, from nine to five, with one turn every five minutes, and a lunch with a closed lid; at three the gateway refuses every token once. No secret is printed.

Exit status: ${outcomeStatus.done} if the request went through, and on that day no turn is lost and people are asked at most once; ${outcomeStatus.no} if not; ${outcomeStatus.usage} if nobody could be asked; ${outcomeStatus.refused} if you do not agree.`,
    )
    .action(async (folder: string | undefined, flags: TryFlags) => {
      refuseAnswers(setup)
      await runTry(cli, await resolveFolder(folder), flags)
    })
}

interface TryFlags {
  readonly helper?: string
  readonly yes?: true
}

function parsePath(text: string): string {
  if (text !== '') return resolve(text)
  throw new InvalidArgumentError('expected the path of a program.')
}

/** @throws {HelperError} `usage` for an option of setup, which would be ignored. */
function refuseAnswers(setup: Command): void {
  const [name] = Object.keys(setup.opts())
  if (name === undefined) return
  throw new HelperError('usage', `${toFlag(name)} is an option of setup, not of its trial`, 'remove it')
}

async function runTry(own: Cli, directory: string, flags: TryFlags): Promise<void> {
  await endUnfinishedWrite(directory)
  const answers = await readKept(directory)
  // The proxy and the authority of the desktops are in the machine's file, which is not installed here yet.
  const network = await readMachineNetwork(own, directory, answers)
  const cli = { ...own, host: withNetwork(own.host, network) }
  const inference = await prepareProfiles(
    await readInference(cli, directory, listPostponed({ cli, answers })),
    directory,
  )
  const stale = await listStale(cli, directory, answers)
  tellStale(cli, directory, stale, 'what is tried here')
  const observed = await observe(cli, inference, flags)
  cli.terminal.print(renderExamination(observed.parts, { paint: cli.terminal.paint, width: cli.terminal.width() }))
  const { credential } = observed
  if (!credential) return cli.setExitStatus(outcomeStatus.no)
  const document = { inference: { provider: 'gateway' as const, ...inference } }
  const day = await playWorkingDay(cli.host, document, credential)
  cli.terminal.print(`\nA working day, played with these tokens\n${renderDay(day, credential)}`)
  const isOften = day.askedAt.length > 1
  if (isOften) tellOften(cli, inference, directory)
  cli.setExitStatus(
    hasPassed(observed.parts) && hasAnswered(observed.parts) && day.lost === 0 && !isOften && stale.length === 0
      ? outcomeStatus.done
      : outcomeStatus.no,
  )
}

/** Reads the settings in the folder's machine file. A person may have changed them to an authority that only the desktops have. */
async function readMachineNetwork({ terminal }: Cli, directory: string, answers: SetupAnswers): Promise<SetupAnswers> {
  const file = join(directory, 'machine', `${answers.identity}.json`)
  const text = await readIfThere(file)
  if (text === undefined) return answers
  const { proxy, ca } = parseObject(Buffer.from(text).toString('utf8')) ?? {}
  const authority = typeof ca === 'string' ? resolve(dirname(file), ca) : undefined
  const isThere = authority !== undefined && existsSync(authority)
  if (authority !== undefined && !isThere)
    terminal.tell(
      `${renderWarning(programName, `${file} names ${authority}, which this machine does not have, so that the trial does not trust it`)}` +
        renderHint(
          programName,
          `have setup hand the file out: ${programName} setup ${quoteForHint(directory)} --write --ca FILE`,
        ),
    )
  return { ...(typeof proxy === 'string' && { proxy }), ...(isThere && { ca: authority }) }
}

/**
 * Reads the document of this system.
 * @throws {HelperError} `usage` for a folder without one, or with an invalid one.
 */
async function readInference(cli: Cli, directory: string, open: readonly SetupQuestion[]): Promise<GatewayInference> {
  const windowsPath = join(directory, windowsDocumentPath)
  const isOwn = cli.host.platform === 'win32' && (await readIfThere(windowsPath)) !== undefined
  const path = isOwn ? windowsPath : join(directory, documentPath)
  if ((await readIfThere(path)) === undefined) throw toAbsent(path, open)
  const result = await readSource(cli, path)
  tellErrors(cli.terminal, path, result.findings)
  const inference = result.document?.inference
  if (inference?.baseUrl === undefined || inference.credential === undefined)
    throw new HelperError(
      'usage',
      toOneLine(`${path} names no gateway with a credential for it`),
      `answer its questions again: ${programName} setup ${quoteForHint(directory)} --ask --write`,
    )
  const problem = validateDestination(inference.baseUrl)
  if (problem) throw new HelperError('usage', `baseUrl ${problem.message}`, problem.hint)
  return { ...inference, baseUrl: inference.baseUrl }
}

function toAbsent(path: string, open: readonly SetupQuestion[]): HelperError {
  const [first] = open
  if (!first)
    return new HelperError(
      'usage',
      toOneLine(`there is no ${path}`),
      `name the folder that ${programName} setup has written`,
    )
  const directory = dirname(path)
  const problem = toOneLine(`${directory} is not complete: it has no --${first.name} yet`)
  return new HelperError('usage', problem, describeCompletion(directory, [first.name]))
}

/** The distributed profiles are still in the folder, not at the document's path. */
async function prepareProfiles(inference: GatewayInference, directory: string): Promise<GatewayInference> {
  const { credential } = inference
  const isHandedOut = (await readIfThere(join(directory, 'aws', 'config'))) !== undefined
  if (!isHandedOut || credential?.kind !== 'helper-script') return inference
  const awsEnv = { ...credential.awsEnv, awsDir: join(directory, 'aws') }
  return { ...inference, credential: { ...credential, awsEnv } }
}

/** The examined parts, and the observed credential; absent without one. */
interface TrialObservation {
  readonly parts: readonly Part[]
  readonly credential?: ObservedCredential
}

async function observe(cli: Cli, inference: GatewayInference, flags: TryFlags): Promise<TrialObservation> {
  const { credential } = inference
  const destination = renderUrl(inference.baseUrl)
  if (credential?.kind === 'helper-script') {
    const tried = await resolveTried(cli.host, credential, flags.helper, [...cli.helpers.keys()])
    await askToRun(cli.terminal, { helpers: [tried], destination }, flags.yes)
    return observeHelper(cli, inference, tried)
  }
  if (isSignIn(credential)) return observeSignIn(cli, inference, credential, flags)
  await askToRun(cli.terminal, { destination }, flags.yes)
  const held = { token: new Secret(credential?.apiKey ?? ''), headers: {} }
  const parts = await examineCredential(inference, held, 0, await createTurnFetch(cli.host))
  return { parts, credential: { lifeSec: undefined, isRenewable: false, renewalMs: 0 } }
}

function tellOften({ terminal }: Cli, { credential }: GatewayInference, directory: string): void {
  const hint =
    credential?.kind === 'helper-script'
      ? `keep the refresh token: ${programName} setup ${quoteForHint(directory)} --write --refresh-token-store keychain; or register the client for one (registration.md)`
      : 'register the client for a refresh token (registration.md)'
  terminal.tell(
    renderWarning(programName, 'people sign in more than once a day, because nothing renews the token') +
      renderHint(programName, hint),
  )
}

/**
 * Resolves the helper to run, in this order: `--helper`, the path of the document, a helper of that name next to this program, as an
 * executable or a bundle, one on the PATH.
 * @throws {HelperError} `usage` if no helper is found in these places.
 */
export async function resolveTried(
  { env, platform }: Pick<Host, 'env' | 'platform'>,
  credential: HelperScriptCredential,
  given: string | undefined,
  names: readonly string[],
): Promise<HelperScriptCredential> {
  const os = detectSystem(platform)
  const found = findDocumentHelper(credential, os, (name) => names.includes(name))
  const documented = (os === 'windows' ? credential.commandWindows : undefined) ?? credential.command ?? ''
  const { program, args } = prepareOwnProgram([])
  // A bundle can be run directly, but not on a system without file modes.
  const endings = platform === 'win32' ? ['', '.exe'] : ['', '.cjs']
  const beside = dirname(args.at(-1) ?? program)
  const wanted =
    found === undefined ? [] : [...endings.map((ending) => join(beside, `${found.name}${ending}`)), found.name]
  for (const name of given === undefined ? [documented, ...wanted] : [given]) {
    const file = name === '' ? undefined : await findProgramFile({ name }, { env, platform })
    if (file) return { ...credential, command: file.file, ...(os === 'windows' && { commandWindows: file.file }) }
  }
  const what = given ?? documented
  throw new HelperError(
    'usage',
    toOneLine(`there is no helper ${what} on this machine`),
    'install it as packages.md says, or name it with --helper',
  )
}

/** Makes two real runs: one like the start of a session, and one like a client after a 401, in which a cached token is not used. */
async function observeHelper(
  cli: Cli,
  inference: GatewayInference,
  helper: HelperScriptCredential,
): Promise<TrialObservation> {
  const first = await runCredentialHelper(helper, 'interactive', cli.host)
  if (!first.ok) return { parts: [describeHelperRun(first, helper)] }
  const parts = await examineCredential(inference, first.credential, helper.ttlSec, await createTurnFetch(cli.host))
  const env = { ...cli.host.env, [refreshCauseVariable]: 'refused' }
  const second = await runCredentialHelper(helper, 'mid-session-refresh', { ...cli.host, env })
  const { token } = second.ok ? second.credential : first.credential
  return { parts, credential: { lifeSec: findLifeSec(token), isRenewable: second.ok, renewalMs: second.durationMs } }
}

/** Finds the remaining life of a token in seconds, rounded to the source's likely value. */
function findLifeSec(token: Secret): number | undefined {
  const { end } = parseTokenFacts(token.reveal(), {})
  if (!end) return undefined
  const seconds = (end.at - Date.now()) / 1000
  return seconds > 120 ? Math.round(seconds / 60) * 60 : Math.max(1, Math.round(seconds))
}

async function observeSignIn(
  cli: Cli,
  inference: GatewayInference,
  credential: SignInCredential,
  { yes }: TryFlags,
): Promise<TrialObservation> {
  const settings = toSignInSettings(credential)
  if ('failure' in settings) throw new HelperError('usage', settings.message, settings.hint)
  await askToRun(cli.terminal, { providers: [settings], destination: renderUrl(inference.baseUrl) }, yes)
  const { parts, last } = await observePerson(cli, inference, settings)
  if (!last) return { parts }
  return { parts, credential: { lifeSec: last.lifeSec, isRenewable: last.isRenewed, renewalMs: last.durationMs } }
}
