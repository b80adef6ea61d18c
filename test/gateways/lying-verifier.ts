import { chmod } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { closeServer } from '../setup/loopback.ts'

/** The answer that a gateway gets from a broken verifier, or from something that is not a verifier. */
export type Lie = keyof typeof lies

/** Something that listens where the verifier should. */
export interface LyingVerifier {
  tell(lie: Lie): void
  close(): Promise<void>
}

/** Starts it on a Unix socket that everybody may use. */
export async function startLyingVerifier(socket: string): Promise<LyingVerifier> {
  let lie: Lie = 'hangs'
  const server = createServer((request, response) => lies[lie](request, response))
  await new Promise<void>((listening) => server.listen(socket, listening))
  await chmod(socket, 0o666) // the gateway's user is another one
  return {
    tell: (next) => {
      lie = next
    },
    close: () => closeServer(server),
  }
}

const named = { 'x-user': 'root', 'x-account': '' }

const lies = {
  hangs: () => {},
  'answers a byte at a time': (_: IncomingMessage, response: ServerResponse) => {
    response.writeHead(200, { ...named, 'content-length': 100_000 })
    const timer = setInterval(() => response.write('x'), 100)
    response.on('close', () => clearInterval(timer))
  },
  'accepts without a name': (_: IncomingMessage, response: ServerResponse) => response.end('ok'),
  'accepts with one of two names': (_: IncomingMessage, response: ServerResponse) =>
    response.writeHead(200, { 'x-user': 'root' }).end(),
  'sends the gateway elsewhere': (_: IncomingMessage, response: ServerResponse) =>
    response.writeHead(302, { ...named, location: 'http://127.0.0.1:1/' }).end(),
  'answers 204': (_: IncomingMessage, response: ServerResponse) => response.writeHead(204, named).end(),
  'has a defect': (_: IncomingMessage, response: ServerResponse) => response.writeHead(500).end('TypeError'),
  'refuses as another program does': (_: IncomingMessage, response: ServerResponse) =>
    response.writeHead(403, { 'content-type': 'text/html' }).end('<h1>Forbidden</h1>'),
  'answers without end': (_: IncomingMessage, response: ServerResponse) =>
    response.writeHead(200, named).end('x'.repeat(1_000_000)),
  'speaks no HTTP': ({ socket }: IncomingMessage) => void socket.end('220 mail.example ESMTP\r\n'),
  'breaks off': ({ socket }: IncomingMessage) => void socket.destroy(),
} satisfies Record<string, (request: IncomingMessage, response: ServerResponse) => unknown>

/** All of them. */
export const everyLie = Object.keys(lies) as Lie[] // its own keys
