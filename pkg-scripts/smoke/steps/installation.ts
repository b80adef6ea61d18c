import { existsSync, readdirSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import { listHelpers } from '../../tree.ts'
import { requireOutcome, requireSame, Skipped, toSuccess } from '../subject/findings.ts'
import type { Installer } from '../subject/installer.ts'
import type { ProgramEnd } from '../subject/programs.ts'
import type { SmokeSubject } from '../subject/subject.ts'
import { requireToken, toMintArguments } from './token-call.ts'

/** Installs both programs with the scripts of their archives. */
export async function checkInstall(subject: SmokeSubject): Promise<string> {
  refuseOtherInstallers(subject)
  await runAll(subject, 'install', (installer) => installer.run())
  requireSame('the names in the directory', listNames(subject), toFiles(subject, names))
  return `${names.length} names`
}

const names = ['gatepass', 'gatepass-helpers', ...listHelpers()]

/** Installs the next version while a helper waits for its token, and goes back with the script that the first version kept. */
export async function checkUpgrade(subject: SmokeSubject): Promise<string> {
  refuseOtherInstallers(subject)
  const { server } = subject
  const before = identifyFiles(subject)
  const asked = server.asked()
  server.hold()
  const running = subject.start('workload-token', toMintArguments(server, 'upgrade'))
  try {
    await server.waitUntilAsked(asked + 1)
    await runAll(subject, 'upgrade', (installer) => installer.runNext())
  } finally {
    server.release()
  }
  requireToken('the call that ran during the upgrade', await running.outcome)
  const after = identifyFiles(subject)
  requireSame(
    'names that are still the old file',
    names.filter((name) => after.get(name) === before.get(name)),
    [],
  )
  requireToken('a call after it', await subject.run('workload-token', toMintArguments(server, 'after')))
  await runAll(subject, 'going back', (installer) => installer.runKept())
  requireSame('files after going back', [...identifyFiles(subject)], [...before])
  requireSame('what is left beside the names', listNames(subject), toFiles(subject, names))
  return 'the running call got its token; all names were replaced, and were the old files again'
}

/** Removes everything with the scripts that the installed version kept, and that remove themselves. */
export async function checkUninstall(subject: SmokeSubject): Promise<string> {
  refuseOtherInstallers(subject)
  await runAll(subject, 'uninstall', (installer) => installer.runKept(uninstall))
  requireSame(`whether ${basename(subject.directory)} is still there`, existsSync(subject.directory), false)
  return 'nothing is left'
}

const uninstall = process.platform === 'win32' ? '/uninstall' : '--uninstall'

function refuseOtherInstallers({ installers }: SmokeSubject): void {
  if (installers.length === 0) throw new Skipped('something else has installed it')
}

async function runAll(
  { installers }: SmokeSubject,
  what: string,
  run: (installer: Installer) => Promise<ProgramEnd>,
): Promise<void> {
  for (const installer of installers)
    requireOutcome(`${what} of ${installer.name}`, await run(installer), toSuccess(''))
}

/** Beside the programs: what each version keeps, and manual pages with completions. */
const others: readonly string[] = ['share', 'versions']

function listNames({ directory }: SmokeSubject): string[] {
  return readdirSync(directory)
    .filter((name) => !others.includes(name))
    .sort()
}

function toFiles({ pathOf }: SmokeSubject, programs: readonly string[]): string[] {
  return programs.map((name) => basename(pathOf(name))).sort()
}

/** Maps each name to the number of its file: names of one file have the same number. */
function identifyFiles({ pathOf }: SmokeSubject): Map<string, string> {
  return new Map(names.map((name) => [name, String(statSync(pathOf(name), { bigint: true }).ino)]))
}
