import { readdir, readFile, readlink } from 'node:fs/promises'
import { join } from 'node:path'

/** Finds the processes of this machine whose command line begins so, and gives their ids. */
export async function findProcesses(commandLine: string): Promise<string[]> {
  const found = await Promise.all(
    (await readdir('/proc'))
      .filter((name) => /^\d+$/.test(name))
      // A process may end while we look.
      .map(async (id) => ({ id, line: await readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '') })),
  )
  return found.filter(({ line }) => line.startsWith(commandLine)).map(({ id }) => id)
}

/** Lists what a process has open: paths, and other things by the system's names for them; nothing once it has ended. */
export async function listOpenPaths(id: number | string): Promise<string[]> {
  const directory = `/proc/${id}/fd`
  const names = await readdir(directory).catch(() => [])
  return Promise.all(names.map((name) => readlink(join(directory, name)).catch(() => 'closed meanwhile')))
}
