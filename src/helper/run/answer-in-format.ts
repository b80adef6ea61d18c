import { jsonWriter } from '../../contract/formats/json.ts'
import { formatFacts, type OutputFormat } from '../../contract/formats/output-format.ts'
import { findParentProcessId } from '../../runtime/host.ts'
import { locateCacheDirectory } from '../../runtime/private/locate-cache.ts'
import type { EntryLocation } from '../cache/directory.ts'
import { createCall } from '../call/create-call.ts'
import { prepareRequest } from '../call/prepare-request.ts'
import type { NetworkCall } from '../define-helper.ts'
import type { AskedCall } from '../formats/asked-call.ts'
import type { PreparedFormat } from '../formats/prepared-format.ts'
import { refuseWrongAction } from '../formats/refuse-wrong-action.ts'
import { removeRefused } from '../formats/remove-refused.ts'
import { recordServed, removeIfServedTo } from '../formats/served-note.ts'
import { requireOptions } from '../options/require.ts'
import { type Answer, answerCall } from './answer-call.ts'

/** The formats without a plain writer. Each is loaded where it is asked for. */
const preparations: Partial<Record<OutputFormat, (asked: AskedCall) => Promise<PreparedFormat>>> = {
  'exec-credential': async (asked) =>
    (await import('../formats/prepare-exec-credential.ts')).prepareExecCredential(asked),
  'credential-process': async (asked) =>
    (await import('../formats/prepare-credential-process.ts')).prepareCredentialProcess(asked),
  bazel: async (asked) => (await import('../formats/prepare-bazel.ts')).prepareBazel(asked),
  git: async (asked) => (await import('../formats/prepare-git.ts')).prepareGit(asked),
}

/**
 * Answers a client of one of the formats beyond those of {@link answerCall}, or refuses the action that stands after the options.
 * @param refuseStray Throws what is wrong with a word after the options.
 */
export async function answerInFormat(asked: AskedCall, refuseStray: () => Promise<unknown>): Promise<Answer> {
  const { resolved, record } = asked
  await refuseWrongAction(asked, refuseStray)
  const prepared = await prepare(asked)
  if (prepared.work === 'nothing') return { text: '', work: 'finished' }
  if (prepared.work === 'removal') return answerRemoval(asked, prepared.refused)
  const answer = () =>
    answerCall({ ...asked, helper: prepared.helper, remembering: undefined }, resolved, record, prepared.writer)
  return prepared.repetition === 'refusal' && !asked.options.explain ? answerRepetition(asked, answer) : answer()
}

/** An explanation is for a person, who sends no request. */
async function prepare(asked: AskedCall): Promise<PreparedFormat> {
  const { helper, options } = asked
  if (options.explain && formatFacts[options.format].actions) return { work: 'credential', helper, writer: jsonWriter }
  return preparations[options.format]!(asked)
}

/** Without its note a client is served from the cache once more, which costs it another refusal and nothing else. */
async function answerRepetition(asked: AskedCall, answer: () => Promise<Answer>): Promise<Answer> {
  const { location, call } = await locateEntry(asked)
  const client = findParentProcessId()
  const stage = `the token cache in ${location.directory}`
  await call.deadline
    .during('cache', stage, () => removeIfServedTo(location, client, asked.host.clock.now()))
    .catch(() => undefined)
  const answered = await answer()
  await call.deadline.during('cache', stage, () => recordServed(location, client)).catch(() => undefined)
  return answered
}

async function answerRemoval(asked: AskedCall, refused: string | undefined): Promise<Answer> {
  const { location, call } = await locateEntry(asked)
  await removeRefused(location, refused, call)
  return { text: '', work: call.deadline.isOver() ? 'abandoned' : 'finished' }
}

/** Where the token of a call is kept. */
async function locateEntry(asked: AskedCall): Promise<{ location: EntryLocation; call: NetworkCall }> {
  const { program, helper, host, resolved, record } = asked
  requireOptions(program, helper.options, resolved)
  const call = createCall(program, host, resolved, record)
  const { key } = await prepareRequest({ ...asked, call, wantedFacts: new Set() })
  return { location: { directory: locateCacheDirectory(host), program, key }, call }
}
