import { version } from '../../../src/version.ts'
import { listHelpers, packedPrograms } from '../../tree.ts'
import { requireOutcome, requireSame, toSuccess } from '../subject/findings.ts'
import type { SmokeSubject } from '../subject/subject.ts'
import { requireToken, toMintArguments } from './token-call.ts'

/** Every name prints the version, and all print the same commit, runtime and vendor. */
export async function checkVersions({ run }: SmokeSubject): Promise<string> {
  const said = new Set<string>()
  for (const name of [...packedPrograms, ...listHelpers()]) {
    const form = new RegExp(`^${name} ${RegExp.escape(version)} \\((?<build>commit .*, runtime [\\d.]+, for .*)\\)\\n$`)
    const { stdout } = requireOutcome(`${name} --version`, await run(name, ['--version']), toSuccess(form))
    said.add(form.exec(stdout)!.groups!.build!)
  }
  requireSame('the builds that all names say', said.size, 1)
  return [...said].join()
}

export async function checkMint({ run, server }: SmokeSubject): Promise<string> {
  const asked = server.asked()
  const outcome = await run('workload-token', toMintArguments(server, 'first'))
  requireSame('the token', requireToken('the first call', outcome), `smoke-access-token-${asked + 1}`)
  return renderMs(outcome.ms)
}

/** Checks a call that the cache answers: it prints the same token, and sends no request. */
export async function checkCache({ run, server }: SmokeSubject): Promise<string> {
  const first = await run('workload-token', toMintArguments(server, 'first'))
  const asked = server.asked()
  const second = await run('workload-token', toMintArguments(server, 'first'))
  requireSame(
    'the token of the second call',
    requireToken('the second call', second),
    requireToken('the first call', first),
  )
  requireSame('requests of the second call', server.asked() - asked, 0)
  return renderMs(second.ms)
}

const parallel = 6

/** Checks parallel calls with an empty cache: one mints, and all print its token. */
export async function checkParallelCalls({ start, server }: SmokeSubject): Promise<string> {
  const asked = server.asked()
  server.hold()
  const runs = Array.from({ length: parallel }, () => start('workload-token', toMintArguments(server, 'parallel')))
  try {
    await server.waitUntilAsked(asked + 1)
  } finally {
    server.release()
  }
  const outcomes = await Promise.all(runs.map(({ outcome }) => outcome))
  const tokens = new Set(outcomes.map((outcome) => requireToken('a call among others', outcome)))
  requireSame('different tokens', tokens.size, 1)
  requireSame('requests', server.asked() - asked, 1)
  return `${parallel} calls, one request`
}

/** A helper that is killed while it waits for its token does not hinder the next one. */
export async function checkKill({ start, run, server }: SmokeSubject): Promise<string> {
  const asked = server.asked()
  server.hold()
  const killed = start('workload-token', toMintArguments(server, 'killed'))
  try {
    await server.waitUntilAsked(asked + 1)
    killed.kill()
    requireSame('what the killed call printed', (await killed.outcome).stdout, '')
  } finally {
    server.release()
  }
  const next = await run('workload-token', toMintArguments(server, 'killed'))
  requireSame('the token of the next call', requireToken('the next call', next), `smoke-access-token-${asked + 2}`)
  const cached = await run('workload-token', toMintArguments(server, 'killed'))
  requireSame('the token after that', requireToken('the call after it', cached), `smoke-access-token-${asked + 2}`)
  return `the next call took ${renderMs(next.ms)}`
}

function renderMs(ms: number): string {
  return `${Math.round(ms)} ms`
}
