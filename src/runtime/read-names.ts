import { join } from 'node:path'
import { type NameSource, vendorFileName } from '../vendor/setting.ts'
import { parseVendorSetting } from '../vendor/validate-setting.ts'
import { type Look, observeLooks, readIfPresent } from './disk.ts'
import { findErrorCode, HelperError } from './failure.ts'
import { renderLookHint } from './text/quote.ts'
import { refuseDanglingLink, refuseUnsafeFile } from './unsafe-links.ts'

/** Reads the vendor's names of a process from files. It never throws: a problem is part of the result. */
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

/** The inputs that decide which file is read. Only a program whose caller may choose the names passes `argv`. */
interface NamesHost {
  readonly argv?: readonly string[]
  readonly platform: NodeJS.Platform
  readonly machineDirectory: string
}

/** The arguments of `gatepass`, and the vendor file that `--vendor` names before them. */
interface VendorOption {
  readonly path?: string
  readonly rest: readonly string[]
}

/** Parses `--vendor FILE` before a command. It decides the names with which the rest of the command line is parsed. */
export function parseVendorOption(argv: readonly string[]): VendorOption {
  const [first = '', second, ...others] = argv
  const option = '--vendor'
  if (first === option && second !== undefined) return { path: second, rest: others }
  if (first.startsWith(`${option}=`)) return { path: first.slice(option.length + 1), rest: argv.slice(1) }
  return { rest: argv }
}

type UnseenSource = Omit<NameSource, 'looks'>

async function readSource(from: 'machine' | 'option', path: string, platform: NodeJS.Platform): Promise<UnseenSource> {
  try {
    const text = await readIfPresent(path)
    if (text === undefined && from === 'option') return fail(from, path, `${path} does not exist`, noVendorFileHint)
    if (text === undefined) {
      await refuseDanglingLink(path)
      return { from: 'build' }
    }
    if (from === 'machine' && platform !== 'win32') await refuseUnsafeFile(path, 'root')
    const parsed = parseVendorSetting(text)
    if ('setting' in parsed) return { from, path, setting: parsed.setting }
    return fail(from, path, `${path}: ${parsed.problems.join('; ')}`, toHint(from, path))
  } catch (error) {
    if (error instanceof HelperError) return fail(from, path, error.message, error.hint)
    const code = findErrorCode(error)
    return fail(from, path, `cannot look at ${path} (${code})`, renderLookHint(path))
  }
}

function fail(from: NameSource['from'], path: string, message: string, hint: string): UnseenSource {
  return { from, path, failure: { kind: 'not-configured', message, hint } }
}

function toHint(from: 'machine' | 'option', path: string): string {
  return from === 'option' ? `correct ${path}` : `correct ${path}, or move it away to use the names of this build`
}

/** The hint for a vendor file that does not exist. */
export const noVendorFileHint = 'name an existing vendor file'
