import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { execa } from 'execa'
import { type RotatingIssuer, startRotatingIssuer } from '../../test/stand-ins/issuer/rotating-issuer.ts'
import { toBundlePath } from '../tree.ts'
import { minuteMs, morning } from './demo-client.ts'
import { type EventListener, playScene } from './scene.ts'
import type { Screen } from './screen.ts'

/** Plays a change of the document that reaches the first of two waves, and is halted there. */
export async function runRolloutAct(screen: Screen, home: string): Promise<void> {
  await using office = await startOffice(join(home, 'office'))
  await playScene(screen, 'A change goes out in two waves', (onEvent) => runMorning(office, onEvent))
}

/**
 * Enough people that a wave of half of them excludes some in every run: the wave is a hash of the person and of the release, which is
 * signed again each time.
 */
const people = Array.from({ length: 40 }, (_, index) => `u-${index + 1}`)
const addresses = { first: 'https://gateway.example.com', next: 'https://next.gateway.example.com' } as const
const audience = 'https://config.example.com'

async function startOffice(directory: string): Promise<Office> {
  const issuer = await startRotatingIssuer()
  const run = createRun(directory)
  const change = (baseUrl: string) =>
    writeFile(join(directory, 'rollout/engineering.json'), JSON.stringify({ inference: { baseUrl } }))
  await writeOffice(directory, issuer)
  await change(addresses.first)
  await run('keygen', '--out', 'release.key')
  const server = await startServer(directory)
  return {
    change,
    publish: async (...argv) => {
      const [line = ''] = await run(...argv, '--signing-key', 'release.key')
      await server.untilNext()
      return line
    },
    askAll: async () => {
      const asked = people.map(async (person) => {
        const token = await issuer.sign({ sub: person, aud: audience, groups: ['eng-web'] })
        return { person, address: await askFor(server.url, token) }
      })
      const byAddress = Map.groupBy(await Promise.all(asked), ({ address }) => address)
      return new Map([...byAddress].map(([address, rows]) => [address, rows.map(({ person }) => person)]))
    },
    explain: (person) => run('explain', 'rollout', '--subject', person, '--claim', 'groups=eng-web', ...releaseOptions),
    [Symbol.asyncDispose]: async () => {
      await server.stop()
      await issuer[Symbol.asyncDispose]()
    },
  }
}

const releaseOptions = ['--release', 'releases', '--public-key', 'release.key.pub'] as const

async function runMorning(office: Office, onEvent: EventListener): Promise<void> {
  let at = morning
  const note = (who: 'owner' | 'server' | 'person', text: string) => onEvent({ type: 'outside', who, text, at })
  const publish = async (...argv: string[]) => {
    note('owner', await office.publish(...argv))
    const given = await office.askAll()
    for (const [baseUrl, { length }] of given)
      note('server', `${length === 1 ? '1 person gets' : `${length} people get`} ${baseUrl}`)
    at += 30 * minuteMs
    return given
  }
  await publish('release', 'rollout', '--to', 'releases')
  await office.change(addresses.next)
  await publish('release', 'rollout', '--to', 'releases')
  await publish('promote', 'releases', '--wave', '1')
  const given = await publish('halt', 'releases')
  const [person = ''] = given.get(addresses.first) ?? []
  note('person', `why does ${person} keep the old address? gatepass bootstrap explain says:`)
  for (const line of await office.explain(person)) note('server', line)
}

/** The rollout folder of the configuration's owner, and the server of the documents. */
interface Office extends AsyncDisposable {
  /** Changes the overlay of the group to another gateway. */
  change(baseUrl: string): Promise<void>
  /** Runs a command of `gatepass bootstrap`, waits until the server serves the published release, and returns the first line. */
  publish(...argv: string[]): Promise<string>
  /** Requests everybody's document. Returns the people by address. */
  askAll(): Promise<ReadonlyMap<string, readonly string[]>>
  explain(person: string): Promise<readonly string[]>
}

/** Runs `gatepass bootstrap` in the folder. Gives the lines that it prints. */
function createRun(cwd: string) {
  return async (...argv: string[]): Promise<string[]> => {
    const command = [toBundlePath('gatepass'), 'bootstrap', ...argv]
    const { stdout } = await execa(process.execPath, command, { cwd, env: {}, extendEnv: false })
    return stdout.split('\n')
  }
}

async function writeOffice(directory: string, { issuer }: RotatingIssuer): Promise<void> {
  const claims = { groups: ['eng-*'] }
  const group = { name: 'engineering', claims, overlays: ['engineering.json'] }
  const files = {
    'rollout/base.json': { inference: { provider: 'gateway', credential: { kind: 'interactive' } } },
    'rollout/rollout.json': { groups: [group], others: 'nothing', pilot: ['u-1'], waves: [50, 100] },
    'policy.json': { issuers: [{ issuer, audiences: [audience] }], rules: [{ name: 'people', issuer, claims }] },
  }
  await mkdir(join(directory, 'rollout'), { recursive: true })
  for (const [name, content] of Object.entries(files)) await writeFile(join(directory, name), JSON.stringify(content))
}

async function startServer(cwd: string) {
  const options = ['--policy', 'policy.json', ...releaseOptions, '--listen', '127.0.0.1:0']
  const command = [toBundlePath('gatepass'), 'bootstrap', 'serve', ...options]
  const child = execa(process.execPath, command, { cwd, env: {}, extendEnv: false, reject: false, buffer: false })
  const log = createInterface(child.stderr)
  let served = 0
  let waited = 0
  log.on('line', (line) => {
    if (JSON.parse(line).event === 'release') served += 1
  })
  const [first] = await once(createInterface(child.stdout), 'line')
  return {
    url: `${JSON.parse(first).listen}/bootstrap`,
    /** Waits for one more release that it serves. */
    untilNext: async () => {
      waited += 1
      while (served < waited) await once(log, 'line')
    },
    stop: async () => {
      child.kill('SIGTERM')
      await child
    },
  }
}

async function askFor(url: string, token: string): Promise<string> {
  const answer = await fetch(url, { headers: { authorization: `Bearer ${token}` } })
  const { inference } = (await answer.json()) as { inference: { baseUrl: string } } // a document of this act
  return inference.baseUrl
}
