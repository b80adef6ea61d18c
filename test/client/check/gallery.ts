import { execFileSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { chmod, mkdir, mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, extname, join } from 'node:path'
import { type CheckReport, checkHelper } from '../../../src/client/check/check-helper.ts'
import type { CheckOptions } from '../../../src/client/check/check-options.ts'
import type { ClientName } from '../../../src/contract/clients.ts'
import { clientNames } from '../../../src/contract/clients.ts'
import { prepareGallery } from './prepare-gallery.ts'
import { startTokenService } from './token-service.ts'

/** A helper with one mistake; its first lines name the mistake and the rules that find it. */
export interface GalleryHelper {
  readonly name: string
  readonly path: string
  readonly mistake: string
  readonly fails: readonly string[]
  readonly warns: readonly string[]
  readonly args: readonly string[]
  readonly ttlSec: number | undefined
  readonly baseUrl: string | undefined
  /** The client whose rules are checked. */
  readonly client: ClientName
  /** Whether its mistake is only noticed while the machine has no other work. */
  readonly isTimed: boolean
}

const folder = prepareGallery()

/** Lists every helper of the gallery, which is the folder: one for each mistake, in the folder of the rules that find it. */
export function listGallery(): GalleryHelper[] {
  const files = globSync('{,*/}*.{sh,py,cjs}', { cwd: folder, exclude: ['parts/**'] }).sort()
  return files.map((file) => readHeader(join(folder, file)))
}

export function findInGallery(name: string): GalleryHelper {
  const found = listGallery().find((helper) => helper.name === name)
  if (!found) throw new Error(`there is no ${name} in test/gallery`)
  return found
}

function readHeader(path: string): GalleryHelper {
  const lines = readFileSync(path, 'utf8').split('\n')
  const field = (name: string) =>
    lines.map((line) => new RegExp(`^(?:#|//) ${name}: (.+)$`).exec(line)?.[1]).find((value) => value !== undefined)
  const ttl = field('Ttl')
  return {
    name: basename(path, extname(path)),
    path,
    mistake: field('Mistake') ?? 'it keeps every rule',
    fails: field('Fails')?.split(', ') ?? [],
    warns: field('Warns')?.split(', ') ?? [],
    args: field('Args')?.split(' ') ?? [],
    isTimed: field('Alone') !== undefined,
    ttlSec: ttl === undefined ? undefined : Number(ttl),
    baseUrl: field('BaseUrl'),
    client: clientNames.find((name) => name === field('Client')) ?? 'desktop',
  }
}

/** Checks a helper of the gallery in a home, with a token service, of its own. */
export async function checkGalleryHelper(
  helper: GalleryHelper,
  options: Pick<CheckOptions, 'rules' | 'pace'> = {},
): Promise<CheckReport> {
  await using directory = await mkdtempDisposable(join(tmpdir(), 'gatepass gallery '))
  await using service = await startTokenService()
  const home = join(directory.path, 'home')
  const bin = join(directory.path, 'bin')
  for (const path of [home, bin, join(directory.path, 'tmp')]) await mkdir(path)
  await chmod(directory.path, 0o755) // open, so that only the file's own mode counts
  await writeExecutable(join(bin, 'corporate-sign-in'), 'exit 0')
  await writeFile(join(home, 'session.json'), JSON.stringify({ refresh_token: service.refreshToken }), { mode: 0o600 })
  return await checkHelper({
    command: await writeCommand(helper, bin),
    args: helper.args,
    client: helper.client,
    platform: process.platform,
    timeoutSec: 8,
    limitSec: 280, // less than the time of a test, so that its report says what took so long
    ...(helper.ttlSec !== undefined && { ttlSec: helper.ttlSec }),
    ...(helper.baseUrl !== undefined && { baseUrl: helper.baseUrl }),
    ...options,
    // Stand for the token service's address and the account, which an administrator sets for every program.
    keepEnv: [
      ...['PYTHONPATH', 'PYTHONDONTWRITEBYTECODE', 'TOKEN_SERVICE', 'TOKEN_SERVICE_AWAY'],
      ...['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'],
    ],
    env: {
      HOME: home,
      TMPDIR: join(directory.path, 'tmp'),
      PATH: `${bin}:/usr/bin:/bin`,
      PYTHONPATH: folder,
      PYTHONDONTWRITEBYTECODE: '1',
      TOKEN_SERVICE: service.url,
      TOKEN_SERVICE_AWAY: service.urlAway,
      AWS_ACCESS_KEY_ID: 'AKIAEXAMPLE',
      AWS_SECRET_ACCESS_KEY: 'gallery',
      CORP_TEAM: 'red',
      TERM: 'xterm',
    },
  })
}

/** Gives a shell script as it is, and any other script behind a shell script that names its interpreter, whose path differs between machines. */
async function writeCommand({ path, name, isTimed }: GalleryHelper, directory: string): Promise<string> {
  const interpreter = interpreters[extname(path)]?.(isTimed)
  if (interpreter === undefined) return path
  const command = join(directory, name)
  await writeExecutable(command, `exec ${interpreter} '${path}' "$@"`)
  return command
}

const interpreters: Readonly<Record<string, (isTimed: boolean) => string>> = {
  '.cjs': () => `'${process.execPath}'`,
  // Without the packages of the machine, whose search takes longer than a helper; a check starts one some forty times. Runs that
  // have to meet in time are left as they are.
  '.py': (isTimed) => `'${findPython()}'${isTimed ? '' : ' -S'}`,
}

let python: string | undefined

function findPython(): string {
  python ??= execFileSync('python3', ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' }).trim()
  return python
}

async function writeExecutable(path: string, line: string): Promise<void> {
  await writeFile(path, `#!/bin/sh\n${line}\n`, { mode: 0o755 })
}

/** Returns the rules with these verdicts, and nothing else of a report. */
export function outcomeOf({ verdicts }: CheckReport) {
  const having = (wanted: string) => verdicts.filter(({ verdict }) => verdict === wanted).map(({ rule }) => rule)
  return { fails: having('fail'), warns: having('warn') }
}
