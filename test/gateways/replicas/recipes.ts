import { readFile, writeFile } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { createAuthority } from '../../stand-ins/tls/certificate.ts'
import { findFreePorts, type GatewayProcess, startGatewayProcess } from '../gateway-process.ts'
import { nginxPath } from '../nginx/start-nginx.ts'
import { readListing, replaceShown } from '../page.ts'

/** Without the ending, from docs/gateways/, where pages are looked for. */
const page = '../configuration-replicas'

export interface ReplicaPorts {
  readonly listen: number
  readonly admin: number
}

/** A proxy on a plain port, as the page has it but for TLS. */
interface ProxySettings {
  /** In it everything is written; without a space in its name. */
  readonly directory: string
  readonly replicas: readonly [ReplicaPorts, ReplicaPorts]
}

export async function startNginxBeforeReplicas({ directory, replicas }: ProxySettings): Promise<GatewayProcess> {
  const [one, two] = replicas
  return startNginx(directory, 'Behind nginx', {
    'config-1.internal:8794': `127.0.0.1:${one.listen}`,
    'config-2.internal:8794': `127.0.0.1:${two.listen}`,
  })
}

/** Starts nginx that sends the files of a release folder by itself. */
export async function startNginxWithFiles(settings: {
  readonly directory: string
  readonly socket: string
  readonly releases: string
}): Promise<GatewayProcess> {
  return startNginx(settings.directory, 'Files that nginx sends', {
    'unix:/run/gatepass/bootstrap.sock': `unix:${settings.socket}`,
    '/srv/gatepass/releases': `"${settings.releases}"`, // it may have a space
  })
}

export async function startHaproxyBeforeReplicas(settings: ProxySettings): Promise<GatewayProcess> {
  return startHaproxy(settings, (shown) => shown)
}

async function startHaproxy(
  { directory, replicas }: ProxySettings,
  change: (shown: string) => string,
): Promise<GatewayProcess> {
  const [port = 0] = await findFreePorts(1)
  const [one, two] = replicas
  const file = join(directory, 'haproxy.cfg')
  const shown = change(readListing({ page, heading: 'Behind HAProxy', path: '/etc/haproxy/haproxy.cfg' }))
  const replaced = replaceShown(shown, {
    ':443 ssl crt /etc/haproxy/config.pem alpn h2,http/1.1': `127.0.0.1:${port}`,
    ' port 9464 inter': ' inter',
    'config-1.internal:8794': `127.0.0.1:${one.listen} port ${one.admin}`,
    'config-2.internal:8794': `127.0.0.1:${two.listen} port ${two.admin}`,
  })
  await writeFile(file, replaced)
  const argv = ['-db', '-f', file]
  return startGatewayProcess({ command: '/usr/sbin/haproxy', argv, port, readErrors: () => readFile(file, 'utf8') })
}

const deviceHeading = 'Device sign-ins behind a proxy'

/** Starts the same nginx with device sign-ins. */
export async function startNginxWithDevice({ directory, replicas }: ProxySettings): Promise<GatewayProcess> {
  const [one, two] = replicas
  const places = {
    'config-1.internal:8794': `127.0.0.1:${one.listen}`,
    'config-2.internal:8794': `127.0.0.1:${two.listen}`,
  }
  const upstream = replaceShown(readDevice('/etc/nginx/conf.d/configuration-device.conf'), places)
  return startNginx(directory, 'Behind nginx', places, await writeDevice(directory, upstream))
}

/** Starts nginx that sends the files by itself, with device sign-ins. */
export async function startNginxWithFilesAndDevice(settings: {
  readonly directory: string
  readonly socket: string
  readonly releases: string
}): Promise<GatewayProcess> {
  const { directory, socket, releases } = settings
  const upstream = replaceShown(readDevice('/etc/nginx/conf.d/configuration-device.conf'), {
    'config-1.internal:8794': `unix:${socket}`,
    'server config-2.internal:8794 backup;': '',
  })
  const places = { 'unix:/run/gatepass/bootstrap.sock': `unix:${socket}`, '/srv/gatepass/releases': `"${releases}"` }
  return startNginx(directory, 'Files that nginx sends', places, await writeDevice(directory, upstream))
}

function readDevice(path: string): string {
  return readListing({ page, heading: deviceHeading, path })
}

/** Writes the locations, and gives back what else stands in the configuration: the upstream, and the line that includes them. */
async function writeDevice(directory: string, upstream: string): Promise<DeviceParts> {
  await writeFile(join(directory, 'configuration-device.inc'), readDevice('/etc/nginx/configuration-device.inc'))
  return { upstream, include: 'include /etc/nginx/configuration-device.inc;' }
}

interface DeviceParts {
  readonly upstream: string
  readonly include: string
}

/** Starts the same HAProxy with device sign-ins. */
export async function startHaproxyWithDevice(settings: ProxySettings): Promise<GatewayProcess> {
  return startHaproxy(settings, (shown) =>
    shown.replace(/^frontend .*?(?=^backend )/ms, `${readDevice('/etc/haproxy/haproxy.cfg')}\n\n`),
  )
}

/** Reads a script of the page. */
export function readScript(path: 'publish.sh' | 'follow.sh'): string {
  return readListing({ page, heading: 'By way of object storage', path })
}

async function startNginx(
  directory: string,
  heading: string,
  places: Readonly<Record<string, string>>,
  { upstream, include }: DeviceParts = { upstream: '', include: '' },
): Promise<GatewayProcess> {
  const [port = 0, tlsPort = 0] = await findFreePorts(2)
  const { cert, key } = createAuthority('Example Authority').issue({ names: ['config.example.com'] })
  await writeFile(join(directory, 'config.pem'), cert)
  await writeFile(join(directory, 'config.key'), key)
  const shown = readListing({ page, heading, path: '/etc/nginx/conf.d/configuration.conf' })
  const withDevice = shown.replace(/(?=^ {4}location \/ )/m, `${include}\n`)
  const replaced = replaceShown(withDevice, {
    ...places,
    'listen 443 ssl http2;': `listen 127.0.0.1:${port}; listen 127.0.0.1:${tlsPort} ssl http2;`,
    '/etc/nginx/': `${directory}/`,
  })
  await writeFile(join(directory, 'nginx.conf'), renderMain(directory, `${upstream}\n${replaced}`))
  const log = join(directory, 'error.log')
  const argv = ['-p', directory, '-c', join(directory, 'nginx.conf'), '-e', log]
  return startGatewayProcess({ command: nginxPath, argv, port, readErrors: () => readFile(log, 'utf8') })
}

/** Renders the main configuration file as Debian has it, with every path in the test's directory. */
function renderMain(directory: string, inner: string): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  return `${userInfo().uid === 0 ? 'user root;' : ''}
daemon off;
worker_processes 2;
pid ${directory}/nginx.pid;
error_log ${directory}/error.log info;
events {}
http {
    access_log off;
    default_type application/octet-stream;
    ${temporary.map((name) => `${name}_temp_path ${directory}/temporary-${name};`).join('\n    ')}
    ${inner}
}
`
}
