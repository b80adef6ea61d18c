import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { pipeToGatepass, runGatepass, writeTemporary } from '../run-gatepass.ts'

const init = ['config', 'init', '--helper', 'aws-bedrock-token', '--base-url', 'https://gateway.example.com']
const written = `{
  "$schemaVersion": 2,
  "inference": {
    "provider": "gateway",
    "baseUrl": "https://gateway.example.com",
    "credential": {
      "kind": "helper-script",
      "command": "/opt/gatepass/aws-bedrock-token"
    }
  }
}
`

test('prints a document that works, and nothing else', async () => {
  expect(await runGatepass(...init)).toEqual({ status: 0, stdout: written, stderr: '' })
  expect(await pipeToGatepass(written, 'config', 'check', '--os', 'macos', '-')).toMatchObject({ status: 0 })
})

test('takes a helper on Windows alone, and its arguments', async () => {
  const path = 'C:\\Program Files\\Gatepass\\aws-bedrock-token.exe'
  const { status, stdout, stderr } = await runGatepass(
    ...init,
    '--command-windows',
    path,
    '--arg',
    '--profile',
    '--arg',
    'dev',
  )
  expect({ status, stderr, credential: JSON.parse(stdout).inference.credential }).toEqual({
    status: 0,
    stderr: '',
    credential: { kind: 'helper-script', commandWindows: path, args: ['--profile', 'dev'] },
  })
})

test('writes a new file, and never over an old one', async () => {
  const out = join(await temporaryDirectory(), 'document.json')
  expect(await runGatepass(...init, '--out', out)).toEqual({ status: 0, stdout: '', stderr: '' })
  expect(await readFile(out, 'utf8')).toBe(written)
  const old = await writeTemporary('old.json', 'mine')
  expect(await runGatepass(...init, '--out', old)).toEqual({
    status: 5,
    stdout: '',
    stderr: `gatepass: ${old} exists already\ngatepass: hint: name another file with --out\n`,
  })
  expect(await readFile(old, 'utf8')).toBe('mine')
})

test('writes nothing that would not work, and says all that is wrong on every system', async () => {
  const flags = ['--base-url', 'gateway', '--command', '~/x', '--command-windows', '\\\\server\\x.exe']
  expect(await runGatepass('config', 'init', '--helper', 'aws-bedrock-token', ...flags)).toEqual({
    status: 1,
    stdout: '',
    stderr: `gatepass: inference.baseUrl: it is not a URL (invalid-value)
gatepass: hint: write the full URL, beginning with https://
gatepass: inference.credential.commandWindows: it does not begin with a drive letter, a colon and a slash or backslash (invalid-value)
gatepass: hint: write the full path, such as C:\\Program Files\\Gatepass\\helper.exe
gatepass: inference.credential.command: ~ is not expanded (tilde-in-path)
gatepass: hint: write the full path, such as /usr/local/bin/…
`,
  })
})

test('says that the helper refuses its arguments', async () => {
  const { status, stdout, stderr } = await runGatepass(...init, '--arg', '--profil', '--arg', 'dev')
  expect({ status, stdout, stderr }).toEqual({
    status: 1,
    stdout: '',
    stderr: expect.stringContaining('helper-arguments'),
  })
})

test('asks nobody where there is no terminal', async () => {
  expect(await pipeToGatepass('aws-bedrock-token\n', 'config', 'init')).toEqual({
    status: 2,
    stdout: '',
    stderr: 'gatepass: --helper is missing\ngatepass: hint: pass --helper; see: gatepass config init --help\n',
  })
})
