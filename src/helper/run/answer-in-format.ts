// Prepares a call in a format that reads a request first, such as Git's, for `answer-client.ts`.

import { formatFacts, isLoaded, jsonWriter, type LoadedFormat, outputFormats } from '../../contract/output-format.ts'
import { HelperError } from '../../runtime/failure.ts'
import { locateCacheDirectory } from '../../runtime/files/private-files.ts'
import { clearFile, type EntryLocation, toCacheFilePath } from '../cache/cache-files.ts'
import { readEntry, type TokenEntry } from '../cache/entry.ts'
import { type EntryOutline, readOutline } from '../cache/sealed-entry.ts'
import type { Call, OtherHelpers } from '../define-helper.ts'
import type { AskedCall, PreparedFormat } from '../formats/read-request.ts'
import type { CommonOptions } from '../options/every-helper-options.ts'
import { describeOptionOrigin, type ResolvedOptions, refuseUnsetOptions, toValues } from '../options/resolve-options.ts'
import { answerClient, type CallAnswer, type ConfiguredHelper } from './answer-client.ts'
import { createCall } from './call-settings.ts'
import { planRequest } from './plan-request.ts'

/**
 * Answers in a format that needs preparation before {@link answerClient}, such as reading Git's request on stdin. It refuses an action that
 * the format does not have.
 * @param configured Its `argv` do not include the action.
 * @param requireArguments Throws the error for a word after the options.
 */
export async function answerInFormat(
  configured: ConfiguredHelper,
  others: OtherHelpers,
  { action, deadline }: Pick<AskedCall, 'action' | 'deadline'>,
  requireArguments: () => Promise<unknown>,
): Promise<CallAnswer> {
  const { program, helper, host, resolved } = configured
  const options = toValues<CommonOptions>(resolved)
  const asked = { program, helper, host, options, action, deadline }
  await refuseWrongAction(asked, resolved, requireArguments)
  const prepared = await prepare(asked)
  if (prepared.work === 'nothing') return { text: '', work: 'finished' }
  if (prepared.work === 'removal') return answerRemoval(configured, options, prepared.refused)
  const { writer } = prepared
  const suspicion = options.explain ? undefined : prepared.suspicion
  return answerClient({ ...configured, helper: prepared.helper }, others, { suspicion, writer })
}

/**
 * Refuses an action for a format without actions, and a missing action for a format whose client appends one. `--explain` needs no action.
 * @param requireArguments Throws the error for a word that is not an action of any format.
 * @throws {HelperError} `usage`
 */
async function refuseWrongAction(
  { program, helper, host, options: { format, explain }, action }: AskedCall,
  resolved: ResolvedOptions,
  requireArguments: () => Promise<unknown>,
): Promise<void> {
  const { actions } = formatFacts[format]
  const hint = `see: ${program} --help`
  if (action === undefined ? !actions || explain : actions) return
  if (!actions) {
    const { refuseLateCommand } = await import('./commands.ts')
    refuseLateCommand(program, helper, action ?? '', host.argv)
    const others = outputFormats.filter((other) => formatFacts[other].actions?.includes(action ?? ''))
    if (others.length === 0) await requireArguments()
    const { origin } = resolved.get('format')!
    throw new HelperError(
      'usage',
      `"${action}" is for --format ${others.join(' or ')}, and format is ${format} (${describeOptionOrigin(origin)})`,
      hint,
    )
  }
  throw new HelperError(
    'usage',
    `--format ${format} needs one of ${actions.join(', ')} after the options, which its client appends`,
    `try it with: ${program} --explain, or give ${program} to that client`,
  )
}

/** Prepares the format. For `--explain` nothing is read from stdin, because a person sends no request. */
async function prepare(asked: AskedCall): Promise<PreparedFormat> {
  const {
    helper,
    options: { explain, format },
  } = asked
  const { actions, writer = jsonWriter } = formatFacts[format]
  if (!isLoaded(format) || (explain && actions)) return { work: 'credential', helper, writer }
  return preparations[format](asked)
}

/** The preparations of the formats that have no writer in their row. Each is loaded on use. */
const preparations: Readonly<Record<LoadedFormat, (asked: AskedCall) => Promise<PreparedFormat>>> = {
  'exec-credential': async (asked) =>
    (await import('../formats/prepare-exec-credential.ts')).prepareExecCredential(asked),
  'credential-process': async (asked) =>
    (await import('../formats/prepare-aws-keys.ts')).prepareCredentialProcess(asked),
  'sts-credentials': async (asked) => (await import('../formats/prepare-aws-keys.ts')).prepareStsCredentials(asked),
  bazel: async (asked) => (await import('../formats/prepare-bazel.ts')).prepareBazel(asked),
  git: async (asked) => (await import('../formats/prepare-git.ts')).prepareGit(asked),
}

async function answerRemoval(
  configured: ConfiguredHelper,
  options: CommonOptions,
  refused: string | undefined,
): Promise<CallAnswer> {
  const { program, helper, host, resolved, record } = configured
  refuseUnsetOptions(program, helper.options, resolved)
  const call = createCall(program, host, resolved, record)
  record.deadline = call.deadline
  const { request } = await planRequest({ helper, host, resolved, options, call, record })
  const location = { directory: locateCacheDirectory(host), program, key: request.key }
  await removeServed(location, refused, call)
  return { text: '', work: call.deadline.isOver() ? 'abandoned' : 'finished' }
}

/**
 * Removes a refused token from the cache, so that the next run mints. A token that was minted since the refusal stays.
 * @param refused `undefined` removes any token.
 */
async function removeServed(location: EntryLocation, refused: string | undefined, call: Call): Promise<void> {
  const { directory } = location
  await call.deadline
    .during('cache', `removing the refused token from ${directory}`, () => removeIfRefused(location, refused))
    .catch(({ message }: Error) => call.warn(`cannot remove the refused token from ${directory}: ${message}`))
}

async function removeIfRefused(location: EntryLocation, refused: string | undefined): Promise<void> {
  const kept = await readKeptToken(location)
  // An encrypted entry is not decrypted for the comparison. At worst another token is removed, which costs a mint.
  if (kept && (refused === undefined || !('token' in kept) || kept.token.reveal() === refused))
    await removeKeptToken(location)
}

/** Reads the cached entry, encrypted or not; `undefined` if there is none. */
async function readKeptToken(location: EntryLocation): Promise<TokenEntry | EntryOutline | undefined> {
  const entry = await readEntry(location)
  // An encrypted entry may be missing, or unsafe to read, and then is never served.
  return entry ?? readOutline(location, 'sealed').catch(() => undefined)
}

/** Overwrites and removes the cached entry in both of its forms. */
async function removeKeptToken(location: EntryLocation): Promise<void> {
  for (const kind of ['entry', 'sealed'] as const) await clearFile(toCacheFilePath(location, kind))
}
