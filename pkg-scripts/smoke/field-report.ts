import { hash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { arch, cpus, homedir, hostname, machine, release, version as systemVersion, totalmem, userInfo } from 'node:os'
import { basename, dirname } from 'node:path'
import { quoteForPowerShell } from '../../src/runtime/text/quote.ts'
import { version } from '../../src/version.ts'
import { packedPrograms, root } from '../tree.ts'
import type { SmokeResult } from './run-steps.ts'
import { listArchives } from './subject/installer.ts'
import { type ProgramEnd, runProgram } from './subject/programs.ts'
import type { Built, SmokeSubject } from './subject/subject.ts'

/** The system's verdict on the signature of one program. */
export interface ProgramSignature {
  readonly program: string
  readonly said: string
}

/** Writes the report as JSON, without the names of the user, of the machine and of their directories. */
export function writeFieldReport(
  path: string,
  { title, built, signatures, results }: FieldFacts,
  subject: Pick<SmokeSubject, 'directory' | 'scratch'>,
): void {
  const archives = 'release' in built ? listArchives(built.release).flatMap(examineArchive) : []
  const tried = 'release' in built ? built.release : built.installed
  const names = listOwnNames([subject.scratch, subject.directory, homedir(), root, process.cwd(), tried])
  const steps = results.map(({ ms, ...result }) => ({ ...result, seconds: Math.round(ms / 100) / 10 }))
  const facts = { title, system: examineSystem(), archives, signatures, steps }
  const hidden = JSON.parse(JSON.stringify(facts), (_, value) =>
    typeof value === 'string' ? hideNames(value, names) : value,
  )
  writeFileSync(path, `${JSON.stringify({ report: 'gatepass smoke', version, ...hidden }, undefined, 2)}\n`)
  console.log(`everything that was seen is in ${path}; it names neither the user nor the machine`)
}

/** The facts of one run for a reader without this machine. */
interface FieldFacts {
  readonly title: string
  readonly built: Built
  readonly signatures: readonly ProgramSignature[]
  readonly results: readonly SmokeResult[]
}

function examineArchive(path: string) {
  if (!existsSync(path)) return []
  const content = readFileSync(path)
  return [{ name: basename(path), bytes: content.length, sha256: hash('sha256', content) }]
}

/** Lists the texts that a report must not contain: these directories, and the names of the user and of the machine; longest first. */
function listOwnNames(directories: readonly string[]): string[] {
  const paths = [...directories, ...directories.map((path) => dirname(path))]
  // Quoted output of programs has doubled backslashes.
  const all = [...paths, ...paths.map((path) => path.replaceAll('\\', '\\\\')), hostname(), userInfo().username]
  // A root directory, or a name of one or two letters, is part of other words.
  return [...new Set(all)].filter((name) => name.length > 2).sort((one, other) => other.length - one.length)
}

function examineSystem() {
  const [processor] = cpus()
  return {
    platform: process.platform,
    version: systemVersion(),
    release: release(),
    arch: arch(),
    // Differs from the other if a program for one processor runs on another.
    machine: machine(),
    processor: processor?.model.trim() ?? 'unknown',
    processors: cpus().length,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    node: process.versions.node,
  }
}

/** Replaces each of these names by `…`, except inside a word, and also the name of any user's folder. */
export function hideNames(text: string, names: readonly string[]): string {
  const hidden = names.reduce(
    (left, name) =>
      left.replaceAll(new RegExp(`(?<![\\p{L}\\p{N}])${RegExp.escape(name)}(?![\\p{L}\\p{N}])`, 'giu'), () => '…'),
    text,
  )
  return hidden.replaceAll(/((?:\/Users|\/home|[A-Z]:\\+Users)[/\\]+)[^/\\\s"']+/gi, '$1…')
}

/** Reads the system's verdict on the signature of each installed program; empty if the system has no such check. */
export async function readSignatures(
  { pathOf, env }: Pick<SmokeSubject, 'pathOf' | 'env'>,
  platform: NodeJS.Platform,
): Promise<ProgramSignature[]> {
  const signatures: ProgramSignature[] = []
  for (const program of packedPrograms)
    for (const [tool = '', ...args] of listQuestions(platform, pathOf(program))) {
      const { status, stdout, stderr } = await askTool(tool, args, env)
      signatures.push({ program, said: `${tool}: ${status}\n${stdout}${stderr}`.trim() })
    }
  return signatures
}

function listQuestions(platform: NodeJS.Platform, path: string): string[][] {
  if (platform === 'darwin')
    return [
      ['codesign', '--display', '--verbose=4', '--entitlements', '-', path],
      ['codesign', '--verify', '--strict', '--verbose=2', path],
      ['spctl', '--assess', '--type', 'execute', '--verbose', path],
    ]
  if (platform !== 'win32') return []
  const ask = `Get-AuthenticodeSignature ${quoteForPowerShell(path)} | Format-List Status, StatusMessage, SignerCertificate, TimeStamperCertificate`
  return [['powershell.exe', '-NoProfile', '-NonInteractive', '-Command', ask]]
}

async function askTool(
  tool: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<ProgramEnd> {
  const missing = (error: Error) => ({ status: 'not started', stdout: '', stderr: error.message, ms: 0 })
  return runProgram(tool, args, { env }).catch(missing)
}
