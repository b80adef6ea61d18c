import { mkdtemp, rm } from 'node:fs/promises'
import { connect, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import type { ExecutableOptions, Outcome } from '../../setup/run-program.ts'

/** A network with nobody on it but the programs that run in it and the servers of the test that it was opened for. */
export interface Namespace extends AsyncDisposable {
  /** Runs a program to its end, with nothing on stdin and exactly the environment given. */
  run(path: string, options: ExecutableOptions): Promise<Outcome>
}

/**
 * Opens a network namespace in which these URLs, of servers on loopback, lead to the same servers as outside.
 * @throws where the system refuses one, with what to do.
 */
export async function openNamespace(urls: readonly string[]): Promise<Namespace> {
  // Short, because the path of a socket has at most 107 bytes.
  const directory = await mkdtemp(join(tmpdir(), 'gp-'))
  const ports = [...new Set(urls.map((url) => new URL(url).port))]
  const doors = await Promise.all(ports.map((port) => openDoor(join(directory, port), Number(port))))
  const inside = join(import.meta.dirname, 'inside.ts')
  const first = execa('unshare', ['-rn', process.execPath, inside, directory, ...ports], { reject: false })
  const close = async () => {
    first.stdin.end()
    await first
    for (const door of doors) door.close()
    await rm(directory, { recursive: true })
  }
  const ready = await Promise.race([
    new Promise((ready) => first.stdout.once('data', ready)),
    first.then(() => undefined),
  ])
  if (ready === undefined) {
    const { stderr, shortMessage } = await first
    await close()
    throw new Error(`unshare -rn gives no network namespace: ${stderr || shortMessage}
Permit it (in a container, with --cap-add SYS_ADMIN or --security-opt seccomp=unconfined): the real clients run only where they reach no network.`)
  }
  const enter = ['--target', String(first.pid), '--user', '--net', '--preserve-credentials', '--']
  return {
    run: async (path, { argv = [], env = {}, timeoutMs = 120_000, cwd = '/' }) => {
      const options = { env, extendEnv: false, reject: false, stripFinalNewline: false, stdin: 'ignore' } as const
      const { exitCode, signal, stdout, stderr } = await execa('/usr/bin/nsenter', [...enter, path, ...argv], {
        ...options,
        timeout: timeoutMs,
        cwd,
      })
      return { status: exitCode ?? signal ?? 'not started', stdout, stderr }
    },
    [Symbol.asyncDispose]: close,
  }
}

/** Opens a socket in the file system, which no namespace hides, that leads to a port of this one. */
async function openDoor(path: string, port: number): Promise<Server> {
  const door = createServer((visitor) => {
    const server = connect(port, '127.0.0.1')
    for (const socket of [visitor, server]) socket.on('error', () => [visitor, server].map((one) => one.destroy()))
    visitor.pipe(server).pipe(visitor)
  })
  await new Promise<void>((listening) => door.listen(path, listening))
  return door
}
