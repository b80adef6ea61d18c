import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { measureMessage } from '../../../src/sources/keychain/secret-service/bus-message.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { encodeSent, parseCall, type ReceivedCall, type Sent } from './bus-messages.ts'
import { createHonestAnswers, type Keyring } from './honest-answers.ts'

/** In place of the honest answer: messages, bytes as they are, or nothing. */
type Lie = (call: ReceivedCall, socket: Socket) => readonly (Sent | Buffer)[]

export interface SecretBusParts {
  readonly keyring?: Partial<Keyring>
  /** By the method's name. */
  readonly lies?: Readonly<Record<string, Lie>>
  /** The line that answers the authentication. */
  readonly greeting?: string
}

/** Starts a session bus with a Secret Service, which lies where it is told to. */
export async function startSecretBus({ keyring = {}, lies = {}, greeting = 'OK 0123\r\n' }: SecretBusParts = {}) {
  const calls: string[] = []
  const state: Keyring = {
    state: 'unlocked',
    isOwned: true,
    isActivatable: true,
    person: 'agrees',
    items: [],
    ...keyring,
  }
  const honest = createHonestAnswers(state)
  const answer = (bytes: Buffer, socket: Socket) => {
    const call = parseCall(bytes)
    calls.push(call.member)
    const sent = lies[call.member]?.(call, socket) ?? honest(call)
    for (const each of sent) socket.write(Buffer.isBuffer(each) ? each : encodeSent(each, call.serial))
  }
  const path = join(await temporaryDirectory(), 'bus')
  const server = createServer((socket) => serve(socket, greeting, answer))
  await new Promise<void>((listening) => server.listen(path, listening))
  onTestFinished(() => void server.close())
  return { calls, state, env: { DBUS_SESSION_BUS_ADDRESS: `unix:path=${encodeURI(path)},guid=0123`, DISPLAY: ':0' } }
}

function serve(socket: Socket, greeting: string, answer: (bytes: Buffer, socket: Socket) => void): void {
  let rest: Buffer = Buffer.alloc(0)
  let phase: 'asked' | 'greeted' | 'begun' = 'asked'
  const take = (bytes: Buffer) => {
    rest = Buffer.concat([rest, bytes])
    if (phase === 'asked' && rest.includes('\r\n')) {
      rest = Buffer.alloc(0)
      phase = 'greeted'
      socket.write(greeting)
    }
    if (phase === 'greeted' && rest.includes('BEGIN\r\n')) {
      rest = rest.subarray('BEGIN\r\n'.length)
      phase = 'begun'
    }
    if (phase !== 'begun') return
    for (let length = measureMessage(rest); length && length <= rest.length; length = measureMessage(rest)) {
      answer(rest.subarray(0, length), socket)
      rest = rest.subarray(length)
    }
  }
  socket.on('error', () => {}).on('data', take)
}
