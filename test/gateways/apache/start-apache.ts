import { chmod, readFile, writeFile } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { type GatewayProcess, startGatewayProcess } from '../gateway-process.ts'

interface ApacheSettings {
  /** In it everything is written; without a space in its name. */
  readonly directory: string
  readonly port: number
  /** What `a2enmod` enables. */
  readonly modules: readonly string[]
  /** The file of the site. */
  readonly site: string
  /** Directives of the server. */
  readonly more?: string
}

/**
 * Starts Apache as Debian configures it, without a service: with the same modules in any case, and one site. As the page says, its user may
 * write to the socket of the verifier: by the group, which is that of the tests. Not started by root, Apache keeps the user.
 */
export async function startApache(settings: ApacheSettings): Promise<GatewayProcess> {
  const { directory, port } = settings
  await chmod(directory, 0o711) // for Apache's own user
  const main = join(directory, 'apache2.conf')
  await writeFile(main, renderMain(settings))
  await writeFile(join(directory, 'site.conf'), settings.site)
  const argv = ['-D', 'FOREGROUND', '-f', main]
  const readErrors = () => readFile(join(directory, 'error.log'), 'utf8').catch(() => '')
  return startGatewayProcess({ command: '/usr/sbin/apache2', argv, port, readErrors })
}

function renderMain({ directory, port, modules, more = '' }: ApacheSettings): string {
  const loaded = [...modulesOfDebian, ...modules].map(
    (name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`,
  )
  return `
ServerRoot ${directory}
ServerName localhost
DefaultRuntimeDir ${directory}
PidFile ${directory}/apache2.pid
Mutex file:${directory}
ErrorLog ${directory}/error.log
Listen 127.0.0.1:${port}
User www-data
Group ${userInfo().gid === 0 ? 'root' : 'www-data'}
${loaded.join('\n')}
<Directory />
  Require all denied
</Directory>
${more}
Include ${directory}/site.conf
`
}

/** What Debian enables by itself, as far as it makes a difference here. */
const modulesOfDebian = ['mpm_event', 'authn_core', 'authz_core', 'authz_user', 'reqtimeout', 'setenvif']
