import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { inject } from 'postject'
import { describeWindowsFile } from '../../../pkg-scripts/executable/describe-windows-file.ts'
import { prepareRuntime } from '../../../pkg-scripts/executable/prepare-runtime.ts'
import { olderRuntimes } from '../older-runtimes.ts'

/** Builds a Windows executable out of a packed program, at a path that ends in `.exe`. */
export async function buildWindowsExecutable(code: string, path: string): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'build-'))
  try {
    await writeFile(join(directory, 'program.cjs'), code)
    const config = { main: 'program.cjs', output: 'program.blob', disableExperimentalSEAWarning: true }
    await writeFile(join(directory, 'config.json'), JSON.stringify(config))
    const options = { cwd: directory, stdio: 'pipe' } as const
    execFileSync(
      await prepareRuntime(olderRuntimes.windowsBuilder),
      ['--experimental-sea-config', 'config.json'],
      options,
    )
    await mkdir(dirname(path), { recursive: true })
    const runtime = await readFile(await prepareRuntime(olderRuntimes.windows))
    await writeFile(
      path,
      describeWindowsFile(runtime, { file: path, summary: 'made by a test', publisher: 'a test', licence: 'none' }),
    )
    const blob = await readFile(join(directory, 'program.blob'))
    await inject(path, 'NODE_SEA_BLOB', blob, { sentinelFuse: 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2' })
  } finally {
    await rm(directory, { recursive: true })
  }
  return path
}
