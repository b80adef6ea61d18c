import { globSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Guest } from './guests.ts'
import { runTool } from './run-tool.ts'

/** Downloads a guest's packages and their dependencies with apt, whose state is in this directory, and unpacks them into `root`. */
export function downloadPackages(
  { suite, architecture, packages, configured = [] }: Guest,
  directory: string,
  root: string,
): void {
  const state = join(directory, 'apt')
  for (const part of ['lists/partial', 'archives/partial']) mkdirSync(join(state, part), { recursive: true })
  mkdirSync(root, { recursive: true })
  const env = { PATH: process.env.PATH, APT_CONFIG: writeSettings(state, suite, architecture) }
  const run = (...command: string[]) =>
    runTool(command, 'check whether deb.debian.org can be reached, and start again', env)
  run('apt-get', '-qq', 'update')
  run('apt-get', '-qq', '-y', '--no-install-recommends', '--download-only', 'install', ...packages)
  for (const archive of globSync(join(state, 'archives', '*.deb'))) run('dpkg-deb', '--extract', archive, root)
  for (const name of configured) {
    const [archive = ''] = globSync(join(state, 'archives', `${name}_*.deb`))
    const scripts = join(root, 'configure', name)
    mkdirSync(scripts, { recursive: true })
    run('dpkg-deb', '--control', archive, scripts)
  }
}

function writeSettings(state: string, suite: string, architecture: string): string {
  const key = '/usr/share/keyrings/debian-archive-keyring.gpg'
  const files = {
    status: '',
    'sources.list': `deb [signed-by=${key}] http://deb.debian.org/debian ${suite} main\n`,
    'apt.conf': renderSettings({
      'APT::Architecture': architecture,
      'APT::Architectures': architecture,
      'Acquire::Languages': 'none',
      'Acquire::Retries': '3',
      'Dir::State': state,
      'Dir::State::status': join(state, 'status'),
      'Dir::Etc::sourcelist': join(state, 'sources.list'),
      'Dir::Etc::sourceparts': '/dev/null',
      'Dir::Cache': state,
      // apt's own user cannot enter the directories of others.
      'APT::Sandbox::User': 'root',
    }),
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(state, name), text)
  return join(state, 'apt.conf')
}

function renderSettings(settings: Readonly<Record<string, string>>): string {
  return Object.entries(settings)
    .map(([name, value]) => `${name} "${value}";\n`)
    .join('')
}
