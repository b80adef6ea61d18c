// Folder: the subject of the smoke test: an installation, its user, the running programs, and their token server.

import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encodePart } from '../../../src/runtime/tokens/jwt.ts'
import { type Installer, prepareInstallers } from './installer.ts'
import { type ProgramEnd, type ProgramRunOptions, type RunningProgram, startProgram } from './programs.ts'
import { startTokenServer, type TokenServer } from './token-server.ts'

/** The tested build: the archives in a directory, possibly with another build, or an existing installation. */
export type Built = { readonly release: string; readonly other?: string | undefined } | { readonly installed: string }

/** An installation on this machine with a user of its own, and the far side of its calls. */
export interface SmokeSubject {
  /** The directory of all names. */
  readonly directory: string
  /** The programs that install it; empty for an existing installation. */
  readonly installers: readonly Installer[]
  /** A directory that is removed at the end. */
  readonly scratch: string
  /** The user's whole environment. */
  readonly env: Readonly<Record<string, string>>
  readonly server: TokenServer
  /** The path of a program by its name. */
  pathOf(name: string): string
  start(name: string, args: readonly string[], more?: Partial<ProgramRunOptions>): RunningProgram
  run(name: string, args: readonly string[], more?: Partial<ProgramRunOptions>): Promise<ProgramEnd>
  close(): void
}

/** Prepares it below the temporary directory, in a path with a space and a letter beyond ASCII, as in many user names. */
export async function openSubject(built: Built): Promise<SmokeSubject> {
  const scratch = mkdtempSync(join(realpathSync.native(tmpdir()), 'Gäte pass '))
  const home = join(scratch, 'home')
  mkdirSync(home)
  const env = { ...selectVariables(), ...toUserVariables(home), IDENTITY_TOKEN: renderIdentityToken() }
  const directory = 'installed' in built ? built.installed : join(scratch, 'opt')
  const installers = 'installed' in built ? [] : await prepareInstallers(built, { scratch, directory, env })
  const server = await startTokenServer()
  const pathOf = (name: string) => join(directory, process.platform === 'win32' ? `${name}.exe` : name)
  const start: SmokeSubject['start'] = (name, args, more) => startProgram(pathOf(name), args, { env, ...more })
  return {
    directory,
    installers,
    scratch,
    env,
    server,
    pathOf,
    start,
    run: (name, args, more) => start(name, args, more).outcome,
    close: () => {
      server.close()
      rmSync(scratch, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
    },
  }
}

/** Windows programs do not start without the first variables; no other variable of this process reaches a run. */
function selectVariables(): Record<string, string> {
  const names = [
    'SystemRoot',
    'SystemDrive',
    'windir',
    'ComSpec',
    'PATHEXT',
    'ProgramFiles',
    'ProgramData',
    'TEMP',
    'TMP',
  ]
  const kept = process.platform === 'win32' ? [...names, 'Path', 'PATH'] : ['PATH', 'LANG', 'TMPDIR']
  return Object.fromEntries(kept.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])))
}

function toUserVariables(home: string): Record<string, string> {
  if (process.platform !== 'win32') return { HOME: home }
  return { USERPROFILE: home, LOCALAPPDATA: join(home, 'AppData', 'Local'), APPDATA: join(home, 'AppData', 'Roaming') }
}

/** Our token server verifies no signature. */
function renderIdentityToken(): string {
  const claims = { iss: 'https://issuer.example', sub: 'smoke', aud: 'platform', exp: 4_000_000_000 }
  const parts = [{ alg: 'RS256' }, claims].map(encodePart)
  return [...parts, 'signature'].join('.')
}
