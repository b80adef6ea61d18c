import { execFile } from 'node:child_process'
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { SystemKeychain } from '../../../src/sources/keychain/system/ask-keychain.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'

/** A keychain of another system in a directory of its own, behind a library that is compiled for this one. */
export interface StandInKeychain {
  /** How the child that asks it is started. */
  readonly child: SystemKeychain['child']
  readonly directory: string
  /** Makes it behave so from now on; `value` is a number that the behaviour takes. */
  behave(behaviour: string, value?: number): Promise<void>
  cease(behaviour: string): Promise<void>
  /** The programs beside the library, such as `dialog`. */
  list(): Promise<string[]>
}

/** Compiles it, in a fifth of a second. */
export async function startStandInKeychain(platform: 'darwin' | 'win32'): Promise<StandInKeychain> {
  const directory = join(await temporaryDirectory(), 'system')
  await mkdir(directory)
  const library = join(directory, 'library.so')
  const source = join(import.meta.dirname, platform === 'darwin' ? 'macos.c' : 'windows.c')
  await promisify(execFile)('gcc', ['-shared', '-fPIC', '-Wall', '-Werror', '-o', library, source])
  const args = [join(import.meta.dirname, 'child.ts'), platform, library]
  return {
    child: { command: { program: process.execPath, args, argv0: 'example' }, env: {} },
    directory,
    behave: (behaviour, value = 0) => writeFile(join(directory, behaviour), String(value)),
    cease: (behaviour) => rm(join(directory, behaviour)),
    list: async () => (await readdir(directory)).filter((name) => name !== 'library.so').sort(),
  }
}
