import { createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** The server's reaction to a command: a reply as it goes over the wire, or the end of the connection. */
type RedisReply = { readonly wire: string } | 'close' | 'silence'

interface ScriptedRedis {
  readonly port: number
  /** Every command, as words; a test may empty it. */
  readonly commands: string[][]
  /** Replaced by a test from now on; gets what the server would answer. */
  script: (command: readonly string[], answer: () => RedisReply) => RedisReply
  /** Ends every connection. */
  disconnect(): void
}

/** Starts a server that keeps the first value of a key as Redis does, until a test scripts something else. */
export async function startScriptedRedis(
  info = 'maxmemory:0\r\nmaxmemory_policy:noeviction\r\n',
): Promise<ScriptedRedis> {
  const values = new Map<string, string>()
  const commands: string[][] = []
  const sockets = new Set<Socket>()
  const redis = {
    port: 0,
    commands,
    script: ((_command, answer) => answer()) as ScriptedRedis['script'],
    disconnect: () => {
      for (const socket of sockets) socket.destroy()
    },
  }
  const serve = (socket: Socket) => {
    sockets.add(socket.on('error', () => {}).on('close', () => sockets.delete(socket)))
    socket.on('data', (bytes) => {
      for (const command of parseCommands(bytes.toString())) {
        commands.push(command)
        const reply = redis.script(command, () => answer(values, info, command))
        if (reply === 'close') socket.destroy()
        else if (reply !== 'silence') socket.write(reply.wire)
      }
    })
  }
  const server = createServer(serve)
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  onTestFinished(() => {
    redis.disconnect()
    server.close()
  })
  return Object.assign(redis, { port: (server.address() as { port: number }).port }) // a TCP server, which listens
}

export const ok = { wire: '+OK\r\n' }
export const nothing = { wire: '$-1\r\n' }

function answer(
  values: Map<string, string>,
  info: string,
  [name, key = '', value = '']: readonly string[],
): RedisReply {
  switch (name) {
    case 'SET':
      if (values.has(key)) return nothing
      values.set(key, value)
      return ok
    case 'GET':
      return toBulk(values.get(key))
    case 'INFO':
      return toBulk(info)
    default:
      return ok
  }
}

function toBulk(text: string | undefined): RedisReply {
  return text === undefined ? nothing : { wire: `$${Buffer.byteLength(text)}\r\n${text}\r\n` }
}

/** Arrays of bulk strings without line breaks, which arrive whole over loopback. */
function parseCommands(text: string): string[][] {
  const commands: string[][] = []
  const lines = text.split('\r\n')
  while (lines[0]?.startsWith('*')) {
    const count = Number(lines.shift()!.slice(1))
    commands.push(lines.splice(0, count * 2).filter((_line, index) => index % 2 === 1))
  }
  return commands
}
