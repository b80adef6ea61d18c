import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { createAuthority } from '../../stand-ins/tls/certificate.ts'
import { nameFolder, runSetup, toFlags } from './run-setup.ts'

test.runIf(process.getuid?.() === 0)('the playbook places every file that its folder has for a machine', async () => {
  const folder = await nameFolder()
  const answers = { client: 'in-force', 'base-url': 'https://bedrock-runtime.eu-central-1.amazonaws.com' }
  const sso = { 'sso-start-url': 'https://example.awsapps.com/start', 'sso-account': '111122223333', 'sso-role': 'X' }
  const root = await temporaryDirectory()
  const ca = join(root, 'corp.pem')
  await writeFile(ca, createAuthority('Example Corp').cert)
  await runSetup(folder, toFlags({ ...answers, ...sso, ca, systems: 'linux', management: 'ansible' }))
  await mkdir(join(root, 'etc'))
  // The package is in no repository here, and there is no helper to compare.
  await edit(join(folder, 'linux/playbook.yml'), (text) =>
    text.replace(/^ +gatepass_package: .*\n/m, '').replaceAll('/etc/', `${root}/etc/`),
  )
  await edit(join(folder, 'linux/tasks.yml'), (text) =>
    text
      .replaceAll('/etc/', `${root}/etc/`)
      .replace(/^( +)(failed_when: gatepass_after)/m, '$1ignore_errors: true\n$1$2'),
  )
  const args = ['-i', 'localhost,', '-c', 'local', join(folder, 'linux/playbook.yml')]
  const { exitCode, stdout } = await execa('ansible-playbook', args, { reject: false, env: { LC_ALL: 'C.UTF-8' } })
  expect({ exitCode, failed: /failed=\d+/.exec(stdout)?.[0] }).toEqual({ exitCode: 0, failed: 'failed=0' })
  const read = (path: string) => readFile(path, 'utf8')
  expect({
    profile: await read(join(root, 'etc/gatepass/aws/config')),
    authority: await read(join(root, 'etc/gatepass/authority.pem')),
    settings: JSON.parse(await read(join(root, 'etc/gatepass/aws-bedrock-token.json'))),
  }).toEqual({
    profile: await read(join(folder, 'aws/config')),
    authority: await read(ca),
    settings: JSON.parse(await read(join(folder, 'machine/aws-bedrock-token.json'))),
  })
})

async function edit(path: string, change: (text: string) => string): Promise<void> {
  await writeFile(path, change(await readFile(path, 'utf8')))
}
