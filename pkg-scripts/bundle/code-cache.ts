import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Compiles scripts completely ahead of time, so that the same runtime starts them without parsing. Another runtime rejects the cache and
 * parses the script; so does one with other flags of V8, which would then also compile its own modules again.
 */
export function compileAhead(scripts: readonly string[]): Buffer[] {
  const directory = mkdtempSync(join(tmpdir(), 'compile-'))
  try {
    for (const [index, script] of scripts.entries()) writeFileSync(join(directory, `${index}.js`), script)
    // Without a fixed seed, V8 would write each cache differently.
    const script = join(import.meta.dirname, 'compile-scripts.ts')
    const args = ['--random-seed=1', script, directory, `${scripts.length}`]
    const { status, stderr, error } = spawnSync(process.execPath, args, { encoding: 'utf8', env: {} })
    if (status !== 0) throw new Error(`the code cache cannot be made: ${stderr}`, { cause: error })
    return scripts.map((_, index) => readFileSync(join(directory, `${index}.cache`)))
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}
