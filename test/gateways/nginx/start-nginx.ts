import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createAuthority } from '../../stand-ins/tls/certificate.ts'
import { findFreePorts, type GatewayProcess, startGatewayProcess } from '../gateway-process.ts'
import { type NginxPlaces, type Recipe, writeRecipe } from './nginx-recipes.ts'

/** The path of nginx in packages of Linux distributions; its folder is not on everybody's PATH. */
export const nginxPath = '/usr/sbin/nginx'

/** nginx as a process of its own, with a configuration of the page. */
export interface NginxProcess extends GatewayProcess {
  /** Over TLS, with HTTP/2; the certificate is for `gateway.example`. */
  readonly tlsUrl: string
  readonly ca: string
  /** Reads the configuration again, as `nginx -s reload` does, and waits until it is in use. */
  renew(): Promise<void>
}

/** Starts it on two free ports, and waits until it takes connections. */
export async function startNginx(recipe: Recipe, settings: Omit<NginxPlaces, 'ports'>): Promise<NginxProcess> {
  const { directory } = settings
  const [plain = 0, tls = 0] = await findFreePorts(2)
  const ports = { plain, tls }
  const main = await writeRecipe(recipe, { ...settings, ports })
  const ca = await writeCertificate(directory)
  const log = join(directory, 'error.log')
  const readErrors = () => readFile(log, 'utf8')
  const argv = ['-p', directory, '-c', main, '-e', log]
  const gateway = await startGatewayProcess({ command: nginxPath, argv, port: ports.plain, readErrors })
  return {
    ...gateway,
    tlsUrl: `https://127.0.0.1:${ports.tls}`,
    ca,
    renew: async () => {
      const before = await countStarts(readErrors)
      gateway.reload('SIGHUP')
      for (const end = Date.now() + 10_000; Date.now() < end; await sleep(10))
        if ((await countStarts(readErrors)) > before) return
      throw new Error(`nginx does not reload: ${await readErrors()}`)
    },
  }
}

/** Gives the authority's own certificate. */
async function writeCertificate(directory: string): Promise<string> {
  const authority = createAuthority('Example Gateway Authority')
  const { cert, key } = authority.issue({ names: ['gateway.example'] })
  await writeFile(join(directory, 'gateway.pem'), cert)
  await writeFile(join(directory, 'gateway.key'), key)
  return authority.cert
}

/** Counts the workers that were started so far: those of a new configuration are told in the log. */
async function countStarts(readErrors: () => Promise<string>): Promise<number> {
  return (await readErrors()).split('start worker process ').length
}
