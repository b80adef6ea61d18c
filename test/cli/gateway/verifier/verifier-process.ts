import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { type Agent, createServer, type IncomingHttpHeaders, request } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'
import { toBundlePath } from '../../../../pkg-scripts/tree.ts'
import type { Outcome } from '../../../setup/run-program.ts'
import { temporaryDirectory } from '../../../setup/temporary-directory.ts'
import { startRotatingIssuer } from '../../../stand-ins/issuer/rotating-issuer.ts'

/** Starts an issuer, and a policy that lets the teams of a list pass by its tokens. */
export async function startIssuerWithPolicy() {
  const issuer = await startRotatingIssuer()
  onTestFinished(() => issuer[Symbol.asyncDispose]())
  const directory = await temporaryDirectory()
  const policy = join(directory, 'policy.json')
  const writePolicy = (teams: readonly string[]) =>
    writeFile(
      policy,
      JSON.stringify({
        issuers: [{ issuer: issuer.issuer, audiences: ['models'] }],
        rules: [{ name: 'people', issuer: issuer.issuer, claims: { team: teams }, headers: { 'x-user': '{sub}' } }],
      }),
    )
  await writePolicy(['red'])
  return {
    issuer,
    directory,
    policy,
    writePolicy,
    token: await issuer.sign({ sub: 'dana', aud: 'models', team: 'red' }),
  }
}

/** The built command as a process. */
export interface VerifierProcess {
  /** The line that it printed when it was ready. */
  readonly addresses: { readonly listen: string; readonly admin?: string }
  readonly processId: number
  /** The lines that it has logged so far. */
  log(): Record<string, unknown>[]
  signal(name: NodeJS.Signals): void
  readonly ended: Promise<Outcome>
}

export function startVerifierProcess(...argv: string[]): Promise<VerifierProcess> {
  return startServerProcess('gateway', 'verifier', ...argv)
}

/** Starts any command that prints its addresses and serves until a signal ends it. */
export function startServerProcess(...argv: string[]): Promise<VerifierProcess> {
  return startServerIn({}, ...argv)
}

/** Starts the same with an environment. */
export async function startServerIn(env: NodeJS.ProcessEnv, ...argv: string[]): Promise<VerifierProcess> {
  const child = spawn(process.execPath, [toBundlePath('gatepass'), ...argv], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let stderr = ''
  child.stderr.on('data', (chunk) => {
    stderr += chunk
  })
  const stdout = text(child.stdout)
  const [first] = await Promise.race([once(child.stdout, 'data'), once(child, 'close')])
  if (!(first instanceof Uint8Array)) throw new Error(`the server has ended: ${stderr}`)
  const ended = once(child, 'close').then(async ([status]) => ({ status, stdout: await stdout, stderr }))
  return {
    addresses: JSON.parse(String(first)),
    processId: child.pid!, // it has printed
    log: () => stderr.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)])),
    signal: (name) => void child.kill(name),
    ended,
  }
}

/** Asks as a gateway does; the code of the system where nobody answers. */
export function ask(address: string, token: string, agent?: Agent) {
  const socketPath = /^unix:(.*)$/s.exec(address)?.[1]
  const headers = { authorization: `Bearer ${token}` }
  return new Promise<{ status: number; headers: IncomingHttpHeaders } | { code: string }>((resolve) => {
    const where = socketPath === undefined ? { ...toHost(address) } : { socketPath }
    request({ ...where, path: '/v1/messages', headers, agent }, (response) => {
      response.resume()
      response.once('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers }))
    })
      .once('error', ({ code = '' }: NodeJS.ErrnoException) => resolve({ code }))
      .end()
  })
}

function toHost(address: string) {
  const { hostname, port } = new URL(address)
  return { hostname, port }
}

/** A line of an audit as a collector gets it, with the name of the program that sent it and the key of the collector. */
interface TakenLine {
  readonly service: string
  readonly event: string
  readonly severity: string
  readonly key: unknown
  readonly line: Record<string, unknown>
}

/** Starts a collector on a port that was free, with the lines of audits that it has taken. */
export async function startLogsCollector(port: number): Promise<TakenLine[]> {
  const taken: TakenLine[] = []
  const server = createServer(async (message, response) => {
    const [{ resource, scopeLogs }] = JSON.parse(await text(message)).resourceLogs
    const service = resource.attributes[0].value.stringValue
    const key = message.headers['api-key']
    for (const { body, eventName: event, severityText: severity } of scopeLogs[0].logRecords)
      taken.push({ service, event, severity, key, line: JSON.parse(body.stringValue) })
    response.end('{}')
  })
  await new Promise<void>((listening) => server.listen(port, '127.0.0.1', listening))
  onTestFinished(() => void server.close())
  onTestFinished(() => server.closeAllConnections())
  return taken
}
