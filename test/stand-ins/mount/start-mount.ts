import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { execa } from 'execa'
import { vi } from 'vitest'

/** A mounted file system whose server can stop, as that of a network drive or of an automounter may. */
export interface Mount extends AsyncDisposable {
  readonly path: string
  /** A process that asks it for anything waits from now on. */
  stop(): void
}

/** Mounts a file system (FUSE) below a directory. The system's own Python has the module, whatever other one there is. */
export async function startMount(directory: string): Promise<Mount> {
  const [kept, path] = [join(directory, 'kept'), join(directory, 'mount')]
  for (const each of [kept, path]) await mkdir(each, { mode: 0o700 })
  const server = execa('/usr/bin/python3', [join(import.meta.dirname, 'mirror.py'), kept, path], { reject: false })
  const isMounted = async () => (await execa('mountpoint', ['-q', path], { reject: false })).exitCode === 0
  await vi.waitUntil(isMounted, { timeout: 10_000 })
  return {
    path,
    stop: () => void server.kill('SIGSTOP'),
    [Symbol.asyncDispose]: async () => {
      server.kill('SIGCONT')
      await execa('fusermount', ['-u', '-z', path], { reject: false })
      await Promise.race([server, sleep(2_000)])
      server.kill('SIGKILL')
    },
  }
}
