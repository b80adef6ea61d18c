import type { EntryLocation } from '../cache/directory.ts'
import type { Call } from '../define-helper.ts'
import { readKeptToken, removeKeptToken } from './kept-token.ts'

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
