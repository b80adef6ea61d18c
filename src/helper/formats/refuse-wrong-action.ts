import { formatFacts, outputFormats } from '../../contract/output-format.ts'
import type { Deadline } from '../../runtime/deadline.ts'
import { HelperError } from '../../runtime/failure.ts'
import { readCacheFile } from '../../runtime/files/private-files.ts'
import type { Host } from '../../runtime/host.ts'
import type { Secret } from '../../runtime/secret.ts'
import { clearFile, type EntryLocation, toCacheFilePath } from '../cache/cache-files.ts'
import { readEntry } from '../cache/entry.ts'
import { parseEntryOutline } from '../cache/sealed-entry.ts'
import type { AnyHelper, Call } from '../define-helper.ts'
import type { ResolvedOptions } from '../options/resolve.ts'
import type { CommonOptions } from '../options/table.ts'

/**
 * Refuses an action for a format that has none, and the lack of one where the client appends it. An explanation needs none.
 * @param refuseStray Throws the problem with a word that is not an action of any format.
 * @throws {HelperError} `usage`
 */
export async function refuseWrongAction(
  { program, options: { format, explain }, action }: AskedCall,
  resolved: ResolvedOptions,
  refuseStray: () => Promise<unknown>,
): Promise<void> {
  const { actions } = formatFacts[format]
  const hint = `see: ${program} --help`
  if (action === undefined ? !actions || explain : actions) return
  if (!actions) {
    const others = outputFormats.filter((other) => formatFacts[other].actions?.includes(action ?? ''))
    if (others.length === 0) await refuseStray()
    const origin = resolved.get('format')?.origin
    throw new HelperError(
      'usage',
      `"${action}" is for --format ${others.join(' or ')}, and format is ${format} (${origin})`,
      hint,
    )
  }
  throw new HelperError(
    'usage',
    `--format ${format} needs one of ${actions.join(', ')} after the options, which its client appends`,
    `try it with: ${program} --explain, or give ${program} to that client`,
  )
}

/** A run for a client that reads another format than ours. */
export interface AskedCall {
  readonly program: string
  readonly helper: AnyHelper
  readonly host: Host
  readonly options: CommonOptions
  /** The word that the client has appended to the arguments. */
  readonly action: string | undefined
  /** The deadline of the call. */
  readonly deadline: Deadline
}

/**
 * Takes a refused token out of the cache, so that the next run mints. A token that has been minted since stays.
 * @param refused `undefined` for any.
 */
export async function removeRefused(location: EntryLocation, refused: string | undefined, call: Call): Promise<void> {
  const { directory } = location
  await call.deadline
    .during('cache', `removing the refused token from ${directory}`, () => removeIfRefused(location, refused))
    .catch(({ message }: Error) => call.warn(`cannot remove the refused token from ${directory}: ${message}`))
}

async function removeIfRefused(location: EntryLocation, refused: string | undefined): Promise<void> {
  const kept = await readKeptToken(location)
  // A sealed one is not opened for that: it may be another token, which costs a mint.
  if (kept && (refused === undefined || !kept.token || kept.token.reveal() === refused)) await removeKeptToken(location)
}

/** A token in the cache, as far as it can be read without the keychain. */
interface PartlyReadToken {
  /** `undefined` for one that is sealed. */
  readonly token?: Secret
  /** Milliseconds since the epoch. */
  readonly minted: number
  readonly expiresAt: number
}

/** Reads what is kept, sealed or not; `undefined` where there is nothing. */
async function readKeptToken(location: EntryLocation): Promise<PartlyReadToken | undefined> {
  const entry = await readEntry(location)
  if (entry) return entry
  const sealed = await readCacheFile(toCacheFilePath(location, 'sealed')).catch(() => '')
  return parseEntryOutline(sealed)
}

/** Overwrites and removes it. */
async function removeKeptToken(location: EntryLocation): Promise<void> {
  for (const kind of ['entry', 'sealed'] as const) await clearFile(toCacheFilePath(location, kind))
}
