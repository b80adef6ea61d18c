import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, inject, test } from 'vitest'
import { packDebianPackage, packDebianService } from '../../pkg-scripts/release/linux/debian.ts'
import { packRpmService } from '../../pkg-scripts/release/linux/rpm.ts'
import { listServices } from '../../pkg-scripts/release/linux/services.ts'
import { root } from '../../pkg-scripts/tree.ts'
import { temporaryDirectory } from '../setup/temporary-directory.ts'
import { makePackaging, run } from './made-up-package.ts'
import { bootMachine } from './systemd/boot.ts'

const packaging = makePackaging({
  version: '1.0.0-beta.1',
  notices: 'Copyright (c) 2026 the notices\n',
  time: new Date(1.7e12),
})
const [verifier] = listServices()

async function write({ name, content }: { name: string; content: Buffer }): Promise<string> {
  const path = join(await temporaryDirectory(), name)
  await writeFile(path, content)
  return path
}

test('each unit is as closed as the project promises, and has no line that systemd does not know', async () => {
  const unit = join(root, 'packaging', 'systemd', 'gatepass-verifier.service')
  const security = await run('systemd-analyze', ['security', '--offline=true', '--threshold=20', '--no-pager', unit])
  expect(Number(/Overall exposure level for \S+: ([\d.]+)/.exec(security.stdout)?.[1])).toBeLessThanOrEqual(2)
  // The program that it starts is not installed here.
  const { stderr } = await run('systemd-analyze', ['verify', '--man=no', unit]).catch((error) => error)
  const missing = 'Command /opt/gatepass/gatepass is not executable: No such file or directory'
  expect([...new Set(stderr.match(/^gatepass-verifier.*$/gm))]).toEqual([`gatepass-verifier.service: ${missing}`])
})

test('the Debian package of the verifier has no finding of lintian', async () => {
  const published = await packDebianService(verifier!, packaging)
  const path = await write(published)
  const findings = await run('lintian', ['--allow-root', path])
  const { stdout } = await run('dpkg-deb', ['--field', path, 'Depends'])
  expect([published.name, findings.stdout, stdout]).toEqual([
    'gatepass-verifier_1.0.0~beta.1_all.deb',
    '',
    'gatepass (= 1.0.0~beta.1), procps, systemd\n',
  ])
})

test('the RPM package of the verifier needs its command, and says what it runs', async () => {
  const published = await packRpmService(verifier!, packaging)
  const path = await write(published)
  expect(published.name).toBe('gatepass-verifier-1.0.0~beta.1-1.noarch.rpm')
  const ask = async (...what: string[]) => (await run('rpm', ['--query', ...what, '--package', path])).stdout
  expect((await ask('--requires')).split('\n').filter((line) => !/^rpmlib|^\/bin\/sh$|^$/.test(line))).toEqual([
    'gatepass = 1.0.0~beta.1',
    'systemd',
  ])
  expect(await ask('--scripts')).toBe(`postinstall scriptlet (using /bin/sh):
systemd-sysusers gatepass-verifier.conf
if [ -d /run/systemd/system ]; then systemctl daemon-reload; systemctl try-restart gatepass-verifier.service || echo "gatepass-verifier.service has not started again; see: journalctl --unit gatepass-verifier" >&2; fi
preuninstall scriptlet (using /bin/sh):
[ "$1" = 0 ] || exit 0
if [ -d /run/systemd/system ]; then systemctl --quiet disable --now gatepass-verifier.socket gatepass-verifier.service; fi
postuninstall scriptlet (using /bin/sh):
if [ -d /run/systemd/system ]; then systemctl daemon-reload; fi
`)
})

test('under systemd the verifier is installed, asked, reloaded, watched, activated and removed', async () => {
  const command = {
    ...{ name: 'gatepass', summary: 'the command', description: [], names: [], shared: [], pages: [], beside: [] },
    executable: inject('suite').cli,
  }
  const packages = [await packDebianPackage(command, packaging), await packDebianService(verifier!, packaging)]
  const policy = await readFile(join(import.meta.dirname, 'systemd', 'policy.json'))
  const files = Object.fromEntries(packages.map(({ name, content }) => [name, content]))
  const { seen, log } = await bootMachine(join(import.meta.dirname, 'systemd', 'scenario.sh'), {
    ...files,
    'policy.json': policy,
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
remove: done, inactive, No such file or directory
`)
})
