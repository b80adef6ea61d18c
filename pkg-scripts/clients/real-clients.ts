import { existsSync, readFileSync } from 'node:fs'
import { copyFile, mkdir } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { execa } from 'execa'
import { HelperError } from '../../src/runtime/failure.ts'
import { quoteForShell } from '../../src/runtime/text/quote.ts'
import { root } from '../tree.ts'

/** Every real client, by the name of its test. */
export const realClients: Readonly<Record<string, RealClient>> = {
  codex: { title: 'Codex', package: '@openai/codex', program: '.bin/codex' },
  // opencode-ai chooses this package on Linux, for processors of any age; some registries lack the others.
  opencode: {
    title: 'opencode',
    package: 'opencode-linux-x64-baseline',
    program: 'opencode-linux-x64-baseline/bin/opencode',
  },
  'gemini-cli': { title: 'Gemini CLI', package: '@google/gemini-cli', program: '.bin/gemini' },
  copilot: { installed: 'copilot' },
  'claude-code': { installed: 'claude' },
}

const pinned = join(root, 'test', 'real-clients')
const directory = join(root, 'dist', 'real-clients')

/**
 * Downloads the pinned packages, unless they exist. They are separate from the project's packages, because they are large and only their
 * tests need them.
 */
export async function downloadClients(): Promise<void> {
  const files = ['package.json', 'package-lock.json']
  const isWritten = files.every((file) => readOrNothing(join(pinned, file)) === readOrNothing(join(directory, file)))
  if (isWritten && existsSync(join(directory, 'node_modules', '.package-lock.json'))) return
  await mkdir(directory, { recursive: true })
  for (const file of files) await copyFile(join(pinned, file), join(directory, file))
  const flags = ['--prefix', directory, '--ignore-scripts', '--no-audit', '--no-fund']
  const options = { stdin: 'ignore', stdout: 'ignore', stderr: 'inherit', reject: false } as const
  const { exitCode } = await execa('npm', ['ci', ...flags], options)
  if (exitCode === 0) return
  throw new HelperError(
    'unavailable',
    'npm cannot install the clients',
    `try it: npm ${quoteForShell(['ci', ...flags])}`,
  )
}

/** A client whose real program is run by the tests of its name in `test/real-clients`. */
type RealClient =
  /** Under an open licence: pinned, and installed for the tests. */
  | { readonly title: string; readonly package: string; readonly program: string }
  /** Proprietary: run if a person has installed it. */
  | { readonly installed: string }

function readOrNothing(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined
}

/**
 * Returns the path of a program or module in the pinned packages.
 * @throws {HelperError} if they are not installed.
 */
export function locateInstalled(path: string): string {
  const found = join(directory, 'node_modules', path)
  if (existsSync(found)) return found
  throw new HelperError('not-configured', `${found} is missing`, 'install the clients: npm run clients -- --install')
}

/** Returns the path of a client's program; `undefined` for a proprietary one that is not installed. */
export function findClient(name: string): string | undefined {
  const client = realClients[name]!
  if ('package' in client) return locateInstalled(client.program)
  const folders = (process.env.PATH ?? '').split(delimiter)
  return folders.map((folder) => join(folder, client.installed)).find((path) => existsSync(path))
}

/** Returns the version of a pinned package, or the one that the program prints. */
export async function readClientVersion(name: string, program: string): Promise<string> {
  const client = realClients[name]!
  if ('package' in client) return readPinnedVersions()[client.package]!
  const { stdout } = await execa(program, ['--version'], { stdin: 'ignore' })
  return /\d+\.\d+\.\d+/.exec(stdout)?.[0] ?? stdout
}

/** Returns the exact versions of the pinned packages, by their names. */
function readPinnedVersions(): Record<string, string> {
  const { dependencies }: { dependencies: Record<string, string> } = JSON.parse(
    readFileSync(join(pinned, 'package.json'), 'utf8'),
  )
  return dependencies
}
