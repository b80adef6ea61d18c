import { expect, test } from 'vitest'
import { hideUrlSecrets } from '../../../src/runtime/text/hide-secrets.ts'
import { runGatepass } from '../run-gatepass.ts'

const url = 'http://dana:canary@127.0.0.1:9/document.json?sig=canary'

test('a URL is shown without the secrets by which others could fetch the document', () => {
  expect(hideUrlSecrets(url)).toBe('http://[secret]@127.0.0.1:9/document.json?[secret]')
})

test.each([
  ['check', '--format', 'text'],
  ['check', '--format', 'json'],
  ['check', '--format', 'sarif'],
  ['check', '--format', 'github'],
  ['check', '--format', 'junit'],
  ['export', '--to', 'reg'],
  ['convert', '--to', 'flat'],
])('config %s %s %s of a URL repeats none of its secrets', async (command, option, value) => {
  const { status, stdout, stderr } = await runGatepass('config', command, option, value, url)
  expect({ status, leaks: `${stdout}${stderr}`.includes('canary') }).toEqual({ status: 2, leaks: false })
})

test('doctor repeats none of the secrets of a URL', async () => {
  const { status, stdout, stderr } = await runGatepass('doctor', '--json', '--yes', url)
  expect({ status, leaks: `${stdout}${stderr}`.includes('canary') }).toEqual({ status: 2, leaks: false })
})
