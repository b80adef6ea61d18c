import { request } from 'node:http'
import { Argument, type Command } from 'commander'
import { HelperError } from '../../runtime/failure.ts'
import { readyText } from '../../verify/server/admin-listener.ts'
import { type GivenAddress, renderListenAddress, usualPorts } from '../../verify/server/listen-address.ts'
import { programName } from '../../version.ts'
import type { Cli } from '../cli.ts'
import { parseAddress } from './verifier/verifier-flags.ts'

/** Adds `gatepass gateway health`: whether a server is ready, for a container without another program for it. */
export function addGatewayHealth(gateway: Command, { terminal }: Cli): void {
  gateway
    .command('health')
    .description('ask a verifier or a configuration server whether it is ready: status 0, or 6 with the reason')
    .addArgument(
      new Argument('[address]', 'its --admin-listen')
        .default(
          { kind: 'tcp', host: '127.0.0.1', port: usualPorts.verifierAdmin } satisfies GivenAddress,
          `127.0.0.1:${usualPorts.verifierAdmin}`,
        )
        .argParser(parseAddress),
    )
    .action(async (address: GivenAddress) => {
      terminal.print(await askReadiness(address))
    })
}

/** The time limit of the answer; health checks are repeated anyway. */
const waitMs = 5_000

/** @throws {HelperError} `unavailable` if the server is not ready or does not answer; `usage` for an address that only a server can use. */
async function askReadiness(address: GivenAddress): Promise<string> {
  if (address.kind === 'passed')
    throw new HelperError('usage', 'only a server can get its socket from systemd', 'name HOST:PORT or a path')
  const where = renderListenAddress(address)
  const target = address.kind === 'socket' ? { socketPath: address.path } : toLocalTarget(address)
  const { status, text } = await fetchReadiness(target).catch((cause: NodeJS.ErrnoException) => {
    const hint = `start the server, or give the address of its --admin-listen: ${programName} gateway health HOST:PORT`
    throw new HelperError('unavailable', `nobody answers at ${where} (${cause.code ?? cause.message})`, hint, { cause })
  })
  if (status === 200 && text.startsWith(readyText)) return text
  if (status === 200)
    throw new HelperError(
      'unavailable',
      `another server answers at ${where}, which does not say that it is ready`,
      `give the address of its --admin-listen: ${programName} gateway health HOST:PORT`,
    )
  throw new HelperError(
    'unavailable',
    `${where} is not ready (${status}): ${text.trim()}`,
    'read the log of the server; systemd shows that with: journalctl --unit NAME',
  )
}

/** A server that listens at every address is reached through loopback. */
function toLocalTarget({ host, port }: { readonly host: string; readonly port: number }) {
  return { host: host === '*' ? 'localhost' : host, port }
}

function fetchReadiness(target: { socketPath: string } | { host: string; port: number }) {
  return new Promise<{ status: number; text: string }>((resolve, reject) => {
    const signal = AbortSignal.timeout(waitMs)
    // With another host, the server would suspect a web page; 0.0.0.0 leads to loopback.
    request({ ...target, path: '/readyz', headers: { host: 'localhost' }, signal }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk) => {
        text = (text + chunk).slice(0, 4_096)
      })
      response.once('end', () => resolve({ status: response.statusCode ?? 0, text })).once('error', reject)
    })
      .once('error', reject)
      .end()
  })
}
