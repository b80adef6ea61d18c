import { existsSync, readdirSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import { listHelpers, packedPrograms } from '../../tree.ts'
import { requireOutcome, requireSame, Skipped, toSuccess } from '../subject/findings.ts'
import type { Installer } from '../subject/installer.ts'
import { longestRunMs, type ProgramEnd } from '../subject/programs.ts'
import type { SmokeSubject } from '../subject/subject.ts'
import { requireToken, toMintArguments } from './token-call.ts'

/** Installs both programs with the scripts of their archives. */
export async function checkInstall(subject: SmokeSubject): Promise<string> {
  refuseOtherInstallers(subject)
  await runAll(subject, 'install', (installer) => installer.run())
  requireSame('the names in the directory', listNames(subject), toFiles(subject, names))
  return `${names.length} names`
}

const names = [...packedPrograms, ...listHelpers()]

/**
 * Installs two versions, one after the other, while one helper waits for its token and others are called without a pause, and goes back
 * from the second to the first with the script that it kept, whose cache then holds what the second has stored.
 */
export async function checkUpgrade(subject: SmokeSubject): Promise<string> {
  refuseOtherInstallers(subject)
  const { server } = subject
  requireToken('a call before', await subject.run('workload-token', toMintArguments(server, 'during')))
  const before = readFileNumbers(subject)
  const asked = server.asked()
  server.hold()
  // On an emulated processor two upgrades take as long as the default limit of a call.
  const waits = ['--client-timeout', `${longestRunMs / 1000}`]
  const running = subject.start('workload-token', [...toMintArguments(server, 'upgrade'), ...waits])
  const calls = startCalls(subject)
  try {
    await server.waitUntilAsked(asked + 1)
    for (const step of [0, 1]) await runAll(subject, 'upgrade', (installer) => installer.next[step]!())
  } finally {
    calls.stop()
    server.release()
  }
  try {
    requireToken('the call that ran during the upgrades', await running.outcome)
    const seen = await calls.seen
    requireReplaced(subject, before)
    const token = requireToken('a call after it', await subject.run('workload-token', toMintArguments(server, 'after')))
    await runAll(subject, 'going back', (installer) => installer.runKept())
    const again = await subject.run('workload-token', toMintArguments(server, 'after'))
    requireSame('the token of the version before', requireToken('a call after going back', again), token)
    requireSame('what is left beside the names', listNames(subject), toFiles(subject, names))
    return `the running call and ${seen} calls during two upgrades got their tokens; all names were replaced, and went back`
  } finally {
    // The uninstall step runs the script of the version that was installed first.
    await runAll(subject, 'installing the first one again', (installer) => installer.run())
  }
}

/** Starts calls one after the other until it is stopped; the cache answers each. A call that fails, or prints half, is thrown. */
function startCalls({ run, server }: SmokeSubject): { readonly seen: Promise<number>; stop(): void } {
  let isStopped = false
  const callAll = async () => {
    let count = 0
    for (; !isStopped; count++)
      requireToken(
        `call ${count + 1} during the upgrades`,
        await run('workload-token', toMintArguments(server, 'during')),
      )
    return count
  }
  const seen = callAll()
  // Before anything waits for the promise, its rejection must not end the process.
  seen.catch(() => {})
  const stop = () => {
    isStopped = true
  }
  return { seen, stop }
}

function requireReplaced(subject: SmokeSubject, before: ReadonlyMap<string, string>): void {
  const after = readFileNumbers(subject)
  const same = names.filter((name) => after.get(name) === before.get(name))
  requireSame('names that are still the old file', same, [])
}

/** Removes everything with the scripts that the installed version kept, and that remove themselves. */
export async function checkUninstall(subject: SmokeSubject): Promise<string> {
  refuseOtherInstallers(subject)
  await runAll(subject, 'uninstall', (installer) => installer.runOwn(uninstall))
  requireSame(`whether ${basename(subject.directory)} is still there`, existsSync(subject.directory), false)
  return 'nothing is left'
}

const uninstall = process.platform === 'win32' ? '/uninstall' : '--uninstall'

/** @throws if there is no installation script. */
export function refuseOtherInstallers({ installers }: SmokeSubject): void {
  if (installers.length === 0) throw new Skipped('something else has installed it')
}

/** Runs a script of each program, which must succeed silently. */
export async function runAll(
  { installers }: SmokeSubject,
  what: string,
  run: (installer: Installer) => Promise<ProgramEnd>,
): Promise<void> {
  for (const installer of installers)
    requireOutcome(`${what} of ${installer.name}`, await run(installer), toSuccess(''))
}

/** The other files: those that each version keeps, and manual pages with completions. */
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
function readFileNumbers({ pathOf }: SmokeSubject): Map<string, string> {
  return new Map(names.map((name) => [name, String(statSync(pathOf(name), { bigint: true }).ino)]))
}
