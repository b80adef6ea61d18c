import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Flags of V8 for executables whose runs end within milliseconds. Its middle compiler would begin at once to compile what is over
 * before it is done; the last one still compiles what runs for longer.
 */
export const shortRunFlags: readonly string[] = ['--no-maglev']

/**
 * Compiles scripts ahead of time, whole: the runtime that does it, and no other, then starts them without reading them.
 * Another one finds out that a cache is not for it, and reads the script.
 * @param flags Those of V8 with which the scripts will run: with others the cache is not used.
 */
export function compileAhead(scripts: readonly string[], flags: readonly string[] = []): Buffer[] {
  const directory = mkdtempSync(join(tmpdir(), 'compile-'))
  try {
    for (const [index, script] of scripts.entries()) writeFileSync(join(directory, `${index}.js`), script)
    // Without a fixed seed, V8 would lay out each cache differently.
    const script = join(import.meta.dirname, 'compile-scripts.ts')
    const args = ['--random-seed=1', ...flags, script, directory, `${scripts.length}`]
    const { status, stderr, error } = spawnSync(process.execPath, args, { encoding: 'utf8', env: {} })
    if (status !== 0) throw new Error(`the code cache cannot be made: ${stderr}`, { cause: error })
    return scripts.map((_, index) => readFileSync(join(directory, `${index}.cache`)))
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}
