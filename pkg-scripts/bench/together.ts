import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Bench, bundled, executable } from './bench.ts'
import { comparePairs } from './pairs.ts'
import { type Timed, timeBatch } from './processes.ts'
import { report } from './report.ts'
import { reportWaiting } from './waiting.ts'

/** Calls that run at the same time: fifty that find no token, and one that waits for another's. */
export async function reportTogether(bench: Bench): Promise<void> {
  const { floor, emptyScript, pairs } = bench
  const compare = async (what: string, subject: Timed, floorWhat: string, against: Timed) => {
    const batch = timeBatch(count, () => startCold(bench, subject))
    const floorBatch = timeBatch(count, () => against)
    report(`${count} ${what}`, `${count} of ${floorWhat}`, 'ms', await comparePairs(batch, floorBatch, pairs))
  }
  const helper = 'aws-bedrock-token'
  await compare('bundles at once, no token cached', bundled(bench, helper), 'an empty script', emptyScript)
  await compare('executables at once, no token cached', executable(bench, helper), floor.what, floor)
  await reportWaiting((url, round) => executable(bench, 'workload-token', exchangeAt(url, round)), pairs)
}

const count = 50

let colds = 0

/** With a home directory in which nothing has been cached. */
function startCold({ home }: Bench, timed: Timed): Timed {
  colds += 1
  const HOME = join(home, `cold ${colds}`)
  mkdirSync(HOME)
  return { ...timed, env: { ...timed.env, HOME, XDG_CACHE_HOME: join(HOME, '.cache') } }
}

/** Another subject in every round, so that no token of the round before is found. */
function exchangeAt(url: string, round: number): string[] {
  const claims = { iss: 'https://issuer.example', sub: `round-${round}`, aud: 'platform', exp: 4_000_000_000 }
  const parts = [{ alg: 'RS256' }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
  const identity = [
    '--identity',
    'command',
    '--identity-command',
    'echo',
    '--identity-command',
    [...parts, 'x'].join('.'),
  ]
  return ['--base-url', url, '--organization', 'org-1', '--federation-rule', `rule-${round}`, ...identity]
}
