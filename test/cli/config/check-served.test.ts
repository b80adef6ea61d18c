import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { runHere } from '../run-here.ts'

/** Returns the findings of a check at each path of a document, without notes. */
async function check(document: object, ...argv: string[]) {
  const path = join(await temporaryDirectory(), 'config.json')
  await writeFile(path, JSON.stringify(document))
  const { stdout, status } = await runHere(['config', 'check', path, '--json', ...argv])
  const { findings } = JSON.parse(stdout) as { findings: Record<string, string>[] }
  const rows = findings.filter(({ severity }) => severity !== 'info').map(({ path, code }) => `${path} ${code}`)
  return { status, rows }
}

const document = {
  bootstrapUrl: 'https://config.example.com/bootstrap',
  bootstrapHeaders: { 'x-key': 'k' },
  trustBootstrapDelivery: true,
  inference: { provider: 'gateway', baseUrl: 'https://gateway.example.com', credential: { kind: 'interactive' } },
}
const served = ['--served', 'https://config.example.com/bootstrap']
const anchor = ['bootstrapUrl', 'bootstrapHeaders', 'trustBootstrapDelivery'].map((key) => `${key} trust-anchor-served`)

const local = { inference: { ...document.inference, baseUrl: 'https://127.0.0.1:8443' } }
const pinned = 'inference.baseUrl url-origin-pinned'

test.each<[what: string, document: object, argv: string[], rows: string[]]>([
  ['finds what a served document may not hold', document, served, [...anchor, pinned]],
  [
    'finds no pinned origin where the client signs people in',
    document,
    [...served, '--served-with', 'external-idp'],
    anchor,
  ],
  ['finds addresses of the machine itself', local, served, ['inference.baseUrl url-loopback-served']],
])('--served %s', async (_, given, argv, rows) => {
  expect(await check(given, ...argv)).toEqual({ status: 1, rows })
})

test.each([document, local])('without --served the same document has no problem', async (given) => {
  expect(await check(given)).toEqual({ status: 0, rows: [] })
})
