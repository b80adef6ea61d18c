import { limits } from '../../../contract/limits.ts'
import type { CommandCall } from '../../../helper/define-helper.ts'
import { HelperError } from '../../../runtime/failure.ts'
import { endByInterrupt, type Host } from '../../../runtime/host.ts'
import { readHiddenLine } from '../../../runtime/input/read-hidden-line.ts'
import { readPipedText } from '../../../runtime/input/read-piped-text.ts'
import { type KeyPlace, renderPlaceOptions } from '../key/key-place.ts'
import { parseStoredKey, type StoredKey } from '../key/stored-key.ts'

/**
 * Reads a key that is typed on a terminal, which does not show it, or that is piped in.
 * @throws {HelperError} `usage` where there is none, or what is there is no key.
 */
export async function readTypedKey({ streams }: Host, call: CommandCall, place: KeyPlace): Promise<StoredKey> {
  const input = streams.input()
  const text = await call.deadline.during('input', 'the key on standard input', ({ signal }) =>
    input.isTTY ? readFromTerminal({ streams }, signal) : readPipedText(input, limits.tokenBytes, signal),
  )
  const found = text === undefined ? { problem: 'is longer than any key' } : parseStoredKey(text)
  if (!('problem' in found)) return found
  const hint = input.isTTY
    ? 'copy the key alone, and start again'
    : `pipe the key alone into: ${call.program} store${renderPlaceOptions(place)}`
  throw new HelperError('usage', `what was given on standard input ${found.problem}; nothing is stored`, hint)
}

async function readFromTerminal({ streams }: Pick<Host, 'streams'>, signal: AbortSignal): Promise<string> {
  streams.stderr('API key (what you type is not shown): ')
  const line = await readHiddenLine(streams.input(), signal)
  streams.stderr('\n')
  if (line === 'interrupted') {
    await streams.flush()
    endByInterrupt()
  }
  if (typeof line === 'string')
    throw new HelperError('usage', 'no key was typed; nothing is stored', 'start again, and paste the key')
  return line.text
}
