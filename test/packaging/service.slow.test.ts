import { readFile, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { describe, expect, inject, test } from 'vitest'
import { packDebianPackage, packDebianService } from '../../pkg-scripts/release/linux/debian.ts'
import { packRpmService } from '../../pkg-scripts/release/linux/rpm.ts'
import { listServices } from '../../pkg-scripts/release/linux/services.ts'
import { ReleaseFolder } from '../bootstrap/release-folder.ts'
import { temporaryDirectory } from '../setup/temporary-directory.ts'
import { createTestKey, signClaims } from '../verify/jwt/issuer.ts'
import { makePackaging, run } from './made-up-package.ts'
import { bootMachine } from './systemd/boot.ts'

const packaging = makePackaging({
  version: '1.0.0-beta.1',
  notices: 'Copyright (c) 2026 the notices\n',
  time: new Date(1.7e12),
})
const services = listServices().map((service) => [service.name, service] as const)

const policies: Readonly<Record<string, string>> = {
  'gatepass-verifier': '--policy /etc/gatepass/policy.json"',
  'gatepass-configuration-server': '--policy /etc/gatepass/configuration-policy.json',
}

async function write({ name, content }: { name: string; content: Buffer }): Promise<string> {
  const path = join(await temporaryDirectory(), name)
  await writeFile(path, content)
  return path
}

describe.each(services)('%s', (name, service) => {
  test('has a unit that is as closed as the project promises', async () => {
    const directory = await temporaryDirectory()
    for (const entry of service.entries)
      if (entry.kind === 'file') await writeFile(join(directory, basename(entry.path)), entry.content)
    const unit = join(directory, `${name}.service`)
    const security = await run('systemd-analyze', ['security', '--offline=true', '--threshold=20', '--no-pager', unit])
    expect(Number(/Overall exposure level for \S+: ([\d.]+)/.exec(security.stdout)?.[1])).toBeLessThanOrEqual(2)
    // The program that it starts is not installed here.
    const { stderr } = await run('systemd-analyze', ['verify', '--man=no', unit]).catch((error) => error)
    const missing = 'Command /opt/gatepass/gatepass is not executable: No such file or directory'
    expect([...new Set(stderr.match(new RegExp(`^${name}.*$`, 'gm')))]).toEqual([`${name}.service: ${missing}`])
  })

  test('checks before a reload what it starts with', () => {
    const found = service.entries.find(({ path }) => path.endsWith(`${name}.service`))
    const unit = found?.kind === 'file' ? found.content.toString() : ''
    const [start] = unit.match(/(?<=^ExecStart=).*$/m) ?? []
    const [check] = unit.match(/(?<=^ExecReload=).* --check .*$/m) ?? []
    expect([unit.match(/--policy \S+/)?.[0], check?.replace(' --check', '')]).toEqual([policies[name], start])
  })

  test('has a Debian package without a finding of lintian', async () => {
    const published = await packDebianService(service, packaging)
    const path = await write(published)
    const findings = await run('lintian', ['--allow-root', path])
    const { stdout } = await run('dpkg-deb', ['--field', path, 'Depends'])
    expect([published.name, findings.stdout, stdout]).toEqual([
      `${name}_1.0.0~beta.1_all.deb`,
      '',
      'gatepass (= 1.0.0~beta.1), procps, systemd\n',
    ])
  })

  test('has an RPM package that needs its command, and says what it runs', async () => {
    const published = await packRpmService(service, packaging)
    const path = await write(published)
    expect(published.name).toBe(`${name}-1.0.0~beta.1-1.noarch.rpm`)
    const ask = async (...what: string[]) => (await run('rpm', ['--query', ...what, '--package', path])).stdout
    expect((await ask('--requires')).split('\n').filter((line) => !/^rpmlib|^\/bin\/sh$|^$/.test(line))).toEqual([
      '/usr/bin/logger',
      'gatepass = 1.0.0~beta.1',
      'systemd',
      'util-linux',
    ])
    expect(await ask('--scripts')).toBe(`postinstall scriptlet (using /bin/sh):
systemd-sysusers ${name}.conf
if [ -d /run/systemd/system ]; then
systemctl daemon-reload
if systemctl --quiet is-active ${name}.service; then
  began=$(date +%s)
  if systemctl reload ${name}.service; then
    systemctl restart ${name}.service || echo "${name}.service has not started again; see: journalctl --unit ${name}" >&2
  else
    check=$(systemctl show --property=ExecReload --value ${name}.service)
    check=\${check#*; pid=}
    journalctl --sync || true
    journalctl --quiet --no-pager --output cat --unit ${name} --since "@$began" "_PID=\${check%% *}" >&2 || true
    echo "${name}.service goes on as the earlier version, because this one would not start with these files and options." >&2
    echo "Correct what is said above, then run: systemctl restart ${name}" >&2
  fi
fi
fi
preuninstall scriptlet (using /bin/sh):
[ "$1" = 0 ] || exit 0
if [ -d /run/systemd/system ]; then
systemctl --quiet disable --now ${name}.socket ${name}.service
fi
postuninstall scriptlet (using /bin/sh):
if [ -d /run/systemd/system ]; then
systemctl daemon-reload
fi
`)
  })
})

/** Returns the packages of the command and of both services, by the names of their files. */
async function packAll(version: string): Promise<Record<string, Buffer>> {
  const command = {
    name: 'gatepass',
    summary: 'the command',
    description: [],
    names: [],
    shared: [],
    pages: [],
    beside: [],
    executable: inject('suite').cli,
  }
  const settings = { ...packaging, version }
  const packages = [await packDebianPackage(command, settings)]
  for (const [, service] of services) packages.push(await packDebianService(service, settings))
  return Object.fromEntries(packages.map(({ name, content }) => [name, content]))
}

/** Returns a release that everybody gets, with a secret of the server, as an archive. */
async function packRelease() {
  const folder = await ReleaseFolder.create()
  await folder.point({ manifest: await folder.addRelease({ documents: { '': { key: '{secret.gateway-key}' } } }) })
  const archive = join(await temporaryDirectory(), 'releases.tar')
  await run('tar', ['--create', '--mode=a+rX', '--file', archive, '--directory', folder.path, '.'])
  const publicKey = Buffer.from(folder.key.key.export({ type: 'spki', format: 'pem' }))
  return { 'releases.tar': await readFile(archive), 'release.key.pub': publicKey }
}

/** Creates a policy with the key of its issuer in it, and a token that passes. */
async function createPolicy() {
  const key = await createTestKey('ES256')
  const issuer = { issuer: 'https://idp.example', audiences: ['models'], keys: { inline: { keys: [key.jwk] } } }
  const rule = { name: 'people', issuer: issuer.issuer, claims: { team: ['red'] }, headers: { 'x-user': '{sub}' } }
  const iat = Math.floor(Date.now() / 1000)
  const token = await signClaims(key, { iss: issuer.issuer, aud: 'models', team: 'red', iat, exp: iat + 3000 })
  return { 'policy.json': Buffer.from(JSON.stringify({ issuers: [issuer], rules: [rule] })), token: Buffer.from(token) }
}

test('under systemd both services are installed, asked, reloaded, watched, activated, upgraded and removed', async () => {
  const newer = Object.entries(await packAll('1.0.0')).map(([name, content]) => [`newer/${name}`, content])
  const place = join(import.meta.dirname, 'systemd')
  const { seen, log } = await bootMachine(join(place, 'scenario.sh'), {
    ...(await packAll('1.0.0-beta.1')),
    ...Object.fromEntries(newer),
    ...(await packRelease()),
    ...(await createPolicy()),
    'configuration-server.sh': await readFile(join(place, 'configuration-server.sh')),
    'upgrade.sh': await readFile(join(place, 'upgrade.sh')),
  })
  expect(seen, log).toBe(`install: done, disabled, inactive
enable: done, active, answers at unix:/run/gatepass/verifier.sock
socket: srw-rw---- root gatepass-gateway
root asks: HTTP/1.1 401 Unauthorized
nobody in no group: Permission denied
nobody in the group connects
user: dynamic
reload: done, active
reload of a broken policy: refused, active, HTTP/1.1 401 Unauthorized
restarts of a live process: 0
restarts of a stopped one: 1
asked meanwhile: HTTP/1.1 401 Unauthorized
stopped, and asked: HTTP/1.1 401 Unauthorized, active
configuration server: disabled, inactive
enable: done, active, answers at unix:/run/gatepass/configuration-server.sock
without a release: 503 without a document
with a release: 200 with the secret
socket: srw-rw---- root gatepass-configuration
state: drwx------, {"format":1,"serial":1}
audit: "status":200,"issuer":"https://idp.example"
reload: done, active
reload of a broken policy: refused, active, 200 with the secret
reload without the files of the release: refused, active, 200 with the secret
restart: done, 200 with the secret
upgrade: done, 1.0.0
Job for gatepass-verifier.service failed.
See "systemctl status gatepass-verifier.service" and "journalctl -xeu gatepass-verifier.service" for details.
gatepass: the policy /etc/gatepass/policy.json cannot be used: it is not JSON: line 2, column 1
gatepass: hint: fix the syntax there: a missing comma or quote, a typographic quote, a comment, a comma before a closing bracket
gatepass-verifier.service goes on as the earlier version, because this one would not start with these files and options.
Correct what is said above, then run: systemctl restart gatepass-verifier
refused meanwhile: yes
the verifier: the same process, active, HTTP/1.1 401 Unauthorized
the configuration server: another process, 200 with the secret
restart all the same: failed, activating
its policy is corrected: HTTP/1.1 401 Unauthorized, active
downgrade: done, 1.0.0~beta.1, HTTP/1.1 401 Unauthorized, 200 with the secret
tenants: done, HTTP/1.1 403 Forbidden, ready, tenant red: ready
its log: 600, dynamic
reload of broken tenants: refused, active, HTTP/1.1 403 Forbidden
remove: done, inactive, No such file or directory
keeps: /var/lib/gatepass-configuration-server /var/lib/private/gatepass-configuration-server${' '}
purge: done, keeps:${' '}
`)
})
