import { join } from 'node:path'
import { type NameSource, vendorFileName } from '../../vendor/name-source.ts'
import { parseVendorSetting } from '../../vendor/validate-setting.ts'
import { type Look, observeLooks } from '../disk.ts'
import { HelperError } from '../failure.ts'
import { readIfPresent } from '../files.ts'
import { refuseUnsafeFile } from './unsafe-file.ts'
import { parseVendorOption } from './vendor-option.ts'

/** What decides where the names are read; `argv` only of the program whose caller may choose them. */
export interface NamesHost {
  readonly argv?: readonly string[]
  readonly platform: NodeJS.Platform
  readonly machineDirectory: string
}

/** Finds out the names of a process, from files. Never throws: what is wrong is a part of the answer. */
export async function readNames({ argv = [], platform, machineDirectory }: NamesHost): Promise<NameSource> {
  const { path } = parseVendorOption(argv)
  const looks: Look[] = []
  observeLooks((look) => looks.push(look))
  const source =
    path === undefined
      ? await readSource('machine', join(machineDirectory, vendorFileName), platform)
      : await readSource('option', path, platform)
  observeLooks()
  return { ...source, looks }
}

type UnseenSource = Omit<NameSource, 'looks'>

async function readSource(from: 'machine' | 'option', path: string, platform: NodeJS.Platform): Promise<UnseenSource> {
  try {
    const text = await readIfPresent(path)
    if (text === undefined && from === 'machine') return { from: 'build' }
    if (text === undefined) return fail(from, path, `${path} does not exist`, 'name an existing vendor file')
    if (from === 'machine' && platform !== 'win32') await refuseUnsafeFile(path, 'root')
    const parsed = parseVendorSetting(text)
    if ('setting' in parsed) return { from, path, setting: parsed.setting }
    return fail(from, path, `${path}: ${parsed.problems.join('; ')}`, toHint(from, path))
  } catch (error) {
    if (error instanceof HelperError) return fail(from, path, error.message, error.hint)
    const { code } = error as NodeJS.ErrnoException
    return fail(from, path, `cannot look at ${path} (${code})`, `look at it with: ls -ld '${path}'`)
  }
}

function toHint(from: 'machine' | 'option', path: string): string {
  return from === 'option'
    ? `correct ${path}`
    : `correct ${path}, or move it away, which leaves the names of this build`
}

function fail(from: NameSource['from'], path: string, message: string, hint: string): UnseenSource {
  return { from, path, failure: { kind: 'not-configured', message, hint } }
}
