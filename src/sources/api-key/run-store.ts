import type { Readable } from 'node:stream'
import { limits } from '../../contract/limits.ts'
import type { CommandCall } from '../../helper/define-helper.ts'
import { HelperError } from '../../runtime/failure.ts'
import { endByInterrupt, type Host } from '../../runtime/host.ts'
import { readHiddenLine } from '../../runtime/read-hidden-line.ts'
import { describeMoment } from '../../runtime/values/duration.ts'
import type { ApiKeyOptions } from './api-key-options.ts'
import { describeExpiryNotice, refuseExpired } from './key-expiry.ts'
import { describeKeyLocation, type KeyLocation, renderLocationOptions } from './key-location.ts'
import { openKeyStore } from './open-key-store.ts'
import type { ApiKeyPlan } from './plan-api-key.ts'
import { parseExpiryOption } from './read-key.ts'
import { type KeyDates, parseStoredKey, renderStoredKey, type StoredKey, tooLong } from './stored-key.ts'

/** Stores a key that a person types or pipes in. With `--verify`, it first asks the platform about the key. @throws {HelperError} */
export async function runStore(
  host: Host,
  options: ApiKeyOptions,
  call: CommandCall,
  { location }: ApiKeyPlan,
): Promise<void> {
  const store = await openKeyStore(location, host, call)
  await store.prepare(call.deadline)
  const typed = { ...(await readTypedKey(host, call, location)), ...parseExpiryOption(options) }
  refuseExpired(typed, host.clock.now(), 'have another key created, and store that one')
  const found = options.verify ? await checkAtPlatform(typed, host, options, call) : {}
  const key = { ...typed, ...found }
  await call.deadline.during('keychain', `storing the key in ${describeKeyLocation(location)}`, () =>
    store.write(renderStoredKey(key), call.deadline),
  )
  call.tell(`the key is kept in ${store.where}`)
  tellLife(key, { host, options, call })
}

/**
 * Reads a key that is typed on a terminal, without echo, or piped in.
 * @throws {HelperError} `usage` if there is no input, or if it is not a key.
 */
async function readTypedKey({ streams }: Host, call: CommandCall, location: KeyLocation): Promise<StoredKey> {
  const input = streams.input()
  const text = await call.deadline.during('input', 'the key on standard input', ({ signal }) =>
    input.isTTY ? readFromTerminal({ streams }, signal) : readPipedText(input, limits.tokenBytes, signal),
  )
  const found = text === undefined ? tooLong : parseStoredKey(text)
  if (!('problem' in found)) return found
  const hint = input.isTTY
    ? 'copy the key alone, and start again'
    : `pipe the key alone into: ${call.program} store${renderLocationOptions(location)}`
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

/** Asks the platform about the key. The platform's dates replace those that the person has given. */
async function checkAtPlatform(
  key: StoredKey,
  host: Host,
  options: ApiKeyOptions,
  call: CommandCall,
): Promise<KeyDates> {
  const { fetchKeyStanding, describeStanding, toKeyDates } = await import('./key-standing.ts')
  const standing = await fetchKeyStanding(key.key, options, { call, hint: 'store that one; nothing is stored now' })
  for (const line of describeStanding(standing, host.clock.now())) call.tell(line)
  return standing.record ? toKeyDates(standing.record) : {}
}

function tellLife(
  life: KeyDates,
  { host, options, call }: { readonly host: Host; readonly options: ApiKeyOptions; readonly call: CommandCall },
): void {
  const now = host.clock.now()
  const notice = describeExpiryNotice(life, now)
  if (notice) call.warn(`${notice}: have another one created before, and store it`)
  else if (life.expiresAt && !options.verify)
    call.tell(`it expires at ${describeMoment(life.expiresAt.getTime(), now)}`)
  else if (!life.expiresAt && !options.verify)
    call.tell('it is not known when it expires: set --expires-at, or ask the platform with --verify')
}

/**
 * Reads a program's piped input to its end, as UTF-8.
 * @returns `undefined` if it is longer than `maxBytes`.
 */
async function readPipedText(input: Readable, maxBytes: number, signal: AbortSignal): Promise<string | undefined> {
  signal.addEventListener('abort', () => input.destroy(), { once: true })
  const pieces: Buffer[] = []
  let total = 0
  for await (const piece of input) {
    const bytes = Buffer.from(piece)
    total += bytes.length
    if (total > maxBytes) return undefined
    pieces.push(bytes)
  }
  return Buffer.concat(pieces).toString('utf8')
}
