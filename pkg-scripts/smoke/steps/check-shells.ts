import { quoteForPowerShell } from '../../../src/runtime/text/quote.ts'
import { requireSame, Skipped } from '../subject/findings.ts'
import { runProgram } from '../subject/programs.ts'
import type { SmokeSubject } from '../subject/subject.ts'
import { requireToken, toMintArguments } from './token-call.ts'

/** Checks that a call through `cmd` prints the token of a call without a shell. */
export async function checkCmd(subject: SmokeSubject): Promise<string> {
  refuseOtherSystems()
  const words = [subject.pathOf('workload-token'), ...toMintArguments(subject.server, 'first')]
  const line = words.map((word) => `"${word}"`).join(' ')
  const { env } = subject
  const outcome = await runProgram(env.ComSpec ?? 'cmd.exe', ['/d', '/s', '/c', `"${line}"`], { env, isVerbatim: true })
  await requireSameToken(subject, requireToken('the call through cmd', outcome))
  return 'the same token'
}

/** Checks the same through each PowerShell of this machine: the one of Windows, and the newer one. */
export async function checkPowerShell(subject: SmokeSubject): Promise<string> {
  refuseOtherSystems()
  const words = [subject.pathOf('workload-token'), ...toMintArguments(subject.server, 'first')]
  const command = `& ${words.map(quoteForPowerShell).join(' ')}; exit $LASTEXITCODE`
  const found: string[] = []
  for (const shell of ['powershell.exe', 'pwsh.exe']) {
    const version = await readVersion(shell, subject)
    if (version === undefined) continue
    const outcome = await runPowerShell(shell, command, subject)
    await requireSameToken(subject, requireToken(`the call through ${shell}`, outcome))
    found.push(version)
  }
  if (found.length === 0) throw new Skipped('there is no PowerShell')
  return `the same token through PowerShell ${found.join(' and ')}`
}

/** Reads the version of PowerShell; `undefined` if it is not installed. Wine has a program of that name that does nothing. */
async function readVersion(shell: string, subject: SmokeSubject): Promise<string | undefined> {
  const asked = runPowerShell(shell, '"$($PSVersionTable.PSVersion)"', subject)
  const { status, stdout } = await asked.catch(() => ({ status: 'missing', stdout: '' }))
  return status === 0 && /^\d+\./.test(stdout) ? stdout.trim() : undefined
}

function runPowerShell(shell: string, command: string, { env }: SmokeSubject) {
  return runProgram(shell, ['-NoProfile', '-NonInteractive', '-Command', command], { env })
}

async function requireSameToken({ run, server }: SmokeSubject, token: string): Promise<void> {
  const direct = await run('workload-token', toMintArguments(server, 'first'))
  requireSame('the token of a call without a shell', requireToken('a call without a shell', direct), token)
}

function refuseOtherSystems(): void {
  if (process.platform !== 'win32') throw new Skipped('this is not Windows')
}
