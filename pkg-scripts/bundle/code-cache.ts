import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Compiles scripts ahead of time, whole: the runtime that does it, and no other, then starts them without reading them.
 * Another one finds out that a cache is not for it, and reads the script; so does one that runs with other flags of V8, which would
 * then compile the runtime's own modules anew as well.
 */
export function compileAhead(scripts: readonly string[]): Buffer[] {
  const directory = mkdtempSync(join(tmpdir(), 'compile-'))
  try {
    for (const [index, script] of scripts.entries()) writeFileSync(join(directory, `${index}.js`), script)
    // Without a fixed seed, V8 would lay out each cache differently.
    const script = join(import.meta.dirname, 'compile-scripts.ts')
    const args = ['--random-seed=1', script, directory, `${scripts.length}`]
    const { status, stderr, error } = spawnSync(process.execPath, args, { encoding: 'utf8', env: {} })
    if (status !== 0) throw new Error(`the code cache cannot be made: ${stderr}`, { cause: error })
    return scripts.map((_, index) => readFileSync(join(directory, `${index}.cache`)))
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}
