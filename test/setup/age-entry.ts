import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Makes the only entry in the cache of a home older than the age at which it counts as just minted. */
export async function ageEntry({ home }: { readonly home: string }): Promise<void> {
  const directory = join(home, '.cache', 'gatepass')
  const [name = ''] = (await readdir(directory)).filter((file) => file.endsWith('.json'))
  const path = join(directory, name)
  const entry = JSON.parse(await readFile(path, 'utf8')) as { minted: number } // the format is asserted elsewhere
  await writeFile(path, JSON.stringify({ ...entry, minted: entry.minted - 60_000 }))
}
