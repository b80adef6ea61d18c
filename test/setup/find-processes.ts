import { readdir, readFile } from 'node:fs/promises'

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
